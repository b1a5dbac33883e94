//! `/requests`

use app::api::list::List;
use app::api::request::{RequestFilter, RequestRecord};
use axum::Json;
use axum::extract::State;

use super::input::FilterQuery;
use super::refused::{ErrorBody, Refused};
use crate::server::AppState;

/// The latest requests, newest first: where each went and why.
#[utoipa::path(
    get, path = "/requests", tag = "requests", params(RequestFilter),
    security(("api_key" = []), ("session" = [])),
    responses(
        (status = 200, body = List<RequestRecord>),
        (status = 422, description = "Fields need attention", body = ErrorBody),
    ),
)]
pub(super) async fn list(
    State(state): State<AppState>,
    FilterQuery(filter): FilterQuery,
) -> Result<Json<List<RequestRecord>>, Refused> {
    Ok(Json(state.inspector.requests(&filter).await?))
}
