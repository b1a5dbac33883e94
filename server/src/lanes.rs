//! Threads that requests stay on: one a core, each with a runtime of its own.
//!
//! A connection is served by the lane that it was given to, with upstream connections of that lane's. So
//! nothing of a request wakes another thread, which costs a gateway that does little else a quarter of
//! its time. What is not on a request's way (pages, the database, what is written down) runs on the
//! process's common runtime.

use std::cell::Cell;
use std::io;
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle};
use tokio_util::sync::CancellationToken;

thread_local! {
    /// Counted from 1; 0 is every other thread.
    static HERE: Cell<usize> = const { Cell::new(0) };
}

/// The lane of this thread, counted from 1; 0 when it is none.
pub fn here() -> usize {
    HERE.get()
}

/// How many there are.
pub fn count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// All of them; they end when it is dropped, and with them what still runs there.
#[derive(Debug)]
pub struct Lanes {
    runtimes: Vec<Handle>,
    threads: Vec<JoinHandle<()>>,
    end: CancellationToken,
}

impl Lanes {
    /// # Errors
    /// When the system gives no thread.
    pub fn start() -> io::Result<Self> {
        let mut lanes = Self {
            runtimes: Vec::new(),
            threads: Vec::new(),
            end: CancellationToken::new(),
        };
        for lane in 1..=count() {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            lanes.runtimes.push(runtime.handle().clone());
            let end = lanes.end.clone();
            let run = move || {
                HERE.set(lane);
                runtime.block_on(end.cancelled());
            };
            let thread = std::thread::Builder::new().name(format!("lane-{lane}"));
            lanes.threads.push(thread.spawn(run)?);
        }
        Ok(lanes)
    }

    /// One after the other, for ever.
    pub fn in_turn(&self) -> impl Iterator<Item = &Handle> {
        self.runtimes.iter().cycle()
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        self.end.cancel();
        for thread in self.threads.drain(..) {
            // One that panicked has said so.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_lane_is_a_thread_of_its_own() {
        let lanes = Lanes::start().unwrap();
        assert_eq!(here(), 0);
        let mut seen = Vec::new();
        for lane in lanes.in_turn().take(2 * count()) {
            seen.push(lane.spawn(async { here() }).await.unwrap());
        }
        let once: Vec<usize> = (1..=count()).collect();
        assert_eq!(seen, [once.clone(), once].concat());
    }

    #[tokio::test]
    async fn what_still_runs_ends_with_them() {
        let lanes = Lanes::start().unwrap();
        let forever = lanes
            .in_turn()
            .next()
            .unwrap()
            .spawn(std::future::pending::<()>());
        drop(lanes);
        assert!(forever.await.unwrap_err().is_cancelled());
    }
}
