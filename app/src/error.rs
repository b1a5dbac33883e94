//! The one error that a page, a script or a form sees.

use std::collections::BTreeMap;

use leptos::prelude::{FromServerFnError, ServerFnErrorErr};
use serde::{Deserialize, Serialize};

use crate::json::JsonText;

/// What kind of refusal it is; decides the HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// 400: the request cannot be read at all.
    Malformed,
    /// 401: nobody is signed in, or the key is not known.
    Unauthenticated,
    /// 403: known, but not allowed.
    Forbidden,
    /// 404
    NotFound,
    /// 409: the name is taken, or the thing is still in use.
    Conflict,
    /// 412: edited meanwhile; read again and repeat.
    Stale,
    /// 413
    TooLarge,
    /// 422: some fields are wrong; `fields` says which.
    Invalid,
    /// 429: too many tries.
    Throttled,
    /// 500: our fault.
    Internal,
    /// 502: a provider did not do what was asked of it.
    Upstream,
    /// 503: the database cannot be reached or written.
    Unavailable,
}

impl ErrorCode {
    /// The HTTP status it is answered with.
    pub fn status(self) -> u16 {
        match self {
            Self::Malformed => 400,
            Self::Unauthenticated => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::Conflict => 409,
            Self::Stale => 412,
            Self::TooLarge => 413,
            Self::Invalid => 422,
            Self::Throttled => 429,
            Self::Internal => 500,
            Self::Upstream => 502,
            Self::Unavailable => 503,
        }
    }
}

/// A refusal: what is wrong and what to do, by field where there is a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[error("{message}")]
pub struct ApiError {
    pub code: ErrorCode,
    /// A sentence for a person.
    pub message: String,
    /// Field path (`targets[1].weight`) to what is wrong with it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
    /// For `throttled`: seconds until another try makes sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
}

impl ApiError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            fields: BTreeMap::new(),
            retry_after_s: None,
        }
    }

    /// 422 with one wrong field.
    pub fn invalid_field(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::invalid(BTreeMap::from([(path.into(), problem.into())]))
    }

    /// 422 with the wrong fields.
    pub fn invalid(fields: BTreeMap<String, String>) -> Self {
        let message = match fields.iter().next() {
            Some((path, problem)) if fields.len() == 1 => format!("{path}: {problem}"),
            _ => format!("{} fields need attention.", fields.len()),
        };
        Self {
            code: ErrorCode::Invalid,
            message,
            fields,
            retry_after_s: None,
        }
    }
}

impl FromServerFnError for ApiError {
    type Encoder = JsonText;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        let code = match error {
            ServerFnErrorErr::Args(_) | ServerFnErrorErr::MissingArg(_) => ErrorCode::Malformed,
            ServerFnErrorErr::Request(_) => ErrorCode::Unavailable,
            _ => ErrorCode::Internal,
        };
        Self::new(code, error.to_string())
    }
}
