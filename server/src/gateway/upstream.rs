//! HTTP to the providers: no redirects, no system proxies, no addresses that a name was bent to.

use std::collections::HashMap;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect;

use crate::lanes;
use crate::upstream_url::is_link_local;

/// Idle connections are kept so long for the next request.
const IDLE_CONNECTION: Duration = Duration::from_secs(60);

/// The clients, and so the connection pools, shared by all routes. They outlive snapshots: a save does
/// not close a connection.
#[derive(Debug)]
pub struct Upstreams {
    // reqwest knows one connect timeout a client, so there is one for each that is in use.
    by_use: Mutex<HashMap<(Pool, u64), UpstreamClient>>,
    proxy: Option<reqwest::Proxy>,
    allow_link_local: bool,
}

/// Whose connections they are: a decision service that hangs takes none from the targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pool {
    Targets,
    Decisions,
}

impl Upstreams {
    /// `proxy` is the one that the operator configured; the error is a sentence.
    pub fn new(proxy: Option<&str>, allow_link_local: bool) -> Result<Self, String> {
        // Another part of the process may have chosen the same provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let proxy = proxy.map(reqwest::Proxy::all).transpose().map_err(|_| {
            "--upstream-proxy is not a proxy URL such as http://proxy:3128.".to_owned()
        })?;
        let upstreams = Self {
            by_use: Mutex::default(),
            proxy,
            allow_link_local,
        };
        upstreams
            .build(1_000)
            .map_err(|error| format!("The HTTP client could not be made: {error}"))?;
        Ok(upstreams)
    }

    /// The client for a connect timeout.
    pub fn client(&self, pool: Pool, connect_ms: u64) -> Result<UpstreamClient, reqwest::Error> {
        let mut clients = self.by_use.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&(pool, connect_ms)) {
            return Ok(client.clone());
        }
        let client = self.build(connect_ms)?;
        clients.insert((pool, connect_ms), client.clone());
        Ok(client)
    }

    fn build(&self, connect_ms: u64) -> Result<UpstreamClient, reqwest::Error> {
        let builder = || {
            let builder = reqwest::Client::builder()
                .connect_timeout(Duration::from_millis(connect_ms))
                .redirect(redirect::Policy::none())
                .referer(false)
                .no_proxy()
                .connector_layer(NoteConnections)
                .dns_resolver(Arc::new(GuardedResolver {
                    allow_link_local: self.allow_link_local,
                }));
            match &self.proxy {
                Some(proxy) => builder.proxy(proxy.clone()),
                None => builder,
            }
        };
        let clients = |_| {
            Ok(Clients {
                pooled: builder().pool_idle_timeout(IDLE_CONNECTION).build()?,
                fresh: builder().pool_max_idle_per_host(0).build()?,
            })
        };
        let by_lane = (0..=lanes::count()).map(clients);
        Ok(UpstreamClient {
            by_lane: by_lane.collect::<Result<_, reqwest::Error>>()?,
        })
    }
}

/// Sends requests over connections that are kept for the next one of the same lane.
#[derive(Clone, Debug)]
pub struct UpstreamClient {
    /// One a lane, and before them the one of all other threads.
    by_lane: Arc<[Clients]>,
}

#[derive(Debug)]
struct Clients {
    pooled: reqwest::Client,
    /// Keeps no connection.
    fresh: reqwest::Client,
}

tokio::task_local! {
    /// Whether the request of this task had a connection made.
    static CONNECTED: AtomicBool;
}

impl UpstreamClient {
    pub async fn execute(
        &self,
        request: reqwest::Request,
    ) -> Result<reqwest::Response, reqwest::Error> {
        self.here().pooled.execute(request).await
    }

    fn here(&self) -> &Clients {
        // There is one for each.
        &self.by_lane[lanes::here().min(self.by_lane.len() - 1)]
    }

    /// The same, and once more over a new connection where a kept one turned out to be broken: the
    /// server may have closed it while it was idle, which says nothing about the server.
    pub async fn execute_anew_if_stale(
        &self,
        request: impl Fn() -> reqwest::Request,
    ) -> Result<reqwest::Response, reqwest::Error> {
        let clients = self.here();
        let send = async {
            let answer = clients.pooled.execute(request()).await;
            let is_kept = CONNECTED.with(|connected| !connected.load(Ordering::Relaxed));
            (answer, is_kept)
        };
        match CONNECTED.scope(AtomicBool::new(false), send).await {
            (Err(error), true) if Failure::of(&error) == Failure::Reset => {
                tracing::debug!("a kept connection was broken; trying a new one");
                clients.fresh.execute(request()).await
            }
            (answer, _) => answer,
        }
    }
}

/// Notes that a request has a connection made.
#[derive(Clone)]
struct NoteConnections;

#[derive(Clone)]
struct NotingConnector<S>(S);

impl<S> tower::Layer<S> for NoteConnections {
    type Service = NotingConnector<S>;

    fn layer(&self, inner: S) -> Self::Service {
        NotingConnector(inner)
    }
}

impl<S: tower::Service<Destination>, Destination> tower::Service<Destination>
    for NotingConnector<S>
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, destination: Destination) -> S::Future {
        // Nobody asks about requests outside of a scope.
        let _ = CONNECTED.try_with(|connected| connected.store(true, Ordering::Relaxed));
        self.0.call(destination)
    }
}

/// The system's resolver, without link-local answers: cloud machines keep their own credentials there.
struct GuardedResolver {
    allow_link_local: bool,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_link_local = self.allow_link_local;
        Box::pin(async move {
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let allowed: Vec<SocketAddr> = found
                .into_iter()
                .filter(|address| allow_link_local || !is_link_local(address.ip()))
                .collect();
            if allowed.is_empty() {
                return Err(
                    format!("`{}` has no address that may be called", name.as_str()).into(),
                );
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
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

impl Failure {
    pub fn of(error: &reqwest::Error) -> Self {
        match (error.is_connect(), error.is_timeout()) {
            (true, true) => Self::ConnectTimeout,
            (true, false) => Self::Connect,
            (false, _) => Self::Reset,
        }
    }

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
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_that_resolves_to_nothing_allowed_is_refused() {
        let guarded = GuardedResolver {
            allow_link_local: false,
        };
        assert!(guarded.resolve("localhost".parse().unwrap()).await.is_ok());
        assert!(
            guarded
                .resolve("169.254.169.254".parse().unwrap())
                .await
                .is_err()
        );
        let open = GuardedResolver {
            allow_link_local: true,
        };
        assert!(
            open.resolve("169.254.169.254".parse().unwrap())
                .await
                .is_ok()
        );
    }
}
