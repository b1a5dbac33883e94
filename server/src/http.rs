//! Every URL and every layer.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde_json::json;
use tower_http::catch_panic::CatchPanicLayer;
use tracing::Instrument;
use uuid::Uuid;

use crate::gateway::error::{Dialect, GatewayError};
use crate::gateway::record::RequestId;
use crate::server::AppState;
use crate::{api, assets, gateway, listener, monitoring, pages, playground};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-signalbox-request-id");

/// The whole server.
pub fn router(state: AppState) -> Router {
    Router::new()
        .merge(v1(&state))
        .merge(guarded(&state))
        .merge(monitoring::router(state.clone()))
        .route("/assets/{name}", get(assets::asset))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready).with_state(state))
        .layer(middleware::from_fn(at_home))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn(bound_headers))
        .layer(middleware::from_fn(name_request))
}

/// What applications call: an API key each time, so no cookies and no origins to guard. Browsers of
/// other sites may call it only where the operator allows them to.
fn v1(state: &AppState) -> Router {
    let router = gateway::router(Arc::clone(&state.gateway));
    match state.cross_origin.as_ref() {
        Some(allowed) => router.layer(allowed.clone()),
        None => router,
    }
}

/// Programs look at `/` before their first call, whether somebody is at home: Claude Code asks `HEAD /`.
/// Browsers get the pages.
async fn at_home(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let accepts = headers.get(header::ACCEPT);
    let wants_page = accepts
        .is_some_and(|accepts| memchr::memmem::find(accepts.as_bytes(), b"text/html").is_some());
    let is_browser = wants_page || headers.contains_key(header::COOKIE);
    let is_asked = request.uri().path() == "/" && request.method().is_safe() && !is_browser;
    if !is_asked {
        return next.run(request).await;
    }
    Json(json!({
        "name": "Signalbox",
        "version": env!("CARGO_PKG_VERSION"),
        "api": "/v1",
    }))
    .into_response()
}

/// What a signed-in browser can reach.
fn guarded(state: &AppState) -> Router {
    Router::new()
        .nest("/api/v1", api::router(state.clone()))
        .nest("/playground", playground::router(state.clone()))
        .merge(pages::router(state.clone()))
        .layer(middleware::from_fn_with_state(state.clone(), guard_site))
}

/// Refuses foreign hosts and requests that another site made a browser send.
async fn guard_site(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let checked = state
        .site
        .check_host(request.headers(), request.uri())
        .map_err(|refusal| (StatusCode::MISDIRECTED_REQUEST, refusal))
        .and_then(|()| {
            let (method, headers, uri) = (request.method(), request.headers(), request.uri());
            state
                .site
                .check_origin(method, headers, uri)
                .map_err(|refusal| (StatusCode::FORBIDDEN, refusal))
        });
    match checked {
        Ok(()) => next.run(request).await,
        Err((status, refusal)) => (status, format!("{}\n", refusal.0)).into_response(),
    }
}

/// Gives every request a name that the answer and all log lines carry.
async fn name_request(mut request: Request, next: Next) -> Response {
    let id = Uuid::now_v7();
    request.extensions_mut().insert(RequestId(id));
    let span = tracing::info_span!("request", %id);
    let mut response = next.run(request).instrument(span).await;
    if let Ok(value) = HeaderValue::try_from(id.to_string()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// The listener stops reading headers somewhere beyond this bound; here it is exact.
async fn bound_headers(request: Request, next: Next) -> Response {
    let size: usize = request
        .headers()
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    if size <= listener::MOST_HEADER_BYTES {
        return next.run(request).await;
    }
    GatewayError::new(
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        "headers_too_large",
        format!(
            "The headers have {size} bytes; at most {} are taken.",
            listener::MOST_HEADER_BYTES
        ),
    )
    .into_response_in(Dialect::of(request.uri().path(), request.headers()))
}

/// `GET /readyz`: can serve, and the database answers.
async fn ready(State(state): State<AppState>) -> Response {
    match state.store.ping().await {
        Ok(()) => "ready\n".into_response(),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            (
                StatusCode::SERVICE_UNAVAILABLE,
                "the database does not answer\n",
            )
                .into_response()
        }
    }
}

/// A fault of ours ends one request, not the server.
fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        "This is a fault of Signalbox; its log says more.\n",
    )
        .into_response()
}
