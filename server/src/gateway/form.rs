//! A request body that is a form with files: `multipart/form-data`.
//!
//! It is read until its field `model` is found, and from then on flows upstream as it arrives, with the
//! model's value replaced and every other byte as it came. What has arrived is kept ([`Spool`]) as long
//! as a further try may need it. The rest is looked at as it passes: a second `model` breaks the request
//! off, as nobody knows which of the two an upstream would go by.

use std::ops::Range;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Either};

use super::body::{self, Pieces};
use super::error::GatewayError;
use super::multipart::Scanner;
use super::spool::{Spool, SpoolError};
use super::upstream::RequestBody;
use crate::request_id;

/// How long a connection that is given up may hold on to the body.
const LET_GO: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub struct Form {
    model: String,
    /// Where the model's value stands.
    model_span: Range<u64>,
    /// What begins a part.
    delimiter: Vec<u8>,
    /// Of the whole body, where the client said so.
    length: Option<u64>,
    // Only one try reads at a time; whoever comes next waits for the piece that is under way.
    source: tokio::sync::Mutex<Source>,
    problem: Mutex<Option<GatewayError>>,
}

struct Source {
    pieces: Pieces,
    scanner: Scanner,
    spool: Spool,
    /// Looked at, but not kept yet: a try that breaks off stops wherever it waits.
    unkept: Option<Bytes>,
    limit: u64,
    idle: Duration,
    ended: bool,
}

/// The body could not be sent to its end; [`Form::problem`] says why.
#[derive(Debug, thiserror::Error)]
#[error("the request's body broke off")]
pub struct Broken;

impl Form {
    /// Reads as far as the field `model`. `length` is the body's, where it is known beforehand.
    ///
    /// # Errors
    /// 400 for what is no form, or has no `model` or two; 408, 413, 503.
    pub async fn open(
        boundary: &[u8],
        pieces: Pieces,
        spool: Spool,
        length: Option<u64>,
        limit: u64,
        idle: Duration,
    ) -> Result<Self, GatewayError> {
        let mut source = Source {
            pieces,
            scanner: Scanner::new(boundary),
            spool,
            unkept: None,
            limit,
            idle,
            ended: false,
        };
        let model = loop {
            if let Some(model) = source.scanner.model() {
                break model.clone();
            }
            if source.next().await?.is_none() {
                return Err(GatewayError::bad_request(
                    "missing_model",
                    "The form has no field `model`. Name the route there.",
                )
                .about("model"));
            }
        };
        Ok(Self {
            model: model.value,
            model_span: model.span,
            delimiter: [b"--", boundary].concat(),
            length,
            source: tokio::sync::Mutex::new(source),
            problem: Mutex::default(),
        })
    }

    /// The route that it names.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// There will be one try only.
    pub async fn is_sent_once(&self) {
        self.source.lock().await.spool.keep_off_the_disk();
    }

    /// Whether all that was sent of it can be sent again.
    pub async fn can_be_repeated(&self) -> bool {
        // Nobody reads between two tries, but a connection may take a moment to let go.
        let source = tokio::time::timeout(LET_GO, self.source.lock()).await;
        source.is_ok_and(|source| source.spool.is_whole())
    }

    /// What turned out to be wrong with it after its model was found.
    pub fn problem(&self) -> Option<GatewayError> {
        let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        problem.clone()
    }

    /// From its first byte, with another name in the place of the model's.
    pub fn with_model(self: Arc<Self>, model: &str) -> RequestBody {
        // The client chooses the boundary; one that stands in the name would cut the name there.
        if memchr::memmem::find(model.as_bytes(), &self.delimiter).is_some() {
            self.fails_by(not_a_form(
                "The form's boundary stands in the name of the model that it goes to. Choose another.",
            ));
            return flowing(stream::iter([Err(Broken)]).boxed(), None);
        }
        let replaced = self.model_span.end - self.model_span.start;
        let length = self.length.and_then(|length| {
            length
                .checked_sub(replaced)?
                .checked_add(model.len() as u64)
        });
        let name = Bytes::copy_from_slice(model.as_bytes());
        let pieces = stream::unfold((self, Some(0), name), |(form, at, name)| async move {
            let at = at?;
            let span = form.model_span.clone();
            if at == span.start {
                return Some((Ok(name.clone()), (form, Some(span.end), name)));
            }
            match form.piece(at).await {
                Ok(None) => None,
                Ok(Some(mut piece)) => {
                    if at < span.start {
                        let before = usize::try_from(span.start - at).unwrap_or(usize::MAX);
                        piece.truncate(before);
                    }
                    let next = at + piece.len() as u64;
                    Some((Ok(piece), (form, Some(next), name)))
                }
                Err(problem) => {
                    form.fails_by(problem);
                    Some((Err(Broken), (form, None, name)))
                }
            }
        });
        flowing(pieces.boxed(), length)
    }

    fn fails_by(&self, problem: GatewayError) {
        let mut slot = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = Some(problem);
    }

    /// What stands at `at`: kept, or as it arrives.
    async fn piece(&self, at: u64) -> Result<Option<Bytes>, GatewayError> {
        let mut source = self.source.lock().await;
        if at >= source.spool.length() {
            return source.next().await;
        }
        match source.spool.read(at).await {
            Ok(Some(piece)) if !piece.is_empty() => Ok(Some(piece)),
            Ok(_) => Err(not_kept(&"it is not there any more")),
            Err(error) => Err(not_kept(&error)),
        }
    }
}

impl Source {
    /// The next piece from the client, looked at and kept. Cancelled, it loses nothing.
    async fn next(&mut self) -> Result<Option<Bytes>, GatewayError> {
        let piece = match self.unkept.take() {
            Some(piece) => piece,
            None => match self.arriving().await? {
                Some(piece) => piece,
                None => return Ok(None),
            },
        };
        self.unkept = Some(piece.clone());
        self.spool
            .append(&piece)
            .await
            .map_err(|error| match error {
                SpoolError::NoRoom => body::no_room(),
                SpoolError::Io(error) => not_kept(&error),
            })?;
        self.unkept = None;
        Ok(Some(piece))
    }

    async fn arriving(&mut self) -> Result<Option<Bytes>, GatewayError> {
        if self.ended {
            return Ok(None);
        }
        let Some(piece) = body::next_piece(&mut self.pieces, self.idle).await? else {
            self.ended = true;
            self.scanner.finish().map_err(not_a_form)?;
            return Ok(None);
        };
        if self.spool.length() + piece.len() as u64 > self.limit {
            return Err(body::too_large(self.limit, "--max-form-mib"));
        }
        self.scanner.push(&piece).map_err(not_a_form)?;
        Ok(Some(piece))
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("spool", &self.spool)
            .finish_non_exhaustive()
    }
}

fn not_a_form(problem: impl std::fmt::Display) -> GatewayError {
    GatewayError::bad_request("invalid_form", problem.to_string())
}

fn not_kept(cause: &dyn std::fmt::Display) -> GatewayError {
    request_id::span().in_scope(|| {
        tracing::error!(%cause, "a request's body could not be kept");
    });
    GatewayError::new(
        http::StatusCode::INTERNAL_SERVER_ERROR,
        "internal",
        "The body could not be kept for another try; the server's log says why.",
    )
}

fn flowing(pieces: BoxStream<'static, Result<Bytes, Broken>>, length: Option<u64>) -> RequestBody {
    let body = FormBody { pieces, length };
    Either::Right(body.map_err(Into::into).boxed_unsync())
}

/// A body whose length may be known.
struct FormBody {
    pieces: BoxStream<'static, Result<Bytes, Broken>>,
    length: Option<u64>,
}

impl Body for FormBody {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let piece = self.pieces.poll_next_unpin(cx);
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        self.length
            .map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::gateway::budget::BufferBudget;

    const BOUNDARY: &[u8] = b"xyz";

    fn form(parts: &[(&str, &str)]) -> String {
        let part = |(head, value): &(&str, &str)| {
            format!("--xyz\r\nContent-Disposition: form-data; {head}\r\n\r\n{value}\r\n")
        };
        parts.iter().map(part).collect::<String>() + "--xyz--\r\n"
    }

    async fn opened(body: &str, cut: usize) -> Result<Arc<Form>, GatewayError> {
        let pieces: Vec<Result<Bytes, _>> = body
            .as_bytes()
            .chunks(cut)
            .map(|piece| Ok(Bytes::copy_from_slice(piece)))
            .collect();
        let budget = BufferBudget::new(1 << 30);
        let form = Form::open(
            BOUNDARY,
            stream::iter(pieces).boxed(),
            Spool::new(budget.lease(), budget.lease()),
            Some(body.len() as u64),
            1 << 25,
            Duration::from_secs(1),
        );
        form.await.map(Arc::new)
    }

    async fn sent(form: &Arc<Form>, model: &str) -> Result<String, GatewayError> {
        let body = Arc::clone(form).with_model(model);
        let length = body.size_hint().exact();
        match body.collect().await {
            Ok(whole) => {
                let whole = whole.to_bytes();
                assert_eq!(
                    length,
                    Some(whole.len() as u64),
                    "the length is known before"
                );
                Ok(String::from_utf8(whole.to_vec()).unwrap())
            }
            Err(_) => Err(form.problem().unwrap()),
        }
    }

    #[tokio::test]
    async fn only_the_models_value_changes_at_every_try() {
        let file = "f\r\n--xy".repeat(300_000);
        let file = ("name=\"file\"; filename=\"a.wav\"", file.as_str());
        let model = ("name=\"model\"", "whisper");
        for parts in [[file, model], [model, file]] {
            let body = form(&parts);
            for cut in [1 << 20, 60_001] {
                let form = opened(&body, cut).await.unwrap();
                assert_eq!(form.model(), "whisper");
                for name in ["a", "whisper-large-v3"] {
                    let expected =
                        body.replace("\r\n\r\nwhisper\r\n", &format!("\r\n\r\n{name}\r\n"));
                    assert!(sent(&form, name).await.unwrap() == expected);
                    assert!(form.can_be_repeated().await);
                }
            }
        }
    }

    #[tokio::test]
    async fn a_try_that_breaks_off_anywhere_loses_nothing() {
        let numbers: String = (0..400_000).map(|number| format!("{number} ")).collect();
        let body = form(&[
            ("name=\"model\"", "whisper"),
            ("name=\"file\"; filename=\"a.wav\"", &numbers),
        ]);
        let form = opened(&body, 1 << 16).await.unwrap();
        for waits in 0..300 {
            let mut broken = Arc::clone(&form).with_model("m");
            let mut has_ended = false;
            for _ in 0..waits % 7 {
                // As often as it has to wait for the disk.
                while !has_ended && let Some(piece) = broken.frame().now_or_never() {
                    has_ended = piece.is_none();
                }
                tokio::time::sleep(Duration::from_micros(50)).await;
            }
            drop(broken);
            assert!(form.can_be_repeated().await);
        }
        let expected = body.replace("\r\n\r\nwhisper\r\n", "\r\n\r\nm\r\n");
        assert!(sent(&form, "m").await.unwrap() == expected);
    }

    #[tokio::test]
    async fn a_long_form_that_is_sent_once_is_not_kept() {
        let file = "f".repeat(3 << 20);
        let body = form(&[
            ("name=\"model\"", "m"),
            ("name=\"file\"; filename=\"a\"", &file),
        ]);
        let form = opened(&body, 1 << 16).await.unwrap();
        form.is_sent_once().await;
        assert!(sent(&form, "m").await.unwrap() == body);
        assert!(!form.can_be_repeated().await);
    }

    #[tokio::test]
    async fn a_second_model_breaks_it_off_wherever_it_stands() {
        let body = form(&[
            ("name=\"model\"", "a"),
            ("name=\"x\"", "1"),
            ("name=\"model\"", "b"),
        ]);
        let form = opened(&body, 10).await.unwrap();
        let problem = sent(&form, "m").await.unwrap_err();
        assert_eq!(
            (problem.status.as_u16(), problem.code),
            (400, "invalid_form")
        );
    }

    #[tokio::test]
    async fn a_boundary_cannot_cut_the_name_it_is_sent_with() {
        let form = opened(&form(&[("name=\"model\"", "a")]), 10).await.unwrap();
        let problem = sent(&form, "qwen--xyz").await.unwrap_err();
        assert_eq!(problem.code, "invalid_form");
    }

    #[tokio::test]
    async fn a_form_without_model_or_end_is_refused() {
        let none = opened(&form(&[("name=\"x\"", "1")]), 10).await.unwrap_err();
        assert_eq!((none.status.as_u16(), none.code), (400, "missing_model"));
        let cut = form(&[("name=\"model\"", "a"), ("name=\"x\"", "1")]);
        let form = opened(&cut[..cut.len() - 12], 10).await.unwrap();
        assert_eq!(sent(&form, "m").await.unwrap_err().code, "invalid_form");
    }
}
