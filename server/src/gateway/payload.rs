//! What a request brings, to be sent upstream as often as it is tried, each time with the model's name of
//! where it goes.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Either;

use super::budget::BufferLease;
use super::error::GatewayError;
use super::form::Form;
use super::splice::{Edit, splice_model};
use super::upstream::RequestBody;

#[derive(Debug)]
pub enum Payload {
    /// Goes as it came.
    Plain(Bytes),
    Json {
        bytes: Bytes,
        model_span: Range<usize>,
        /// How to ask a stream for its usage, where it does not say itself whether it does.
        ask_usage: Option<Edit>,
        /// What the bytes hold of the budget.
        lease: BufferLease,
    },
    Form(Arc<Form>),
}

impl Payload {
    /// `asks_usage` where it can be asked for.
    pub fn with_model(&self, model: &str, asks_usage: bool) -> RequestBody {
        match self {
            Self::Plain(bytes) => Either::Left(bytes.clone().into()),
            Self::Json {
                bytes,
                model_span,
                ask_usage,
                ..
            } => {
                let edit = ask_usage.filter(|_| asks_usage);
                splice_model(bytes, model_span, model, edit)
            }
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

    /// Whether it is a stream that can be asked for its usage.
    pub fn can_ask_usage(&self) -> bool {
        matches!(
            self,
            Self::Json {
                ask_usage: Some(_),
                ..
            }
        )
    }

    /// The JSON that it is.
    pub fn json(&self) -> Option<&Bytes> {
        match self {
            Self::Json { bytes, .. } => Some(bytes),
            Self::Plain(_) | Self::Form(_) => None,
        }
    }
}
