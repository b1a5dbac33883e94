//! `/keys`

use app::api::key::{Key, KeyDraft, NewKey};
use app::api::list::{List, Page};
use axum::Json;
use axum::extract::State;
use http::{HeaderValue, StatusCode, header};

use super::body::JsonBody;
use super::input::{Id, PageQuery};
use super::refused::{ErrorBody, Refused};
use crate::server::AppState;

/// All API keys, by name, without their secrets.
#[utoipa::path(
    get, path = "/keys", tag = "keys", params(Page), security(("api_key" = []), ("session" = [])),
    responses((status = 200, body = List<Key>)),
)]
pub(super) async fn list(
    State(state): State<AppState>,
    PageQuery(page): PageQuery,
) -> Result<Json<List<Key>>, Refused> {
    Ok(Json(state.admin.list_keys(page).await?))
}

/// Make an API key. Its secret is in this answer and nowhere else.
#[utoipa::path(
    post, path = "/keys", tag = "keys", request_body = KeyDraft, security(("api_key" = []), ("session" = [])),
    responses(
        (status = 201, body = NewKey),
        (status = 422, description = "Fields need attention", body = ErrorBody),
    ),
)]
pub(super) async fn create(
    State(state): State<AppState>,
    JsonBody(draft): JsonBody<KeyDraft>,
) -> Result<
    (
        StatusCode,
        [(header::HeaderName, HeaderValue); 1],
        Json<NewKey>,
    ),
    Refused,
> {
    let key = state.admin.create_key(draft).await?;
    Ok((
        StatusCode::CREATED,
        [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
        Json(key),
    ))
}

/// Delete an API key; it stops working at once.
#[utoipa::path(
    delete, path = "/keys/{id}", tag = "keys", params(("id" = Uuid, Path)), security(("api_key" = []), ("session" = [])),
    responses((status = 204), (status = 404, body = ErrorBody)),
)]
pub(super) async fn delete(
    State(state): State<AppState>,
    Id(id): Id,
) -> Result<StatusCode, Refused> {
    state.admin.delete_key(id).await?;
    Ok(StatusCode::NO_CONTENT)
}
