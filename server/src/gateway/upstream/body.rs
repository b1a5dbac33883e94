//! An answer's body as it comes from an upstream.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::host::Arriving;
use super::{BoxError, Flowing};

#[derive(Debug)]
pub struct ResponseBody(Source);

#[derive(Debug)]
enum Source {
    Host(Arriving),
    Pooled(Incoming),
    Other(Flowing),
}

impl From<Arriving> for ResponseBody {
    fn from(body: Arriving) -> Self {
        Self(Source::Host(body))
    }
}

impl From<Incoming> for ResponseBody {
    fn from(body: Incoming) -> Self {
        Self(Source::Pooled(body))
    }
}

impl From<Flowing> for ResponseBody {
    fn from(body: Flowing) -> Self {
        Self(Source::Other(body))
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut self.0 {
            Source::Host(body) => body
                .poll_piece(cx)
                .map(|piece| piece.map(|piece| piece.map(Frame::data))),
            Source::Pooled(body) => Pin::new(body)
                .poll_frame(cx)
                .map(|frame| frame.map(|frame| frame.map_err(Into::into))),
            Source::Other(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Source::Host(body) => body.framing().is_ended(),
            Source::Pooled(body) => body.is_end_stream(),
            Source::Other(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Source::Host(body) => body
                .framing()
                .left()
                .map_or_else(SizeHint::default, SizeHint::with_exact),
            Source::Pooled(body) => body.size_hint(),
            Source::Other(body) => body.size_hint(),
        }
    }
}
