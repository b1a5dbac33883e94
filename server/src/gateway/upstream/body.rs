//! An answer's body as it comes from an upstream.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::host::Lease;
use super::{BoxError, Flowing};

#[derive(Debug)]
pub struct ResponseBody {
    frames: Frames,
    /// The connection that it comes over, which is kept when the body is dropped at its end.
    _lease: Option<Lease>,
}

#[derive(Debug)]
enum Frames {
    Arriving(Incoming),
    Other(Flowing),
}

impl ResponseBody {
    pub fn leased(body: Incoming, lease: Lease) -> Self {
        Self {
            frames: Frames::Arriving(body),
            _lease: Some(lease),
        }
    }
}

impl From<Incoming> for ResponseBody {
    fn from(body: Incoming) -> Self {
        Self {
            frames: Frames::Arriving(body),
            _lease: None,
        }
    }
}

impl From<Flowing> for ResponseBody {
    fn from(body: Flowing) -> Self {
        Self {
            frames: Frames::Other(body),
            _lease: None,
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut self.frames {
            Frames::Arriving(body) => Pin::new(body)
                .poll_frame(cx)
                .map(|frame| frame.map(|frame| frame.map_err(Into::into))),
            Frames::Other(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.frames {
            Frames::Arriving(body) => body.is_end_stream(),
            Frames::Other(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.frames {
            Frames::Arriving(body) => body.size_hint(),
            Frames::Other(body) => body.size_hint(),
        }
    }
}
