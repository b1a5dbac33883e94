//! Every URL and every layer.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use foldhash::HashMap;
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use serde_json::json;
use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;
use tower::ServiceExt;
use tracing::Instrument;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use crate::gateway::error::{Dialect, GatewayError};
use crate::gateway::{Endpoint, Gateway};
use crate::server::AppState;
use crate::{api, assets, boxed, connection, gateway, monitoring, pages, playground, request_id};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-signalbox-request-id");

/// The whole server, as connections ask it.
///
/// Requests to the endpoints of `/v1` go to the gateway at once, past the router and its layers: those
/// cost more than a gateway should add to a request.
#[derive(Clone)]
pub struct Server(Arc<Parts>);

struct Parts {
    gateway: Arc<Gateway>,
    /// By address.
    endpoints: HashMap<String, Endpoint>,
    /// Other sites' scripts may ask; then the router has to tell them so.
    is_cross_origin: bool,
    router: Router,
    /// Where all runs that does not go through the gateway.
    runtime: Handle,
}

impl Server {
    pub fn new(state: AppState) -> Self {
        let addresses = |endpoint: Endpoint| {
            let addresses = endpoint.addresses().into_iter();
            addresses.map(move |address| (address, endpoint))
        };
        Self(Arc::new(Parts {
            gateway: Arc::clone(&state.gateway),
            endpoints: Endpoint::ALL.into_iter().flat_map(addresses).collect(),
            is_cross_origin: state.cross_origin.is_some(),
            router: router(state),
            runtime: Handle::current(),
        }))
    }

    /// Gives every request a name that its answer and all log lines carry. A fault of ours ends one
    /// request, not the server.
    pub async fn answer(&self, request: Request, peer: SocketAddr) -> Response {
        let id = Uuid::now_v7();
        let answer = AssertUnwindSafe(self.dispatch(request, peer)).catch_unwind();
        let answer = request_id::within(id, answer).await;
        let mut response = answer.unwrap_or_else(|_| panicked());
        let mut text = [0; Hyphenated::LENGTH];
        if let Ok(value) = HeaderValue::from_str(id.hyphenated().encode_lower(&mut text)) {
            response.headers_mut().insert(REQUEST_ID, value);
        }
        response
    }

    async fn dispatch(&self, request: Request, peer: SocketAddr) -> Response {
        if let Some(refused) = refuse_large_headers(&request) {
            return refused;
        }
        match self.endpoint_of(&request) {
            // Boxed, so that an idle connection does not hold its room.
            Some(endpoint) => boxed::in_place(|| self.0.gateway.handle(endpoint, request)).await,
            None => boxed::in_place(|| self.route(request, peer)).await,
        }
    }

    /// By the router, on the runtime of all that is no gateway's.
    async fn route(&self, mut request: Request, peer: SocketAddr) -> Response {
        request.extensions_mut().insert(ConnectInfo(peer));
        let answer = self.0.router.clone().oneshot(request);
        let answer = answer.instrument(request_id::span());
        let answer = request_id::within(request_id::here(), answer);
        let answer = self.0.runtime.spawn(answer);
        // A client that leaves ends it.
        match AbortOnDropHandle::new(answer).await {
            Ok(answer) => answer.unwrap_or_else(|never| match never {}),
            Err(_) => panicked(),
        }
    }

    fn endpoint_of(&self, request: &Request) -> Option<Endpoint> {
        let is_foreign = self.0.is_cross_origin && request.headers().contains_key(header::ORIGIN);
        let endpoint = self.0.endpoints.get(request.uri().path()).copied();
        endpoint.filter(|_| request.method() == Method::POST && !is_foreign)
    }
}

/// Everything by its URL.
fn router(state: AppState) -> Router {
    Router::new()
        .merge(v1(&state))
        .merge(guarded(&state))
        .merge(monitoring::router(state.clone()))
        .route(
            "/assets/{name}",
            get(assets::asset).with_state(state.bundle),
        )
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready).with_state(state))
        .layer(middleware::from_fn(at_home))
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

/// The listener stops reading headers somewhere beyond this bound; here it is exact.
fn refuse_large_headers(request: &Request) -> Option<Response> {
    let size: usize = request
        .headers()
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    if size <= connection::MOST_HEADER_BYTES {
        return None;
    }
    let error = GatewayError::new(
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        "headers_too_large",
        format!(
            "The headers have {size} bytes; at most {} are taken.",
            connection::MOST_HEADER_BYTES
        ),
    );
    Some(error.into_response_in(Dialect::of(request.uri().path(), request.headers())))
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

fn panicked() -> Response {
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        "This is a fault of Signalbox; its log says more.\n",
    )
        .into_response()
}
