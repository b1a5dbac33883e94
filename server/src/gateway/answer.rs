//! An upstream's answer on its way to the client: every frame as it came, as it comes.

use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use super::inflight::Inflight;

/// Passes an upstream's body on, frame by frame, and gives it up when it falls silent for too long.
///
/// A body that breaks off or falls silent ends in an error, never in an ending of our own making: the
/// server then cuts the connection (or resets the stream), so that the client sees the answer is broken.
pub struct AnswerBody {
    upstream: reqwest::Body,
    idle: Duration,
    silence: Pin<Box<Sleep>>,
    /// Counts the request until the body is dropped, which is after its last byte.
    inflight: Inflight,
}

/// Why an answer broke off after it had begun.
#[derive(Debug, thiserror::Error)]
pub enum BrokenAnswer {
    #[error("the upstream's answer broke off")]
    Upstream(#[source] reqwest::Error),
    #[error("the upstream fell silent for {0:?}")]
    Silent(Duration),
}

impl AnswerBody {
    pub fn new(upstream: reqwest::Body, idle: Duration, inflight: Inflight) -> Self {
        Self {
            upstream,
            idle,
            silence: Box::pin(tokio::time::sleep(idle)),
            inflight,
        }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = BrokenAnswer;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenAnswer>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.upstream).poll_frame(cx) {
            this.silence.as_mut().reset(Instant::now() + this.idle);
            let broken = |error| {
                this.inflight.failed("broke off in the middle of an answer");
                BrokenAnswer::Upstream(error)
            };
            return Poll::Ready(frame.map(|frame| frame.map_err(broken)));
        }
        ready!(this.silence.as_mut().poll(cx));
        this.inflight
            .failed("fell silent in the middle of an answer");
        Poll::Ready(Some(Err(BrokenAnswer::Silent(this.idle))))
    }

    fn is_end_stream(&self) -> bool {
        self.upstream.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.upstream.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use http_body_util::BodyExt;

    use super::*;
    use crate::gateway::inflight::Loads;

    #[tokio::test(start_paused = true)]
    async fn a_silent_upstream_ends_in_an_error_and_a_flowing_one_never_does() {
        let instance = Loads::default().instance(uuid::Uuid::nil(), "http://h/v1");
        let inflight = || Inflight::begin(&instance, &instance.model("m"));
        let flowing = stream::unfold(0, |n| async move {
            tokio::time::sleep(Duration::from_secs(9)).await;
            (n < 50).then(|| (Ok::<_, std::io::Error>(Bytes::from_static(b"x")), n + 1))
        });
        let idle = Duration::from_secs(10);
        let body = AnswerBody::new(reqwest::Body::wrap_stream(flowing), idle, inflight());
        assert_eq!(instance.inflight(), 1);
        assert_eq!(body.collect().await.unwrap().to_bytes().len(), 50);

        let silent = stream::pending::<Result<Bytes, std::io::Error>>();
        let body = AnswerBody::new(reqwest::Body::wrap_stream(silent), idle, inflight());
        assert!(matches!(body.collect().await, Err(BrokenAnswer::Silent(_))));
        assert_eq!(instance.inflight(), 0);
        assert!(instance.last_error().unwrap().contains("fell silent"));
    }
}
