//! Leaving out a look at a connection that would find nothing.
//!
//! Who takes a piece of a body wakes the connection, so that it reads on. A request that takes the last one does so
//! while the connection works on it, and all of the connection and of the request would be looked at once more,
//! just when an upstream was asked and may want this core.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use bytes::Bytes;
use futures_util::task::AtomicWaker;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

/// Wakes the task of an HTTP/1 connection, but for what is known to be in vain.
#[derive(Debug, Default)]
pub struct Wakes {
    task: AtomicWaker,
    /// A piece of a body is being taken.
    is_taking: AtomicBool,
    meanwhile: AtomicUsize,
}

/// The body of a request that came over the connection.
#[derive(Debug)]
pub struct RequestBody {
    body: Incoming,
    wakes: Arc<Wakes>,
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

    fn begin_taking(&self) {
        self.is_taking.store(true, Ordering::SeqCst);
    }

    /// `in_vain` is how many of the wakes meanwhile are.
    fn end_taking(&self, in_vain: usize) {
        self.is_taking.store(false, Ordering::SeqCst);
        if self.meanwhile.swap(0, Ordering::SeqCst) > in_vain {
            self.task.wake();
        }
    }
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.is_taking.load(Ordering::SeqCst) {
            self.meanwhile.fetch_add(1, Ordering::SeqCst);
            // Still so, or who takes may have counted already.
            if self.is_taking.load(Ordering::SeqCst) {
                return;
            }
        }
        self.task.wake();
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.wakes.begin_taking();
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        let is_last = matches!(frame, Poll::Ready(Some(Ok(_)))) && self.body.is_end_stream();
        self.wakes.end_taking(is_last.into());
        frame
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
    fn only_as_many_wakes_as_are_in_vain_are_left_out() {
        let task = Arc::new(Task::default());
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let woken = |meanwhile: usize, in_vain: usize| {
            wakes.task.register(&Waker::from(Arc::clone(&task)));
            wakes.begin_taking();
            (0..meanwhile).for_each(|_| waker.wake_by_ref());
            wakes.end_taking(in_vain);
            task.0.swap(0, Ordering::SeqCst)
        };
        let table = [
            (0, 0, 0),
            (0, 1, 0),
            (1, 1, 0),
            (1, 0, 1),
            (2, 1, 1),
            (3, 1, 1),
        ];
        for (meanwhile, in_vain, expected) in table {
            assert_eq!(
                woken(meanwhile, in_vain),
                expected,
                "{meanwhile}, {in_vain}"
            );
        }
        wakes.task.register(&Waker::from(Arc::clone(&task)));
        waker.wake();
        assert_eq!(task.0.load(Ordering::SeqCst), 1);
    }
}
