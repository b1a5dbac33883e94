//! Reading a request's body: whole, within its limit, out of the shared budget, and never for longer
//! than its client keeps sending.

use std::task::Poll;
use std::time::Duration;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use tokio::io::{AsyncRead, BufReader};
use tokio_util::io::{ReaderStream, StreamReader};

use super::budget::{BufferBudget, BufferLease};
use super::error::GatewayError;
use super::multipart;
use crate::request_id;

/// A body that stops sending for so long is given up.
pub const IDLE: Duration = Duration::from_secs(30);

/// What is read off a refused client's body, so that it gets to read the refusal: closing with unread
/// bytes would reset the connection under it.
const LINGER_BYTES: u64 = 256 * 1024 * 1024;
const LINGER: Duration = Duration::from_secs(5);

/// A body in memory, and what it holds of the budget.
#[derive(Debug)]
pub struct Buffered {
    pub bytes: Bytes,
    pub lease: BufferLease,
}

/// What a body is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Json,
    /// Its parts begin after this boundary.
    Form(Vec<u8>),
}

/// Largest bodies, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub json: u64,
    pub form: u64,
}

impl Limits {
    /// The limit of a kind of body, and the flag that sets it.
    pub fn of(&self, kind: &Kind) -> (u64, &'static str) {
        match kind {
            Kind::Json => (self.json, "--max-body-mib"),
            Kind::Form(_) => (self.form, "--max-form-mib"),
        }
    }
}

/// The length of a body as decoded, where that is known before it has come: of what was compressed, only the
/// compressed length is.
pub fn expected_length(headers: &HeaderMap) -> Option<u64> {
    announced_length(headers).filter(|_| !headers.contains_key(header::CONTENT_ENCODING))
}

/// The length that a client announces.
pub fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

/// What a request's headers already say about its body.
///
/// # Errors
/// 400 for a form without a boundary, 413, 415.
pub fn check_headers(
    headers: &HeaderMap,
    takes_forms: bool,
    limits: &Limits,
) -> Result<Kind, GatewayError> {
    let mut content_types = headers.get_all(header::CONTENT_TYPE).iter();
    let content_type = content_types.next().map(HeaderValue::as_bytes);
    if content_types.next().is_some() {
        return Err(GatewayError::bad_request(
            "ambiguous_content_type",
            "There is more than one header `Content-Type`. Keep one.",
        ));
    }
    let kind = match content_type {
        None => Kind::Json,
        Some(content_type) if is_json(content_type) => {
            refuse_charset(content_type)?;
            Kind::Json
        }
        Some(content_type) if takes_forms && is_form(content_type) => {
            let boundary = multipart::boundary(content_type).map_err(|problem| {
                GatewayError::bad_request("invalid_form", problem.to_string())
            })?;
            Kind::Form(boundary)
        }
        Some(_) => {
            let takes = match takes_forms {
                true => "a form with files (`Content-Type: multipart/form-data`) or JSON",
                false => "JSON: send the header `Content-Type: application/json`",
            };
            return Err(GatewayError::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                format!("This endpoint takes {takes}."),
            ));
        }
    };
    let (limit, flag) = limits.of(&kind);
    if announced_length(headers).is_some_and(|length| length > limit) {
        return Err(too_large(limit, flag));
    }
    let encoding = headers
        .get(header::CONTENT_ENCODING)
        .map(|value| value.as_bytes().to_ascii_lowercase());
    match encoding.as_deref() {
        None | Some(b"identity" | b"gzip" | b"deflate" | b"br" | b"zstd") => Ok(kind),
        Some(_) => Err(GatewayError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_encoding",
            "The body's Content-Encoding is not one of gzip, deflate, br and zstd. Send it in one of these, or plain.",
        )),
    }
}

/// Reads a whole body; `limit` counts its bytes as decoded, `expected` are those that it will have, as far as
/// that is known.
pub async fn read(
    mut pieces: Pieces,
    expected: Option<u64>,
    limit: u64,
    budget: &BufferBudget,
) -> Result<Buffered, GatewayError> {
    let mut lease = budget.lease();
    // Most bodies come in one piece, which is then used as it is; only more pieces are put together.
    let mut only = Bytes::new();
    let mut whole = BytesMut::new();
    while let Some(piece) = next_piece(&mut pieces, IDLE).await? {
        let length = (only.len() + whole.len() + piece.len()) as u64;
        if length > limit {
            return Err(too_large(limit, "--max-body-mib"));
        }
        if !lease.grow(piece.len() as u64) {
            return Err(no_room());
        }
        if only.is_empty() && whole.is_empty() {
            only = piece;
            continue;
        }
        if whole.is_empty() {
            // Room that nothing is written to yet is none of the memory's.
            let room = expected.unwrap_or_default().clamp(length, limit);
            whole.reserve(usize::try_from(room).unwrap_or_default());
            whole.extend_from_slice(&std::mem::take(&mut only));
        }
        whole.extend_from_slice(&piece);
    }
    let bytes = match whole.is_empty() {
        true => only,
        false => whole.freeze(),
    };
    Ok(Buffered { bytes, lease })
}

/// The next piece of a body; nothing at its end.
///
/// # Errors
/// 408 when it stops for too long, 400 when it breaks off.
pub async fn next_piece(
    pieces: &mut Pieces,
    idle: Duration,
) -> Result<Option<Bytes>, GatewayError> {
    let mut next = pieces.next();
    // What is there needs no timer, as most do not.
    let next = match futures_util::poll!(&mut next) {
        Poll::Ready(next) => Ok(next),
        Poll::Pending => tokio::time::timeout(idle, next).await,
    };
    let next = next.map_err(|_| {
        GatewayError::new(
            StatusCode::REQUEST_TIMEOUT,
            "body_timeout",
            format!(
                "The body stopped for {} seconds before it was complete.",
                idle.as_secs()
            ),
        )
    })?;
    next.transpose().map_err(|error| {
        request_id::span().in_scope(|| {
            tracing::debug!(
                error = &*error as &dyn std::error::Error,
                "request body broke off"
            );
        });
        GatewayError::bad_request("broken_body", "The body broke off or could not be decoded.")
    })
}

/// A body as it arrives.
pub type Pieces = BoxStream<'static, Result<Bytes, Box<dyn std::error::Error + Send + Sync>>>;

/// The body as the client meant it: decompressed where it says so. The headers were checked before.
pub fn decoded(headers: &HeaderMap, body: Body) -> Pieces {
    let encoding = headers
        .get(header::CONTENT_ENCODING)
        .map(|value| value.as_bytes().to_ascii_lowercase());
    let pieces = body.into_data_stream();
    let Some(encoding) = encoding.filter(|encoding| encoding != b"identity") else {
        return pieces.map_err(Into::into).boxed();
    };
    let compressed = BufReader::new(StreamReader::new(pieces.map_err(std::io::Error::other)));
    match encoding.as_slice() {
        b"gzip" => from_reader(GzipDecoder::new(compressed)),
        b"deflate" => from_reader(ZlibDecoder::new(compressed)),
        b"br" => from_reader(BrotliDecoder::new(compressed)),
        _ => from_reader(ZstdDecoder::new(compressed)),
    }
}

fn from_reader(reader: impl AsyncRead + Send + 'static) -> Pieces {
    ReaderStream::with_capacity(reader, 64 * 1024)
        .map_err(Into::into)
        .boxed()
}

/// Keeps reading a refused body for a little while and throws it away.
pub fn linger(method: &Method, headers: &HeaderMap, body: Body) {
    let waits_for_leave_to_send = headers.contains_key(header::EXPECT);
    if method == Method::GET || waits_for_leave_to_send {
        return;
    }
    tokio::spawn(async move {
        let drain = async {
            let mut frames = body.into_data_stream();
            let mut read = 0;
            while let Some(Ok(piece)) = frames.next().await {
                read += piece.len() as u64;
                if read > LINGER_BYTES {
                    return;
                }
            }
        };
        // Running out of time is the purpose of the timeout, not a failure.
        let _ = tokio::time::timeout(LINGER, drain).await;
    });
}

/// All that may be held for bodies is held.
pub fn no_room() -> GatewayError {
    GatewayError::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "busy",
        "Too many request bodies are held right now. Try again in a second.",
    )
    .retry_after(1)
}

pub fn too_large(limit: u64, flag: &str) -> GatewayError {
    GatewayError::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "request_too_large",
        format!(
            "The body is larger than {} MiB, the limit of this server ({flag}).",
            limit / (1024 * 1024)
        ),
    )
}

fn is_json(content_type: &[u8]) -> bool {
    let essence = essence(content_type);
    essence == b"application/json"
        || (essence.starts_with(b"application/") && essence.ends_with(b"+json"))
}

/// JSON is UTF-8. In another encoding an upstream would read other keys than are seen here.
fn refuse_charset(content_type: &[u8]) -> Result<(), GatewayError> {
    let mut parameters = content_type.split(|byte| *byte == b';').skip(1);
    let is_other = |parameter: &[u8]| {
        let parameter = parameter.trim_ascii().to_ascii_lowercase();
        let Some(value) = parameter.strip_prefix(b"charset") else {
            return false;
        };
        let value: Vec<u8> = value
            .iter()
            .copied()
            .filter(|byte| !b"=\" \t".contains(byte))
            .collect();
        value != b"utf-8" && value != b"utf8"
    };
    match parameters.any(is_other) {
        false => Ok(()),
        true => Err(GatewayError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_charset",
            "JSON is taken in UTF-8 only: leave `charset` out of the Content-Type.",
        )),
    }
}

fn is_form(content_type: &[u8]) -> bool {
    essence(content_type) == b"multipart/form-data"
}

/// Type and subtype, without parameters.
fn essence(content_type: &[u8]) -> Vec<u8> {
    let essence = content_type.split(|byte| *byte == b';').next();
    essence
        .unwrap_or_default()
        .trim_ascii()
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    #[tokio::test]
    async fn pieces_are_put_together_whatever_length_was_announced() {
        let body: Vec<u8> = (0..=255).cycle().take(300_000).collect();
        let length = body.len() as u64;
        for announced in [None, Some(1), Some(length), Some(u64::MAX)] {
            for size in [length as usize, 64 * 1024, 70_001] {
                let pieces: Vec<_> = body
                    .chunks(size)
                    .map(|piece| Ok(Bytes::copy_from_slice(piece)))
                    .collect();
                let budget = BufferBudget::new(length);
                let pieces = stream::iter(pieces).boxed();
                let buffered = read(pieces, announced, length, &budget).await.unwrap();
                assert!(buffered.bytes == body, "{announced:?} in pieces of {size}");
                assert!(!budget.lease().grow(1), "all of it is held");
            }
        }
    }

    #[test]
    fn json_is_utf_8() {
        let limits = Limits { json: 1, form: 1 };
        let status = |content_type: &'static str| {
            let value = HeaderValue::from_static(content_type);
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, value)]);
            let checked = check_headers(&headers, false, &limits);
            checked.map_or_else(|error| error.status.as_u16(), |_| 200)
        };
        let table = [
            ("application/json", 200),
            ("application/json; charset=utf-8", 200),
            ("application/json;charset=\"UTF-8\"", 200),
            ("Application/JSON ; Charset = utf8; x=y", 200),
            ("application/vnd.api+json; profile=charset", 200),
            ("application/json; charset=utf-7", 415),
            ("application/json; x=y; CHARSET='utf-16'", 415),
            ("application/json; charset", 415),
            ("text/plain", 415),
        ];
        for (content_type, expected) in table {
            assert_eq!(status(content_type), expected, "{content_type}");
        }
    }
}
