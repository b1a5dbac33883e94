//! `/v1`: the way of a request, top to bottom.
//!
//! authenticate → read the body → peek at `model` → the route by that name → rank its candidates →
//! send to the best → pass the answer on. No database and no lock held across an await on the way.

pub mod answer;
pub mod authenticate;
pub mod body;
pub mod budget;
pub mod dispatch;
pub mod error;
pub mod headers;
pub mod models;
pub mod peek;
pub mod splice;
pub mod upstream;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use chrono::Utc;
use http::request::Parts;
use http::{Method, StatusCode, Uri};

use self::budget::BufferBudget;
use self::error::{Dialect, GatewayError};
use self::peek::Peek;
use crate::snapshot::{CompiledRoute, Snapshot, Snapshots};

/// A body beyond this is looked at off the async threads, so that other requests do not wait for it.
const LARGE: usize = 256 * 1024;

/// Everything that requests share.
#[derive(Debug)]
pub struct Gateway {
    pub snapshots: Arc<Snapshots>,
    pub budget: BufferBudget,
    pub settings: Settings,
}

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Largest JSON body in bytes.
    pub max_body: u64,
    /// Whether answers say which target gave them.
    pub show_target: bool,
}

/// An endpoint that takes JSON and names its route in `model`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    ChatCompletions,
}

impl Endpoint {
    /// The path after `/v1`.
    pub fn path(self) -> &'static str {
        match self {
            Self::ChatCompletions => "/chat/completions",
        }
    }

    /// Its name in a provider's `speaks`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat",
        }
    }
}

/// `POST /v1/chat/completions`
pub async fn chat_completions(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    gateway.handle(Endpoint::ChatCompletions, request).await
}

/// Any path under `/v1` that is not there.
pub async fn no_such_path(uri: Uri, request: Request) -> Response {
    let message = format!(
        "There is no {} here. Supported are POST /v1/chat/completions, GET /v1/models and GET /v1/models/{{id}}.",
        error::shorten(uri.path())
    );
    let (parts, body) = request.into_parts();
    body::linger(&parts.method, &parts.headers, body);
    GatewayError::new(StatusCode::NOT_FOUND, "unknown_path", message)
        .into_response_in(Dialect::of(uri.path(), &parts.headers))
}

/// A path that is there, with a method it does not take.
pub async fn wrong_method(method: Method, uri: Uri, request: Request) -> Response {
    let message = format!("{} does not take {method}.", error::shorten(uri.path()));
    let (parts, body) = request.into_parts();
    body::linger(&parts.method, &parts.headers, body);
    GatewayError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        message,
    )
    .into_response_in(Dialect::of(uri.path(), &parts.headers))
}

impl Gateway {
    async fn handle(&self, endpoint: Endpoint, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        match self.answer(endpoint, &parts, body).await {
            Ok(response) => response,
            Err(error) => {
                tracing::debug!(status = error.status.as_u16(), code = error.code, "refused");
                error.into_response_in(Dialect::of(parts.uri.path(), &parts.headers))
            }
        }
    }

    async fn answer(
        &self,
        endpoint: Endpoint,
        parts: &Parts,
        body: Body,
    ) -> Result<Response, GatewayError> {
        let snapshot = self.snapshots.load();
        // Both are known before a byte of the body is read.
        let checked = authenticate::authenticate(&snapshot, &parts.headers, Utc::now())
            .and_then(|_| body::check_headers(&parts.headers, self.settings.max_body));
        if let Err(error) = checked {
            body::linger(&parts.method, &parts.headers, body);
            return Err(error);
        }
        let buffered =
            body::read(&parts.headers, body, self.settings.max_body, &self.budget).await?;
        let peek = peek(&buffered.bytes).await?;

        // A body may take its time; settings saved meanwhile count.
        let snapshot = self.snapshots.load();
        let route = self.route(&snapshot, parts, &peek)?;
        dispatch::dispatch(
            &self.settings,
            endpoint,
            parts,
            &route,
            &buffered.bytes,
            &peek.model_span,
        )
        .await
    }

    /// The route that the body names, if there is one that this key may use.
    fn route(
        &self,
        snapshot: &Snapshot,
        parts: &Parts,
        peek: &Peek,
    ) -> Result<Arc<CompiledRoute>, GatewayError> {
        let key = authenticate::authenticate(snapshot, &parts.headers, Utc::now())?;
        let route = snapshot
            .routes
            .get(&peek.model)
            .ok_or_else(|| GatewayError::no_such_route(&peek.model))?;
        if !key.may_use(route.id) {
            return Err(GatewayError::forbidden(format!(
                "This key may not use the route `{}`. GET /v1/models lists those that it may use.",
                route.name
            ))
            .about("model"));
        }
        if !route.enabled {
            return Err(GatewayError::new(
                StatusCode::NOT_FOUND,
                "route_disabled",
                format!("The route `{}` is switched off.", route.name),
            )
            .about("model"));
        }
        Ok(Arc::clone(route))
    }
}

async fn peek(bytes: &bytes::Bytes) -> Result<Peek, GatewayError> {
    if bytes.len() <= LARGE {
        return peek::peek(bytes);
    }
    let bytes = bytes.clone();
    tokio::task::spawn_blocking(move || peek::peek(&bytes))
        .await
        .map_err(|error| {
            tracing::error!(%error, "a body could not be looked at");
            GatewayError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "The body could not be looked at; this is a fault of Signalbox.",
            )
        })?
}
