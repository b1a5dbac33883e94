//! Who may call the management API: an API key with scope `management`, or a signed-in browser.

use app::api::key::Scope;
use app::error::{ApiError, ErrorCode};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header;

use super::refused::Refused;
use crate::auth::api_key::{KeyProblem, PresentedKey};
use crate::server::AppState;
use crate::snapshot::KeyRefusal;

/// Lets known callers through; a header with a key counts before a cookie.
pub(super) async fn require(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let result = if headers.contains_key(header::AUTHORIZATION) || headers.contains_key("x-api-key")
    {
        check_management_key(&state, headers)
    } else {
        check_session(&state, headers).await
    };
    match result {
        Ok(()) => next.run(request).await,
        Err(error) => Refused(error).into_response(),
    }
}

/// Whether the headers carry a key that may manage; notes its use.
///
/// # Errors
/// 401 without a good key, 403 for one of another scope.
pub(crate) fn check_management_key(
    state: &AppState,
    headers: &http::HeaderMap,
) -> Result<(), ApiError> {
    let snapshot = state.snapshots.load();
    let unknown = |message: &str| ApiError::new(ErrorCode::Unauthenticated, message);
    let presented = PresentedKey::of(headers).map_err(|problem| match problem {
        KeyProblem::Missing => unknown("The key is empty. Send `Authorization: Bearer sb_…`."),
        KeyProblem::Foreign => unknown("This is not a Signalbox key; those start with `sb_`."),
    })?;
    let now = chrono::Utc::now();
    let key = snapshot
        .keys
        .verify(presented, now)
        .map_err(|refusal| match refusal {
            KeyRefusal::Unknown => unknown("This key is not known here, or was deleted."),
            KeyRefusal::Expired => unknown("This key has expired. Make a new one."),
        })?;
    if !key.has(Scope::Management) {
        return Err(ApiError::new(
            ErrorCode::Forbidden,
            "This key may not manage Signalbox: it lacks the scope `management`.",
        ));
    }
    key.used(now);
    Ok(())
}

async fn check_session(state: &AppState, headers: &http::HeaderMap) -> Result<(), ApiError> {
    match state.sessions.signed_in(headers).await? {
        Some(_) => Ok(()),
        None => Err(ApiError::new(
            ErrorCode::Unauthenticated,
            "Nobody is signed in. Send `Authorization: Bearer` with a key of scope `management`, or POST /api/v1/login first.",
        )),
    }
}
