//! `/routes`

use app::api::explain::{Explanation, Question};
use app::api::list::{List, Page};
use app::api::request::{WhatIf, WhatIfAnswer};
use app::api::route::Route;
use axum::Json;
use axum::extract::State;
use http::StatusCode;
use routing::RouteDraft;

use super::body::JsonBody;
use super::input::{Id, PageQuery};
use super::refused::{ErrorBody, Refused};
use crate::server::AppState;

/// All routes, by name.
#[utoipa::path(
    get, path = "/routes", tag = "routes", params(Page), security(("api_key" = []), ("session" = [])),
    responses((status = 200, body = List<Route>)),
)]
pub(super) async fn list(
    State(state): State<AppState>,
    PageQuery(page): PageQuery,
) -> Result<Json<List<Route>>, Refused> {
    Ok(Json(state.admin.list_routes(page).await?))
}

/// Add a route.
#[utoipa::path(
    post, path = "/routes", tag = "routes", request_body = RouteDraft, security(("api_key" = []), ("session" = [])),
    responses(
        (status = 201, body = Route),
        (status = 409, description = "The name is taken", body = ErrorBody),
        (status = 422, description = "Fields need attention", body = ErrorBody),
    ),
)]
pub(super) async fn create(
    State(state): State<AppState>,
    JsonBody(draft): JsonBody<RouteDraft>,
) -> Result<(StatusCode, Json<Route>), Refused> {
    Ok((
        StatusCode::CREATED,
        Json(state.admin.create_route(draft).await?),
    ))
}

/// One route.
#[utoipa::path(
    get, path = "/routes/{id}", tag = "routes", params(("id" = Uuid, Path)), security(("api_key" = []), ("session" = [])),
    responses((status = 200, body = Route), (status = 404, body = ErrorBody)),
)]
pub(super) async fn get(State(state): State<AppState>, Id(id): Id) -> Result<Json<Route>, Refused> {
    Ok(Json(state.admin.get_route(id).await?))
}

/// Replace a route. `revision` must be the one that was read.
#[utoipa::path(
    put, path = "/routes/{id}", tag = "routes", params(("id" = Uuid, Path)), request_body = RouteDraft,
    security(("api_key" = []), ("session" = [])),
    responses(
        (status = 200, body = Route),
        (status = 404, body = ErrorBody),
        (status = 409, description = "The name is taken", body = ErrorBody),
        (status = 412, description = "Edited meanwhile", body = ErrorBody),
        (status = 422, description = "Fields need attention", body = ErrorBody),
    ),
)]
pub(super) async fn update(
    State(state): State<AppState>,
    Id(id): Id,
    JsonBody(draft): JsonBody<RouteDraft>,
) -> Result<Json<Route>, Refused> {
    Ok(Json(state.admin.update_route(id, draft).await?))
}

/// Remove a route.
#[utoipa::path(
    delete, path = "/routes/{id}", tag = "routes", params(("id" = Uuid, Path)), security(("api_key" = []), ("session" = [])),
    responses(
        (status = 204),
        (status = 404, body = ErrorBody),
        (status = 409, description = "API keys are limited to it; the message names them", body = ErrorBody),
    ),
)]
pub(super) async fn delete(
    State(state): State<AppState>,
    Id(id): Id,
) -> Result<StatusCode, Refused> {
    state.admin.delete_route(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The ranking that a request would get. Nothing is sent to a target and no counter moves.
#[utoipa::path(
    post, path = "/routes/{id}/explain", tag = "routes", params(("id" = Uuid, Path)), request_body = Question,
    security(("api_key" = []), ("session" = [])),
    responses(
        (status = 200, body = Explanation),
        (status = 404, body = ErrorBody),
        (status = 422, description = "Fields need attention", body = ErrorBody),
    ),
)]
pub(super) async fn explain(
    State(state): State<AppState>,
    Id(id): Id,
    JsonBody(question): JsonBody<Question>,
) -> Result<Json<Explanation>, Refused> {
    Ok(Json(state.inspector.explain(id, question).await?))
}

/// Where the route's latest requests would have gone with other weights of its scorers.
#[utoipa::path(
    post, path = "/routes/{id}/what-if", tag = "routes", params(("id" = Uuid, Path)), request_body = WhatIf,
    security(("api_key" = []), ("session" = [])),
    responses(
        (status = 200, body = WhatIfAnswer),
        (status = 404, body = ErrorBody),
        (status = 422, description = "Fields need attention", body = ErrorBody),
    ),
)]
pub(super) async fn what_if(
    State(state): State<AppState>,
    Id(id): Id,
    JsonBody(what_if): JsonBody<WhatIf>,
) -> Result<Json<WhatIfAnswer>, Refused> {
    Ok(Json(state.inspector.what_if(id, &what_if).await?))
}
