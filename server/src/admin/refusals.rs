//! Refusals that are not about a field.

use app::error::{ApiError, ErrorCode};
use uuid::Uuid;

use crate::store::StoreError;
use crate::vault::VaultError;

impl From<StoreError> for ApiError {
    /// For reads; a write says more by `not_saved`.
    fn from(error: StoreError) -> Self {
        refusal(error, "Routes go on serving as before.")
    }
}

/// What a failed write comes to: whatever happened, the reader learns whether anything was saved.
pub(super) fn not_saved(error: StoreError) -> ApiError {
    match error {
        StoreError::Unsure(_) => refusal(error, "Routes go on serving."),
        _ => refusal(error, "Nothing was saved; routes go on serving as before."),
    }
}

fn refusal(error: StoreError, reassurance: &str) -> ApiError {
    let code = match &error {
        StoreError::NotFound => ErrorCode::NotFound,
        StoreError::Taken { .. } | StoreError::InUse { .. } => ErrorCode::Conflict,
        StoreError::Stale => ErrorCode::Stale,
        StoreError::Other(_) => ErrorCode::Internal,
        _ => ErrorCode::Unavailable,
    };
    match code {
        ErrorCode::Unavailable | ErrorCode::Internal => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the database failed"
            );
            ApiError::new(code, format!("{error} {reassurance}"))
        }
        _ => ApiError::new(code, error.to_string()),
    }
}

impl From<VaultError> for ApiError {
    fn from(error: VaultError) -> Self {
        match error {
            VaultError::Store(error) => error.into(),
            other => {
                tracing::error!(error = &other as &dyn std::error::Error, "the vault failed");
                Self::new(ErrorCode::Internal, format!("{other} Nothing was saved."))
            }
        }
    }
}

/// 404
pub(super) fn no_such(what: &str, id: Uuid) -> ApiError {
    ApiError::new(
        ErrorCode::NotFound,
        format!("There is no {what} with the id {id} (any more)."),
    )
}

/// 412 unless the edit started from what is stored.
pub(super) fn current(what: &str, stored: i64, started_from: i64) -> Result<(), ApiError> {
    if stored == started_from {
        return Ok(());
    }
    Err(ApiError::new(
        ErrorCode::Stale,
        format!(
            "This {what} was edited meanwhile: it is at revision {stored}, and this edit started from \
             {started_from}. Read it again and repeat the change."
        ),
    ))
}

/// 409, at `name` for those who show it beside the field.
pub(super) fn name_taken(error: StoreError, advice: &str) -> ApiError {
    match error {
        StoreError::Taken { what } => {
            let problem = format!("{what} is taken. {advice}");
            let mut refusal = ApiError::new(ErrorCode::Conflict, problem.clone());
            refusal.fields.insert(String::from("name"), problem);
            refusal
        }
        other => not_saved(other),
    }
}
