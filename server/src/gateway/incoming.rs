//! Reading as much of a request's body as it takes to know its route.

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use super::body::{self, Kind};
use super::error::GatewayError;
use super::form::Form;
use super::payload::Payload;
use super::peek::{self, Peek};
use super::spool::Spool;
use super::{Gateway, off_async_if_large};

/// A request that names its route.
#[derive(Debug)]
pub struct Incoming {
    /// The route's name.
    pub model: String,
    /// How many levels a JSON body is nested.
    pub depth: usize,
    pub payload: Payload,
}

impl Incoming {
    /// # Errors
    /// 400 for what is no JSON or no form, or has no `model` or two; 408, 413, 503.
    pub async fn read(
        gateway: &Gateway,
        headers: &HeaderMap,
        kind: Kind,
        body: Body,
    ) -> Result<Self, GatewayError> {
        let (limit, _) = gateway.settings.limits.of(&kind);
        let pieces = body::decoded(headers, body);
        match kind {
            Kind::Json => {
                let expected = body::expected_length(headers);
                let buffered = body::read(pieces, expected, limit, &gateway.budget).await?;
                let peek = peek(&buffered.bytes).await?;
                Ok(Self {
                    model: peek.model,
                    depth: peek.depth,
                    payload: Payload::Json {
                        bytes: buffered.bytes,
                        model_span: peek.model_span,
                        ask_usage: peek.ask_usage,
                        lease: buffered.lease,
                    },
                })
            }
            Kind::Form(boundary) => {
                let spool = Spool::new(gateway.budget.lease(), gateway.disk_budget.lease());
                let length = body::expected_length(headers);
                let form = Form::open(&boundary, pieces, spool, length, limit, body::IDLE);
                let form = Box::pin(form).await?;
                Ok(Self {
                    model: form.model().to_owned(),
                    depth: 0,
                    payload: Payload::Form(Arc::new(form)),
                })
            }
        }
    }
}

async fn peek(bytes: &Bytes) -> Result<Peek, GatewayError> {
    off_async_if_large(bytes, peek::peek)
        .await
        .unwrap_or_else(|_| {
            Err(GatewayError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "The body could not be looked at; this is a fault of Signalbox.",
            ))
        })
}
