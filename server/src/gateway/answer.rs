//! An upstream's answer on its way to the client: every frame as it came, as it comes.

use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, header};
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use super::encoding::Encoding;
use super::inflight::Inflight;
use super::record::Recording;
use super::response_watch::ResponseWatch;
use super::sse::{self, Boundary};
use super::upstream::{BoxError, ResponseBody};
use super::usage::Copied;
use super::usage_withheld::UsageWithheld;

/// While a stream's upstream is silent, a comment is sent so often: proxies on the way cut what they take
/// for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
const COMMENT: Bytes = Bytes::from_static(b": keep-alive\n\n");

/// Passes an upstream's body on, frame by frame, and gives it up when it falls silent for too long.
///
/// A body that breaks off or falls silent ends in an error, never in an ending of our own making: the
/// server then cuts the connection (or resets the stream), so that the client sees the answer is broken.
pub struct AnswerBody {
    upstream: ResponseBody,
    idle: Duration,
    /// When the upstream is given up.
    deadline: Instant,
    /// Made when the upstream is waited for the first time. It rings too early as a rule, and is then put
    /// forward: cheaper than moving it with every frame.
    wait: Option<Pin<Box<Sleep>>>,
    comments: Option<Comments>,
    /// Counts the request until the body is dropped, which is after its last byte. One that was taken in
    /// is not under way any more.
    inflight: Option<Inflight>,
    /// Of an answer that can be read.
    copied: Option<Copied>,
    withheld: Option<UsageWithheld>,
    /// It broke off, which is told once what came before is on its way.
    broken: Option<BrokenAnswer>,
    passing: Passing,
}

/// What is done beside passing an answer on.
#[derive(Debug)]
pub struct Passing {
    pub recording: Recording,
    /// Whether comments are sent while a stream's upstream is silent.
    pub keep_alive: bool,
    pub response: Option<ResponseWatch>,
}

/// Where and when a stream may get a comment.
struct Comments {
    boundary: Boundary,
    due: Instant,
}

/// Why an answer broke off after it had begun.
#[derive(Debug, thiserror::Error)]
pub enum BrokenAnswer {
    #[error("the upstream's answer broke off")]
    Upstream(#[source] BoxError),
    #[error("the upstream fell silent for {0:?}")]
    Silent(Duration),
}

impl AnswerBody {
    pub fn new(
        upstream: ResponseBody,
        headers: &HeaderMap,
        idle: Duration,
        inflight: Option<Inflight>,
        passing: Passing,
    ) -> Self {
        let now = Instant::now();
        let comments = (passing.keep_alive && takes_comments(headers)).then(|| Comments {
            boundary: Boundary::default(),
            due: now + KEEP_ALIVE,
        });
        Self {
            upstream,
            idle,
            deadline: now + idle,
            wait: None,
            comments,
            inflight,
            copied: Copied::of(headers),
            withheld: None,
            broken: None,
            passing,
        }
    }

    /// Keeps back the event with usage, should it be a stream that can be read; answers whether it is.
    pub fn withhold_usage(&mut self, headers: &HeaderMap) -> bool {
        let is_readable = Encoding::of(headers) == Some(Encoding::Identity);
        self.withheld = (sse::is_event_stream(headers) && is_readable).then(UsageWithheld::default);
        self.withheld.is_some()
    }

    /// The upstream has sent something.
    fn heard(&mut self, piece: &Bytes) {
        if let Some(comments) = &mut self.comments {
            comments.boundary.push(piece);
        }
        if let Some(response) = &mut self.passing.response {
            response.push(piece);
        }
        if let Some(copied) = &mut self.copied {
            copied.push(piece);
        }
        self.passing.recording.note(|record| {
            record.bytes += piece.len() as u64;
            if let Some(bodies) = &mut record.bodies {
                bodies.hear(piece);
            }
        });
    }

    /// The upstream may be silent anew from now on.
    fn put_off(&mut self) {
        let now = Instant::now();
        self.deadline = now + self.idle;
        if let Some(comments) = &mut self.comments {
            comments.due = now + KEEP_ALIVE;
        }
    }

    /// When there is something to do should the upstream stay silent.
    fn next_deadline(&self) -> Instant {
        let comment = self.comments.as_ref().map(|comments| comments.due);
        comment.map_or(self.deadline, |due| due.min(self.deadline))
    }

    /// A comment, if it is time and the stream stands between two events.
    fn comment(&mut self, now: Instant) -> Option<Bytes> {
        let comments = self
            .comments
            .as_mut()
            .filter(|comments| now >= comments.due)?;
        comments.due = now + KEEP_ALIVE;
        let fits = comments.boundary.is_between_events();
        fits.then_some(COMMENT)
    }

    /// What of a frame is passed on, if anything.
    fn passed(&mut self, frame: Frame<Bytes>) -> Option<Frame<Bytes>> {
        let Some(withheld) = &mut self.withheld else {
            return Some(frame);
        };
        match frame.into_data() {
            Ok(data) => {
                let passed = withheld.push(&data);
                (!passed.is_empty()).then(|| Frame::data(passed))
            }
            Err(trailers) => Some(trailers),
        }
    }

    fn ended(&mut self) {
        if let Some(response) = self.passing.response.take() {
            response.finish();
        }
        self.passing.recording.note(|record| record.error = None);
    }

    fn broke(&mut self, why: &'static str) {
        if let Some(inflight) = &self.inflight {
            inflight.failed(why);
        }
        self.passing
            .recording
            .note(|record| record.error = Some(why));
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        // A body of known length is not asked for its end once all of it is there.
        if self.upstream.is_end_stream() {
            self.ended();
        }
        let copied = self.copied.take();
        self.passing.recording.finish(copied);
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
        if let Some(broken) = this.broken.take() {
            return Poll::Ready(Some(Err(broken)));
        }
        loop {
            match Pin::new(&mut this.upstream).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => {
                    this.heard(frame.data_ref().unwrap_or(&Bytes::new()));
                    // Before the client can know, and ask for what follows from it.
                    match this.upstream.is_end_stream() {
                        true => this.ended(),
                        false => this.put_off(),
                    }
                    if let Some(frame) = this.passed(frame) {
                        return Poll::Ready(Some(Ok(frame)));
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    this.broke("broke off in the middle of an answer");
                    this.broken = Some(BrokenAnswer::Upstream(error));
                    // At an error the server drops what it has not sent, which it does when it has to wait.
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Poll::Ready(None) => {
                    this.ended();
                    let rest = this.withheld.take().map(|mut withheld| withheld.rest());
                    let rest = rest.filter(|rest| !rest.is_empty());
                    return Poll::Ready(rest.map(|rest| Ok(Frame::data(rest))));
                }
                Poll::Pending => break,
            }
        }
        loop {
            let next = this.next_deadline();
            let wait = this
                .wait
                .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(next)));
            ready!(wait.as_mut().poll(cx));
            let now = Instant::now();
            if now < next {
                wait.as_mut().reset(next);
                continue;
            }
            if now >= this.deadline {
                this.broke("fell silent in the middle of an answer");
                return Poll::Ready(Some(Err(BrokenAnswer::Silent(this.idle))));
            }
            let comment = this.comment(now);
            let next = this.next_deadline();
            if let Some(wait) = &mut this.wait {
                wait.as_mut().reset(next);
            }
            if let Some(comment) = comment {
                return Poll::Ready(Some(Ok(Frame::data(comment))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        // What is withheld may still have a rest.
        self.withheld.is_none() && self.upstream.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match self.withheld {
            None => self.upstream.size_hint(),
            Some(_) => SizeHint::default(),
        }
    }
}

/// Whether comments could stand in the body without anybody taking them for a part of it: an event stream
/// that is neither compressed nor of announced length.
fn takes_comments(headers: &HeaderMap) -> bool {
    sse::is_event_stream(headers)
        && Encoding::of(headers) == Some(Encoding::Identity)
        && !headers.contains_key(header::CONTENT_LENGTH)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::{Stream, StreamExt, TryStreamExt, stream};
    use http::{HeaderName, HeaderValue};
    use http_body_util::{BodyExt, Empty, StreamBody};
    use uuid::Uuid;

    use super::*;
    use crate::gateway::inflight::{InstanceLoad, Loads};
    use crate::gateway::request_log::tests::Remembering;
    use crate::gateway::request_log::{self, RequestLog};
    use crate::snapshot::CompiledKey;

    const IDLE: Duration = Duration::from_secs(40);

    struct Bench {
        instance: Arc<InstanceLoad>,
        log: Arc<RequestLog>,
        archive: Arc<Remembering>,
    }

    impl Bench {
        fn new() -> Self {
            let (log, archive) = request_log::tests::running();
            Self {
                instance: Loads::default().instance(Uuid::nil(), "http://h/v1"),
                log,
                archive,
            }
        }

        fn body(&self, upstream: ResponseBody, content_type: &'static str) -> AnswerBody {
            let key = Arc::new(CompiledKey::for_tests());
            let passing = Passing {
                recording: Recording::begin(Uuid::now_v7(), "/v1/x", &key, &self.log),
                keep_alive: true,
                response: None,
            };
            let inflight = Inflight::begin(&self.instance, &self.instance.model("m"));
            let content_type = HeaderValue::from_static(content_type);
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, content_type)]);
            AnswerBody::new(upstream, &headers, IDLE, Some(inflight), passing)
        }

        async fn error(&self) -> Option<&'static str> {
            self.log.settled().await;
            self.archive.records().last().unwrap().error
        }
    }

    /// Pieces, each after so many seconds.
    fn paced(pieces: &'static [(u64, &'static str)]) -> ResponseBody {
        let pieces = stream::iter(pieces).then(|(wait_s, piece)| async move {
            tokio::time::sleep(Duration::from_secs(*wait_s)).await;
            Ok::<_, std::io::Error>(Bytes::from_static(piece.as_bytes()))
        });
        body_of(pieces)
    }

    fn body_of(
        pieces: impl Stream<Item = Result<Bytes, std::io::Error>> + Send + 'static,
    ) -> ResponseBody {
        let body = StreamBody::new(pieces.map_ok(Frame::data).map_err(Into::into));
        body.boxed_unsync().into()
    }

    async fn text(body: AnswerBody) -> String {
        let whole = body.collect().await.unwrap().to_bytes();
        String::from_utf8(whole.to_vec()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_upstream_ends_in_an_error_and_a_flowing_one_never_does() {
        let bench = Bench::new();
        let flowing = stream::unfold(0, |n| async move {
            tokio::time::sleep(IDLE - Duration::from_secs(1)).await;
            (n < 50).then(|| (Ok::<_, std::io::Error>(Bytes::from_static(b"x")), n + 1))
        });
        let body = bench.body(body_of(flowing), "application/json");
        assert_eq!(bench.instance.inflight(), 1);
        assert_eq!(text(body).await.len(), 50);
        assert_eq!(bench.error().await, None);

        let silent = stream::pending::<Result<Bytes, std::io::Error>>();
        let body = bench.body(body_of(silent), "text/event-stream");
        let mut frames = body.into_data_stream();
        let mut last = frames.next().await.unwrap();
        while last.is_ok() {
            last = frames.next().await.unwrap();
        }
        assert!(
            matches!(last, Err(BrokenAnswer::Silent(_))),
            "comments or not"
        );
        drop(frames);
        assert_eq!(bench.instance.inflight(), 0);
        assert!(bench.instance.last_error().unwrap().contains("fell silent"));
        assert!(bench.error().await.unwrap().contains("fell silent"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_stream_gets_comments_between_its_events() {
        let bench = Bench::new();
        let thinking: &[_] = &[
            (34, "data: a\n\n"),
            (10, "data: b\n"),
            (20, "\n"),
            (16, "data: c\n\n"),
        ];
        assert_eq!(
            text(bench.body(paced(thinking), "text/event-stream; charset=utf-8")).await,
            ": keep-alive\n\n: keep-alive\n\ndata: a\n\ndata: b\n\n: keep-alive\n\ndata: c\n\n"
        );
        for other in ["application/json", "text/plain", "audio/mpeg"] {
            assert_eq!(text(bench.body(paced(&[(34, "x")]), other)).await, "x");
        }
    }

    #[test]
    fn nothing_is_added_where_it_could_be_taken_for_the_answer() {
        let headers = |lines: &[(&'static str, &'static str)]| -> HeaderMap {
            let line = |(name, value): &(&'static str, &'static str)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            };
            lines.iter().map(line).collect()
        };
        let stream = ("content-type", "text/event-stream");
        assert!(takes_comments(&headers(&[stream])));
        assert!(takes_comments(&headers(&[
            stream,
            ("content-encoding", "identity")
        ])));
        assert!(!takes_comments(&headers(&[
            stream,
            ("content-encoding", "gzip")
        ])));
        assert!(!takes_comments(&headers(&[
            stream,
            ("content-length", "9")
        ])));
        assert!(!takes_comments(&headers(&[])));
    }

    #[tokio::test]
    async fn a_client_that_leaves_is_recorded() {
        let bench = Bench::new();
        let silent = stream::pending::<Result<Bytes, std::io::Error>>();
        drop(bench.body(body_of(silent), "text/event-stream"));
        assert_eq!(bench.error().await, Some("the client left"));
        assert_eq!(bench.instance.inflight(), 0);

        let empty = Empty::new().map_err(|never| match never {});
        drop(bench.body(empty.boxed_unsync().into(), "application/json"));
        assert_eq!(bench.error().await, None, "there was nothing to wait for");
    }
}
