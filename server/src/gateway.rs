//! `/v1`: the way of a request, top to bottom.
//!
//! authenticate → read the body → peek at `model` → the route by that name → the facts it decides by →
//! rank its candidates and take the best → send → pass the answer on. No database and no lock held
//! across an await on the way.

pub mod answer;
pub mod authenticate;
pub mod body;
pub mod budget;
pub mod credentials;
pub mod decision;
pub mod dispatch;
pub mod error;
pub mod facts;
pub mod headers;
pub mod inflight;
pub mod json;
pub mod lasting;
pub mod models;
pub mod multipart;
pub mod peek;
pub mod session;
pub mod splice;
pub mod sse;
pub mod upstream;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use chrono::Utc;
use http::request::Parts;
use http::{Method, StatusCode, Uri};

use self::budget::BufferBudget;
use self::error::{Dialect, GatewayError};
use self::facts::{Asked, Gathered};
use self::lasting::Lasting;
use self::peek::Peek;
use crate::snapshot::{CompiledRoute, Snapshot, Snapshots};

/// A body beyond this is looked at off the async threads, so that other requests do not wait for it.
const LARGE: usize = 256 * 1024;

/// Everything that requests share.
#[derive(Debug)]
pub struct Gateway {
    pub snapshots: Arc<Snapshots>,
    pub lasting: Arc<Lasting>,
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
    Responses,
    Messages,
}

impl Endpoint {
    /// The path after `/v1`.
    pub fn path(self) -> &'static str {
        match self {
            Self::ChatCompletions => "/chat/completions",
            Self::Responses => "/responses",
            Self::Messages => "/messages",
        }
    }

    /// Its name in a provider's `speaks`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    /// The one that a whole path names.
    pub fn of(path: &str) -> Option<Self> {
        let after = path.strip_prefix("/v1")?;
        Self::ALL.into_iter().find(|one| one.path() == after)
    }

    const ALL: [Self; 3] = [Self::ChatCompletions, Self::Responses, Self::Messages];
}

/// `POST /v1/chat/completions`
pub async fn chat_completions(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    gateway.handle(Endpoint::ChatCompletions, request).await
}

/// `POST /v1/responses`
pub async fn responses(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    gateway.handle(Endpoint::Responses, request).await
}

/// `POST /v1/messages`
pub async fn messages(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    gateway.handle(Endpoint::Messages, request).await
}

/// Any path under `/v1` that is not there.
pub async fn no_such_path(uri: Uri, request: Request) -> Response {
    let message = format!(
        "There is no {} here. Supported are POST /v1/chat/completions, /v1/responses and /v1/messages, GET /v1/models and GET /v1/models/{{id}}.",
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
        let asked = Asked {
            path: parts.uri.path(),
            headers: &parts.headers,
            body: Some(&buffered.bytes),
            depth: peek.depth,
            counts: true,
        };
        let gathered = Gathered::of(&route, endpoint, asked).await;
        let placement = route.place(endpoint, &gathered.facts(), &self.lasting.loads);
        dispatch::dispatch(
            &self.settings,
            endpoint,
            parts,
            &route,
            placement,
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

async fn peek(bytes: &Bytes) -> Result<Peek, GatewayError> {
    off_async_if_large(bytes, peek::peek)
        .await
        .unwrap_or_else(|_| {
            Err(GatewayError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "The body could not be looked at; this is a fault of Signalbox.",
            ))
        })
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
