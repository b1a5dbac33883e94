//! What a request brings, to be sent upstream as often as it is tried, each time with the model's name of
//! where it goes.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::budget::BufferLease;
use super::error::GatewayError;
use super::form::Form;
use super::splice::splice_model;

#[derive(Debug)]
pub enum Payload {
    /// Goes as it came.
    Plain(Bytes),
    Json {
        bytes: Bytes,
        model_span: Range<usize>,
        /// What the bytes hold of the budget.
        lease: BufferLease,
    },
    Form(Arc<Form>),
}

impl Payload {
    pub fn with_model(&self, model: &str) -> reqwest::Body {
        match self {
            Self::Plain(bytes) => bytes.clone().into(),
            Self::Json {
                bytes, model_span, ..
            } => splice_model(bytes, model_span, model),
            Self::Form(form) => Arc::clone(form).with_model(model),
        }
    }

    /// Whether it can be sent once more.
    pub async fn can_be_repeated(&self) -> bool {
        match self {
            Self::Plain(_) | Self::Json { .. } => true,
            Self::Form(form) => form.can_be_repeated().await,
        }
    }

    /// What turned out to be wrong with it while it was sent.
    pub fn problem(&self) -> Option<GatewayError> {
        match self {
            Self::Plain(_) | Self::Json { .. } => None,
            Self::Form(form) => form.problem(),
        }
    }

    /// The JSON that it is.
    pub fn json(&self) -> Option<&Bytes> {
        match self {
            Self::Json { bytes, .. } => Some(bytes),
            Self::Plain(_) | Self::Form(_) => None,
        }
    }
}
