//! Reading a request's body: whole, within its limit, out of the shared budget, and never for longer
//! than its client keeps sending.

use std::time::Duration;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use http::{HeaderMap, Method, StatusCode, header};
use tokio::io::{AsyncRead, BufReader};
use tokio_util::io::{ReaderStream, StreamReader};

use super::budget::{BufferBudget, BufferLease};
use super::error::GatewayError;

/// A body that stops sending for so long is given up.
const IDLE: Duration = Duration::from_secs(30);

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

/// What a request's headers already say about its body.
pub fn check_headers(headers: &HeaderMap, limit: u64) -> Result<(), GatewayError> {
    let length = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit) {
        return Err(too_large(limit));
    }
    if let Some(content_type) = headers.get(header::CONTENT_TYPE)
        && !is_json(content_type.as_bytes())
    {
        return Err(GatewayError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "This endpoint takes JSON: send the header `Content-Type: application/json`.",
        ));
    }
    let encoding = headers
        .get(header::CONTENT_ENCODING)
        .map(|value| value.as_bytes().to_ascii_lowercase());
    match encoding.as_deref() {
        None | Some(b"identity" | b"gzip" | b"deflate" | b"br" | b"zstd") => Ok(()),
        Some(_) => Err(GatewayError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_encoding",
            "The body's Content-Encoding is not one of gzip, deflate, br and zstd. Send it in one of these, or plain.",
        )),
    }
}

/// Reads the whole body, decoded if it was compressed; `limit` counts decoded bytes.
pub async fn read(
    headers: &HeaderMap,
    body: Body,
    limit: u64,
    budget: &BufferBudget,
) -> Result<Buffered, GatewayError> {
    let mut frames = decoded(headers, body);
    let mut lease = budget.lease();
    // Most bodies come in one piece, which is then used as it is; only more pieces are put together.
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    loop {
        let next = tokio::time::timeout(IDLE, frames.next())
            .await
            .map_err(|_| {
                GatewayError::new(
                    StatusCode::REQUEST_TIMEOUT,
                    "body_timeout",
                    format!(
                        "The body stopped for {} seconds before it was complete.",
                        IDLE.as_secs()
                    ),
                )
            })?;
        let Some(piece) = next else { break };
        let piece = piece.map_err(|error| {
            tracing::debug!(
                error = &*error as &dyn std::error::Error,
                "request body broke off"
            );
            GatewayError::bad_request("broken_body", "The body broke off or could not be decoded.")
        })?;
        let length = (first.len() + rest.len() + piece.len()) as u64;
        if length > limit {
            return Err(too_large(limit));
        }
        if !lease.grow(piece.len() as u64) {
            return Err(GatewayError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "Too many request bodies are held in memory right now. Try again in a second.",
            )
            .retry_after(1));
        }
        if first.is_empty() {
            first = piece;
        } else {
            rest.extend_from_slice(&piece);
        }
    }
    let bytes = if rest.is_empty() {
        first
    } else {
        joined(&first, rest)
    };
    Ok(Buffered { bytes, lease })
}

type Pieces = BoxStream<'static, Result<Bytes, Box<dyn std::error::Error + Send + Sync>>>;

/// The body as the client meant it: decompressed where it says so. The headers were checked before.
fn decoded(headers: &HeaderMap, body: Body) -> Pieces {
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

fn joined(first: &Bytes, rest: BytesMut) -> Bytes {
    let mut whole = BytesMut::with_capacity(first.len() + rest.len());
    whole.extend_from_slice(first);
    whole.unsplit(rest);
    whole.freeze()
}

fn too_large(limit: u64) -> GatewayError {
    GatewayError::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "request_too_large",
        format!(
            "The body is larger than {} MiB, the limit of this server (--max-body-mib).",
            limit / (1024 * 1024)
        ),
    )
}

fn is_json(content_type: &[u8]) -> bool {
    let essence = content_type
        .split(|byte| *byte == b';')
        .next()
        .unwrap_or_default()
        .trim_ascii()
        .to_ascii_lowercase();
    essence == b"application/json"
        || (essence.starts_with(b"application/") && essence.ends_with(b"+json"))
}
