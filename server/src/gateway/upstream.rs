//! HTTP to the providers: no redirects, no system proxies, no addresses that a name was bent to.
//!
//! Requests go through hyper-util's client, one a lane. What is asked beside them (decision services, health
//! checks, *Test*) goes through reqwest, which is handier and costs a request 6 µs more.

pub mod connect;
pub mod proxy;

use std::collections::HashMap;
use std::error::Error;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, header, uri};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use reqwest::redirect;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::time::error::Elapsed;

use self::connect::{Connector, GuardedResolver};
use self::proxy::Proxy;
use crate::{lanes, request_id};

/// Idle connections are kept so long for the next request.
const IDLE_CONNECTION: Duration = Duration::from_secs(60);

pub type BoxError = Box<dyn Error + Send + Sync>;
/// A body that is not there as a whole.
pub type Flowing = UnsyncBoxBody<Bytes, BoxError>;
/// What is sent.
pub type RequestBody = Either<Full<Bytes>, Flowing>;
/// What comes back.
pub type ResponseBody = Either<Incoming, Flowing>;

/// The clients, and so the connection pools, shared by all routes. They outlive snapshots: a save does
/// not close a connection.
#[derive(Debug)]
pub struct Upstreams {
    // A client knows one connect timeout, so there are some for each that is in use.
    by_connect_ms: Mutex<HashMap<u64, Clients>>,
    proxy: Option<Arc<Proxy>>,
    resolver: GuardedResolver,
    tls: ClientConfig,
}

/// The two ways to ask providers.
#[derive(Clone, Debug)]
pub struct Clients {
    /// With what was sent to a route.
    pub requests: UpstreamClient,
    /// Beside that. Its connections are its own: a decision service that hangs takes none from requests.
    pub beside: reqwest::Client,
}

impl Upstreams {
    /// `proxy` is the one that the operator configured; the error is a sentence.
    pub fn new(proxy: Option<&str>, allow_link_local: bool) -> Result<Self, String> {
        // Another part of the process may have chosen the same provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let tls = ClientConfig::builder()
            .with_platform_verifier()
            .map_err(|error| format!("TLS could not be set up: {error}"))?
            .with_no_client_auth();
        let upstreams = Self {
            by_connect_ms: Mutex::default(),
            proxy: proxy.map(Proxy::parse).transpose()?.map(Arc::new),
            resolver: GuardedResolver { allow_link_local },
            tls,
        };
        upstreams
            .clients(1_000)
            .map_err(|error| format!("The HTTP client could not be made: {error}"))?;
        Ok(upstreams)
    }

    /// The clients for a connect timeout.
    pub fn clients(&self, connect_ms: u64) -> Result<Clients, reqwest::Error> {
        let mut known = self
            .by_connect_ms
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(clients) = known.get(&connect_ms) {
            return Ok(clients.clone());
        }
        let timeout = Duration::from_millis(connect_ms);
        let clients = Clients {
            requests: self.requests(timeout),
            beside: self.beside(timeout)?,
        };
        known.insert(connect_ms, clients.clone());
        Ok(clients)
    }

    fn requests(&self, timeout: Duration) -> UpstreamClient {
        let proxy = self.proxy.clone();
        let connector = Connector::new(self.resolver, proxy.clone(), &self.tls, timeout);
        let mut builder = legacy::Client::builder(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_CONNECTION);
        let pooled = || builder.build(connector.clone());
        let by_lane = (0..=lanes::count()).map(|_| pooled()).collect();
        let fresh = builder.pool_max_idle_per_host(0).build(connector.clone());
        UpstreamClient {
            by_lane,
            fresh,
            proxy,
        }
    }

    fn beside(&self, timeout: Duration) -> Result<reqwest::Client, reqwest::Error> {
        let builder = reqwest::Client::builder()
            .connect_timeout(timeout)
            .pool_idle_timeout(IDLE_CONNECTION)
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .tls_backend_preconfigured(self.tls.clone())
            .dns_resolver(Arc::new(self.resolver));
        match &self.proxy {
            Some(proxy) => builder.proxy(reqwest::Proxy::all(proxy.text())?).build(),
            None => builder.build(),
        }
    }
}

/// Sends requests over connections that are kept for the next one of the same lane.
#[derive(Clone, Debug)]
pub struct UpstreamClient {
    /// One a lane, and before them the one of all other threads.
    by_lane: Arc<[legacy::Client<Connector, RequestBody>]>,
    /// Keeps no connection.
    fresh: legacy::Client<Connector, RequestBody>,
    proxy: Option<Arc<Proxy>>,
}

tokio::task_local! {
    /// Whether the request of this task had a connection made.
    static CONNECTED: AtomicBool;
}

impl UpstreamClient {
    pub async fn execute(
        &self,
        request: Request<RequestBody>,
    ) -> Result<Response<Incoming>, legacy::Error> {
        self.pooled().request(self.through_proxy(request)).await
    }

    /// The same, and once more over a new connection where a kept one turned out to be broken: the
    /// server may have closed it while it was idle, which says nothing about the server.
    pub async fn execute_anew_if_stale(
        &self,
        request: impl Fn() -> Request<RequestBody>,
    ) -> Result<Response<Incoming>, legacy::Error> {
        let send = async {
            let answer = self.execute(request()).await;
            let is_kept = CONNECTED.with(|connected| !connected.load(Ordering::Relaxed));
            (answer, is_kept)
        };
        match CONNECTED.scope(AtomicBool::new(false), send).await {
            (Err(error), true) if Failure::from(&error) == Failure::Reset => {
                request_id::span().in_scope(|| {
                    tracing::debug!("a kept connection was broken; trying a new one");
                });
                self.fresh.request(self.through_proxy(request())).await
            }
            (answer, _) => answer,
        }
    }

    fn pooled(&self) -> &legacy::Client<Connector, RequestBody> {
        // There is one for each.
        &self.by_lane[lanes::here().min(self.by_lane.len() - 1)]
    }

    /// A proxy reads the heads of requests that it passes on in clear, and wants to know from whom.
    fn through_proxy(&self, mut request: Request<RequestBody>) -> Request<RequestBody> {
        let authorization = self.proxy.as_ref().and_then(|proxy| proxy.authorization());
        if let Some(authorization) = authorization
            && request.uri().scheme() == Some(&uri::Scheme::HTTP)
        {
            let headers = request.headers_mut();
            headers.insert(header::PROXY_AUTHORIZATION, authorization.clone());
        }
        request
    }
}

/// Why no answer came from an upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Refused, unknown name, TLS: no connection came about.
    Connect,
    ConnectTimeout,
    /// The connection broke before the first byte of an answer.
    Reset,
    FirstByteTimeout,
}

impl From<&legacy::Error> for Failure {
    fn from(error: &legacy::Error) -> Self {
        let is_timeout = |cause: &(dyn Error + 'static)| {
            cause.is::<Elapsed>()
                || cause
                    .downcast_ref::<io::Error>()
                    .is_some_and(|error| error.kind() == io::ErrorKind::TimedOut)
        };
        match error.is_connect() {
            true if causes(error).any(is_timeout) => Self::ConnectTimeout,
            true => Self::Connect,
            false => Self::Reset,
        }
    }
}

impl From<&reqwest::Error> for Failure {
    fn from(error: &reqwest::Error) -> Self {
        match (error.is_connect(), error.is_timeout()) {
            (true, true) => Self::ConnectTimeout,
            (true, false) => Self::Connect,
            (false, _) => Self::Reset,
        }
    }
}

impl Failure {
    /// Whether it says that the instance cannot be reached. One that is slow can be.
    pub fn is_of_connectivity(self) -> bool {
        self != Self::FirstByteTimeout
    }

    /// As metrics call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connect => "unreachable",
            Self::ConnectTimeout => "connect_timeout",
            Self::Reset => "reset",
            Self::FirstByteTimeout => "first_byte_timeout",
        }
    }

    /// Ends a sentence that starts with the provider's name.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Connect => "could not be reached",
            Self::ConnectTimeout => "did not accept a connection in time",
            Self::Reset => "closed the connection before it answered",
            Self::FirstByteTimeout => "did not begin to answer in time",
        }
    }
}

/// An error with its causes, for logs. URLs are left out by the caller (`without_url`): their query may
/// hold what a client sent.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let texts: Vec<String> = causes(error).map(ToString::to_string).collect();
    texts.join(": ")
}

/// An error, what caused it, what caused that, and so on.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}
