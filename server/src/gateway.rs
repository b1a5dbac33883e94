//! `/v1`: what applications call. [`pipeline`] is the way of a request, top to bottom.

pub mod answer;
pub mod attempt;
pub mod authenticate;
pub mod bodies;
pub mod body;
pub mod budget;
pub mod credentials;
pub mod decision;
pub mod dispatch;
pub mod encoding;
pub mod endpoint;
pub mod error;
pub mod facts;
pub mod form;
pub mod headers;
pub mod health;
pub mod incoming;
pub mod inflight;
pub mod json;
pub mod lasting;
pub mod metrics;
pub mod models;
pub mod multipart;
pub mod owners;
pub mod payload;
pub mod peek;
pub mod pipeline;
pub mod record;
pub mod request_log;
pub mod response_watch;
pub mod responses;
pub mod session;
pub mod splice;
pub mod spool;
pub mod sse;
pub mod trace_parent;
pub mod traffic;
pub mod upstream;
pub mod usage;
pub mod usage_withheld;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{any, get, post};
use bytes::Bytes;
use http::{Method, StatusCode, Uri};

pub use self::endpoint::Endpoint;

use self::budget::BufferBudget;
use self::error::{Dialect, GatewayError};
use self::lasting::Lasting;
use self::owners::Owners;
use self::request_log::RequestLog;
use crate::snapshot::Snapshots;

/// A body beyond this is looked at off the async threads, so that other requests do not wait for it.
const LARGE: usize = 256 * 1024;

/// Everything that requests share.
#[derive(Debug)]
pub struct Gateway {
    pub snapshots: Arc<Snapshots>,
    pub lasting: Arc<Lasting>,
    pub owners: Arc<Owners>,
    pub log: Arc<RequestLog>,
    pub budget: BufferBudget,
    /// For what does not fit in memory.
    pub disk_budget: BufferBudget,
    /// For what is kept with records until it is written down.
    pub kept_budget: BufferBudget,
    pub settings: Settings,
}

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub limits: body::Limits,
    /// Whether answers say which target gave them.
    pub show_target: bool,
}

/// All addresses under `/v1` and `/v2`.
pub fn router(gateway: Arc<Gateway>) -> Router {
    let mut router = Router::new();
    for endpoint in Endpoint::ALL {
        for address in endpoint.addresses() {
            let handler = move |State(gateway): State<Arc<Gateway>>, request: Request| async move {
                gateway.handle(endpoint, request).await
            };
            router = router.route(&address, post(handler));
        }
    }
    router
        .route(
            "/v1/responses/{id}",
            get(responses::call).delete(responses::call),
        )
        .route("/v1/responses/{id}/cancel", post(responses::call))
        .route("/v1/responses/{id}/input_items", get(responses::call))
        .route("/v1/models", get(models::list))
        .route("/v1/models/{*id}", get(models::retrieve))
        .route("/v1", any(no_such_path))
        .route("/v1/", any(no_such_path))
        .route("/v1/{*path}", any(no_such_path))
        .route("/v2", any(no_such_path))
        .route("/v2/", any(no_such_path))
        .route("/v2/{*path}", any(no_such_path))
        .method_not_allowed_fallback(wrong_method)
        .with_state(gateway)
}

/// Any path that is not there.
async fn no_such_path(uri: Uri, request: Request) -> Response {
    let message = format!(
        "There is no {} here. Supported are GET /v1/models and GET /v1/models/{{id}}; POST to {}; and \
         GET, DELETE, POST …/cancel and GET …/input_items under /v1/responses/{{id}}.",
        error::shorten(uri.path()),
        Endpoint::list(),
    );
    refuse(StatusCode::NOT_FOUND, "unknown_path", message, request)
}

/// A path that is there, with a method it does not take.
async fn wrong_method(method: Method, uri: Uri, request: Request) -> Response {
    let message = format!("{} does not take {method}.", error::shorten(uri.path()));
    refuse(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        message,
        request,
    )
}

fn refuse(status: StatusCode, code: &'static str, message: String, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    body::linger(&parts.method, &parts.headers, body);
    GatewayError::new(status, code, message)
        .into_response_in(Dialect::of(parts.uri.path(), &parts.headers))
}

/// Looks at a body, off the async threads when it is large.
///
/// # Errors
/// When the look panicked, which the log tells.
async fn off_async_if_large<T: Send + 'static>(
    bytes: &Bytes,
    look: impl FnOnce(&[u8]) -> T + Send + 'static,
) -> Result<T, tokio::task::JoinError> {
    if bytes.len() <= LARGE {
        return Ok(look(bytes));
    }
    let bytes = bytes.clone();
    tokio::task::spawn_blocking(move || look(&bytes))
        .await
        .inspect_err(|error| tracing::error!(%error, "a body could not be looked at"))
}
