//! A request of this page, and its answer as it comes. Dropping it gives the request up.

// The server renders the page, but nobody talks to anyone there.
#![cfg_attr(not(feature = "hydrate"), allow(dead_code))]

use uuid::Uuid;

#[cfg(feature = "hydrate")]
mod browser;
#[cfg(feature = "hydrate")]
pub(super) use browser::call;

/// Names the request in its answer.
#[cfg(feature = "hydrate")]
const REQUEST_ID: &str = "x-signalbox-request-id";

pub(super) struct Call {
    /// Of this site.
    pub path: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

pub(super) enum Came {
    Head(Head),
    /// More of the body.
    Bytes(Vec<u8>),
}

/// What is known before the first byte of the body.
pub(super) struct Head {
    pub status: u16,
    /// Whether the body is a stream of events.
    pub is_stream: bool,
    pub request: Option<Uuid>,
}

/// It could not be sent, or its answer could not be read to the end.
#[derive(Debug)]
pub(super) struct Lost;

#[cfg(not(feature = "hydrate"))]
pub(super) async fn call(_call: Call, _came: impl FnMut(Came)) -> Result<(), Lost> {
    Err(Lost)
}
