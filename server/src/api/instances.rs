//! `/instances`

use app::api::instance::Instance;
use app::api::list::List;
use axum::Json;
use axum::extract::State;

use crate::server::AppState;

/// Every instance of every provider, as it is at this moment.
#[utoipa::path(
    get, path = "/instances", tag = "providers", security(("api_key" = []), ("session" = [])),
    responses((status = 200, body = List<Instance>)),
)]
pub(super) async fn list(State(state): State<AppState>) -> Json<List<Instance>> {
    Json(state.inspector.instances())
}
