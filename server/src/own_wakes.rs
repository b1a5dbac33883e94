//! Leaving out a look at a connection that would find nothing.
//!
//! Who takes a piece of a body wakes the connection, so that it reads on. A request that takes the last one does so
//! while the connection works on it, and all of the connection and of the request would be looked at once more,
//! just when an upstream was asked and may want this core.

use std::cell::Cell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use bytes::Bytes;
use futures_util::task::AtomicWaker;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

/// Wakes the task of an HTTP/1 connection, but for what is known to be in vain.
#[derive(Debug, Default)]
pub struct Wakes {
    task: AtomicWaker,
}

/// The body of a request that came over the connection.
#[derive(Debug)]
pub struct RequestBody {
    body: Incoming,
    wakes: Arc<Wakes>,
}

thread_local! {
    /// Of which connection a piece is being taken on this thread, and whether that has woken it.
    static TAKING: Cell<(*const Wakes, bool)> = const { Cell::new((std::ptr::null(), false)) };
}

impl Wakes {
    /// Looks at the connection; `waker` is one of this.
    pub fn poll<C: Future>(
        &self,
        connection: Pin<&mut C>,
        waker: &Waker,
        cx: &mut Context<'_>,
    ) -> Poll<C::Output> {
        self.task.register(cx.waker());
        connection.poll(&mut Context::from_waker(waker))
    }

    pub fn body(self: &Arc<Self>, body: Incoming) -> RequestBody {
        RequestBody {
            body,
            wakes: Arc::clone(self),
        }
    }

    /// Takes a piece; `take` also tells whether nothing follows it, so that nobody need be woken for it.
    fn take<T>(&self, take: impl FnOnce() -> (T, bool)) -> T {
        TAKING.set((self, false));
        let (taken, is_last) = take();
        let (_, has_woken) = TAKING.replace((std::ptr::null(), false));
        if has_woken && !is_last {
            self.task.wake();
        }
        taken
    }
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // What happens on other threads meanwhile is something else.
        match TAKING.get() {
            (taken, _) if std::ptr::eq(taken, &**self) => TAKING.set((taken, true)),
            _ => self.task.wake(),
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Self { body, wakes } = &mut *self;
        wakes.take(|| {
            let frame = Pin::new(&mut *body).poll_frame(cx);
            let is_last = matches!(frame, Poll::Ready(Some(Ok(_)))) && body.is_end_stream();
            (frame, is_last)
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts how often it is woken.
    #[derive(Default)]
    struct Task(AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn only_the_wakes_of_the_last_piece_are_left_out() {
        let task = Arc::new(Task::default());
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let woken = |during: &dyn Fn(), is_last: bool| {
            wakes.task.register(&Waker::from(Arc::clone(&task)));
            wakes.take(|| (during(), is_last));
            task.0.swap(0, Ordering::SeqCst)
        };
        let here = || waker.wake_by_ref();
        let elsewhere = || std::thread::scope(|scope| drop(scope.spawn(|| waker.wake_by_ref())));
        let another = || Waker::from(Arc::new(Wakes::default())).wake();
        assert_eq!(woken(&|| {}, false), 0);
        assert_eq!(woken(&here, true), 0);
        assert_eq!(woken(&here, false), 1);
        assert_eq!(woken(&elsewhere, true), 1);
        assert_eq!(woken(&another, true), 0);
        wakes.task.register(&Waker::from(Arc::clone(&task)));
        waker.wake();
        assert_eq!(task.0.load(Ordering::SeqCst), 1);
    }
}
