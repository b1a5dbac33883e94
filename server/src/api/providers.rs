//! `/providers`

use app::api::list::{List, Page};
use app::api::provider::{Provider, ProviderDraft, ProviderTest};
use axum::Json;
use axum::extract::State;
use http::StatusCode;

use super::body::JsonBody;
use super::input::{Id, PageQuery};
use super::refused::{ErrorBody, Refused};
use crate::server::AppState;

/// All providers, by name.
#[utoipa::path(
    get, path = "/providers", tag = "providers", params(Page), security(("api_key" = []), ("session" = [])),
    responses((status = 200, body = List<Provider>)),
)]
pub(super) async fn list(
    State(state): State<AppState>,
    PageQuery(page): PageQuery,
) -> Result<Json<List<Provider>>, Refused> {
    Ok(Json(state.admin.list_providers(page).await?))
}

/// Register a provider.
#[utoipa::path(
    post, path = "/providers", tag = "providers", request_body = ProviderDraft, security(("api_key" = []), ("session" = [])),
    responses(
        (status = 201, body = Provider),
        (status = 409, description = "The name is taken", body = ErrorBody),
        (status = 422, description = "Fields need attention", body = ErrorBody),
    ),
)]
pub(super) async fn create(
    State(state): State<AppState>,
    JsonBody(draft): JsonBody<ProviderDraft>,
) -> Result<(StatusCode, Json<Provider>), Refused> {
    Ok((
        StatusCode::CREATED,
        Json(state.admin.create_provider(draft).await?),
    ))
}

/// One provider.
#[utoipa::path(
    get, path = "/providers/{id}", tag = "providers", params(("id" = Uuid, Path)), security(("api_key" = []), ("session" = [])),
    responses((status = 200, body = Provider), (status = 404, body = ErrorBody)),
)]
pub(super) async fn get(
    State(state): State<AppState>,
    Id(id): Id,
) -> Result<Json<Provider>, Refused> {
    Ok(Json(state.admin.get_provider(id).await?))
}

/// Replace a provider. `revision` must be the one that was read.
#[utoipa::path(
    put, path = "/providers/{id}", tag = "providers", params(("id" = Uuid, Path)), request_body = ProviderDraft,
    security(("api_key" = []), ("session" = [])),
    responses(
        (status = 200, body = Provider),
        (status = 404, body = ErrorBody),
        (status = 409, description = "The name is taken, or a route uses what was removed", body = ErrorBody),
        (status = 412, description = "Edited meanwhile", body = ErrorBody),
        (status = 422, description = "Fields need attention", body = ErrorBody),
    ),
)]
pub(super) async fn update(
    State(state): State<AppState>,
    Id(id): Id,
    JsonBody(draft): JsonBody<ProviderDraft>,
) -> Result<Json<Provider>, Refused> {
    Ok(Json(state.admin.update_provider(id, draft).await?))
}

/// Remove a provider that no route uses.
#[utoipa::path(
    delete, path = "/providers/{id}", tag = "providers", params(("id" = Uuid, Path)), security(("api_key" = []), ("session" = [])),
    responses(
        (status = 204),
        (status = 404, body = ErrorBody),
        (status = 409, description = "Routes use it; the message names them", body = ErrorBody),
    ),
)]
pub(super) async fn delete(
    State(state): State<AppState>,
    Id(id): Id,
) -> Result<StatusCode, Refused> {
    state.admin.delete_provider(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Make a real call to every instance.
#[utoipa::path(
    post, path = "/providers/{id}/test", tag = "providers", params(("id" = Uuid, Path)), security(("api_key" = []), ("session" = [])),
    responses((status = 200, body = ProviderTest), (status = 404, body = ErrorBody)),
)]
pub(super) async fn test(
    State(state): State<AppState>,
    Id(id): Id,
) -> Result<Json<ProviderTest>, Refused> {
    Ok(Json(
        state
            .prober
            .test(state.admin.provider_record(id).await?)
            .await?,
    ))
}

/// Names of the models that the upstream itself lists.
#[utoipa::path(
    get, path = "/providers/{id}/upstream-models", tag = "providers", params(("id" = Uuid, Path)),
    security(("api_key" = []), ("session" = [])),
    responses(
        (status = 200, body = List<String>),
        (status = 404, body = ErrorBody),
        (status = 502, description = "The upstream did not list its models; the message says why", body = ErrorBody),
    ),
)]
pub(super) async fn upstream_models(
    State(state): State<AppState>,
    Id(id): Id,
) -> Result<Json<List<String>>, Refused> {
    let items = state
        .prober
        .upstream_models(state.admin.provider_record(id).await?)
        .await?;
    Ok(Json(List { items, next: None }))
}
