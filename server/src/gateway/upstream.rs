//! HTTP to the providers: no redirects, no system proxies, no addresses that a name was bent to.
//!
//! Most requests go to hosts on the same network, in clear and straight, and are there as a whole: for those
//! there is a client of our own ([`host`], [`wire`]), which takes an eighth of a small request's instructions
//! off. The others go through hyper-util's: TLS, HTTP/2, proxies, forms that still arrive, long bodies in
//! pieces. What is asked beside requests (decision services, health checks, *Test*) goes through reqwest, which
//! is handier.

pub mod body;
pub mod connect;
pub mod failure;
pub mod framing;
pub mod host;
pub mod proxy;
pub mod wire;

use std::collections::HashMap;
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::uri::PathAndQuery;
use http::{Request, Response, Uri, header, uri};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{Either, Full};
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use reqwest::redirect;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::time::Instant;

pub use self::body::ResponseBody;
use self::connect::{Connector, GuardedResolver};
pub use self::failure::{Failure, NoAnswer, with_causes};
pub use self::host::Host;
use self::proxy::Proxy;
use crate::lanes;
use crate::weak_map::WeakMap;

/// Idle connections are kept so long for the next request.
const IDLE_CONNECTION: Duration = Duration::from_secs(60);

pub type BoxError = Box<dyn Error + Send + Sync>;
/// A body that is not there as a whole.
pub type Flowing = UnsyncBoxBody<Bytes, BoxError>;
/// What is sent.
pub type RequestBody = Either<Full<Bytes>, Flowing>;
/// What came of a request.
pub type Answered = Result<Response<ResponseBody>, NoAnswer>;

/// The clients, and so the connection pools, shared by all routes. They outlive snapshots: a save does
/// not close a connection.
#[derive(Debug)]
pub struct Upstreams {
    // A client knows one connect timeout, so there are some for each that is in use.
    by_connect_ms: Mutex<HashMap<u64, Clients>>,
    hosts: WeakMap<Uri, Host>,
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
            hosts: WeakMap::default(),
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
        let known = self.by_connect_ms.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
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

    /// The host of a URL, if it is asked in clear and straight.
    pub fn host(&self, url: &Uri) -> Option<Arc<Host>> {
        if self.proxy.is_some() {
            return None;
        }
        let mut uri = url.clone().into_parts();
        uri.path_and_query = Some(PathAndQuery::from_static("/"));
        let uri = Uri::from_parts(uri).ok()?;
        let new = Host::of(&uri)?;
        Some(self.hosts.get_or_insert_with(uri, || new))
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
            connector,
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
    connector: Connector,
    /// For what no host is asked by itself: one a lane, and before them the one of all other threads.
    by_lane: Arc<[legacy::Client<Connector, RequestBody>]>,
    /// Keeps no connection.
    fresh: legacy::Client<Connector, RequestBody>,
    proxy: Option<Arc<Proxy>>,
}

/// What a request is sent over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// A kept connection if there is one.
    Kept,
    New,
}

tokio::task_local! {
    /// Whether the request of this task had a connection made.
    static CONNECTED: AtomicBool;
}

impl UpstreamClient {
    /// `host` is the one that is asked, if in clear and straight.
    pub fn execute<'a>(
        &'a self,
        host: Option<&'a Arc<Host>>,
        request: Request<RequestBody>,
        over: Over,
        by: Instant,
    ) -> impl Future<Output = Answered> + Send + 'a {
        let (head, body) = request.into_parts();
        let answer = match (host, body) {
            (Some(host), Either::Left(whole)) => {
                let body = whole.into_inner().unwrap_or_default();
                match over {
                    Over::Kept => host.ask(&self.connector, head, body),
                    Over::New => host.ask_anew(&self.connector, head, body),
                }
            }
            (_, body) => {
                let client = match over {
                    // There is one for each.
                    Over::Kept => &self.by_lane[lanes::here().min(self.by_lane.len() - 1)],
                    Over::New => &self.fresh,
                };
                self.execute_by(client, Request::from_parts(head, body))
            }
        };
        in_time(by, answer)
    }

    fn execute_by(
        &self,
        client: &legacy::Client<Connector, RequestBody>,
        request: Request<RequestBody>,
    ) -> BoxFuture<'static, Answered> {
        let answer = client.request(self.through_proxy(request));
        let answered = async {
            let answer = answer.await;
            let is_kept = CONNECTED.with(|connected| !connected.load(Ordering::Relaxed));
            match answer {
                Ok(answer) => Ok(answer.map(ResponseBody::from)),
                Err(error) => Err(NoAnswer::pooled(&error, is_kept)),
            }
        };
        Box::pin(CONNECTED.scope(AtomicBool::new(false), answered))
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

async fn in_time(by: Instant, answer: BoxFuture<'_, Answered>) -> Answered {
    let answered = tokio::time::timeout_at(by, answer).await;
    answered.unwrap_or_else(|_| Err(NoAnswer::too_late()))
}
