//! `GET /metrics`, for Prometheus: to who is on this machine without a key, to everybody else with a
//! management key; on a listener of its own to who can reach that.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, StatusCode, header};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::api::check_management_key;
use crate::server::AppState;

const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// On the listener that everybody reaches.
pub fn router(state: AppState) -> Router {
    Router::new()
        .route("/metrics", get(guarded))
        .with_state(state)
}

/// Serves nothing but `/metrics`, until the stop.
pub async fn serve(listener: TcpListener, state: AppState, stop: CancellationToken) {
    let router = Router::new()
        .route(
            "/metrics",
            get(async |State(state): State<AppState>| text(&state)),
        )
        .with_state(state);
    let served = axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned());
    if let Err(error) = served.await {
        tracing::error!(%error, "the listener for metrics ended");
    }
}

async fn guarded(State(state): State<AppState>, request: Request) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let is_here = peer.is_some_and(|peer| peer.0.ip().to_canonical().is_loopback());
    let headers = request.headers();
    if (is_here && !came_through_a_proxy(headers)) || check_management_key(&state, headers).is_ok()
    {
        return text(&state);
    }
    let says =
        "Send `Authorization: Bearer sb_…` with an API key that has the scope `management`.\n";
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
    (StatusCode::UNAUTHORIZED, challenge, says).into_response()
}

/// Then the peer is not who asks.
fn came_through_a_proxy(headers: &HeaderMap) -> bool {
    ["forwarded", "x-forwarded-for", "x-real-ip", "via"]
        .iter()
        .any(|name| headers.contains_key(*name))
}

fn text(state: &AppState) -> Response {
    let dropped = state.gateway.log.dropped();
    let text = state.metrics.text(&state.snapshots.load(), dropped);
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
}
