//! The management API, `/api/v1`: the service layer as JSON, and the OpenAPI document made from the
//! same handlers.

mod body;
mod caller;
mod download;
mod input;
mod instances;
mod keys;
mod providers;
mod refused;
mod requests;
mod routes;
mod session;
mod traffic;
mod usage;

use axum::extract::DefaultBodyLimit;
use axum::{Json, Router, middleware};
use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use self::caller::check_management_key;
pub use self::refused::status;

use crate::server::AppState;

/// Room for a provider with ten thousand models and a route with a thousand targets.
const LARGEST_BODY: usize = 8 * 1024 * 1024;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Signalbox management API",
        description = "Providers, routes and API keys. Authorised by an API key with scope `management` \
                       or by the session cookie of a signed-in browser."
    ),
    servers((url = "/api/v1")),
    tags(
        (name = "providers", description = "Upstreams: instances, credentials, models"),
        (name = "routes", description = "Public model names and how they decide"),
        (name = "keys", description = "What clients send"),
        (name = "requests", description = "What went where, and why"),
        (name = "session", description = "Signing in and out"),
    ),
)]
struct Document;

/// Everything under `/api/v1`.
pub fn router(state: AppState) -> Router {
    let document = Json(document());
    let guarded = Router::from(guarded()).layer(middleware::from_fn_with_state(
        state.clone(),
        caller::require,
    ));
    guarded
        .merge(Router::from(open()))
        .route(
            "/openapi.json",
            axum::routing::get(move || async move { document }),
        )
        .fallback(refused::no_such_call)
        .method_not_allowed_fallback(refused::wrong_method)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .with_state(state)
}

/// The OpenAPI document of all calls.
pub fn document() -> utoipa::openapi::OpenApi {
    let mut document = described();
    document.merge(guarded().into_openapi());
    document.merge(open().into_openapi());
    document
}

/// What the document says beside the calls.
fn described() -> utoipa::openapi::OpenApi {
    let mut document = Document::openapi();
    document.info.version = env!("CARGO_PKG_VERSION").into();
    let components = document.components.get_or_insert_default();
    components.add_security_scheme(
        "api_key",
        SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build()),
    );
    components.add_security_scheme(
        "session",
        SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("signalbox_session"))),
    );
    document
}

/// Calls that need somebody to be known.
fn guarded() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(providers::list, providers::create))
        .routes(routes!(
            providers::get,
            providers::update,
            providers::delete
        ))
        .routes(routes!(providers::test))
        .routes(routes!(providers::upstream_models))
        .routes(routes!(routes::list, routes::create))
        .routes(routes!(routes::get, routes::update, routes::delete))
        .routes(routes!(routes::explain))
        .routes(routes!(instances::list))
        .routes(routes!(routes::what_if))
        .routes(routes!(requests::list))
        .routes(routes!(requests::export))
        .routes(routes!(requests::get))
        .routes(routes!(requests::bodies))
        .routes(routes!(usage::get))
        .routes(routes!(traffic::follow))
        .routes(routes!(usage::export))
        .routes(routes!(keys::list, keys::create))
        .routes(routes!(keys::delete))
        .routes(routes!(session::logout))
}

/// Calls that anybody may make.
fn open() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(session::login))
}
