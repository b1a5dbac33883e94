//! Refusals as `{"error":{"code","message","fields"}}` with the status that belongs to the code.

use app::error::{ApiError, ErrorCode};
use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, Method, StatusCode, Uri, header};
use serde::Serialize;
use utoipa::ToSchema;

/// A refusal as an answer.
#[derive(Debug)]
pub(super) struct Refused(pub ApiError);

/// The body of every refusal.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ErrorBody {
    error: ApiError,
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let retry_after = self.0.retry_after_s;
        let mut response = (status(self.0.code), Json(ErrorBody { error: self.0 })).into_response();
        if let Some(seconds) = retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// The status that belongs to the code.
pub fn status(code: ErrorCode) -> StatusCode {
    StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

pub(super) async fn no_such_call(uri: Uri) -> Refused {
    Refused(ApiError::new(
        ErrorCode::NotFound,
        format!(
            "There is no {} here. GET /api/v1/openapi.json lists what there is.",
            uri.path()
        ),
    ))
}

pub(super) async fn wrong_method(method: Method, uri: Uri) -> Response {
    let error = ApiError::new(
        ErrorCode::Malformed,
        format!(
            "{} does not take {method}. GET /api/v1/openapi.json lists what it takes.",
            uri.path()
        ),
    );
    (StatusCode::METHOD_NOT_ALLOWED, Json(ErrorBody { error })).into_response()
}
