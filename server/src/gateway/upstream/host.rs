//! One host that is asked in clear, with the connections to it that are kept for the next request.
//!
//! Each lane has its own, found without a search and taken without waiting. A general client's pool does more
//! than this way needs: a ninth of all instructions that a small request takes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use http::uri::PathAndQuery;
use http::{HeaderValue, Request, Response, Uri, header};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use tokio::runtime::Handle;
use tower::Service;

use super::connect::Connector;
use super::failure::NoAnswer;
use super::{Answered, IDLE_CONNECTION, RequestBody, ResponseBody};
use crate::{boxed, lanes};

#[derive(Debug)]
pub struct Host {
    /// `http://host:port`
    uri: Uri,
    /// As requests name it.
    name: HeaderValue,
    /// One a lane, and before them the one of all other threads.
    idle: Box<[Mutex<Idle>]>,
}

/// Connections that nobody uses, the latest last.
#[derive(Debug, Default)]
struct Idle {
    connections: Vec<(SendRequest<RequestBody>, Instant)>,
    /// Somebody closes those that nobody comes back to.
    is_swept: bool,
}

/// A connection in use. It is kept when it is dropped after all of the answer has come, and closed otherwise.
#[derive(Debug)]
pub struct Lease {
    // Something until it is dropped.
    connection: Option<SendRequest<RequestBody>>,
    host: Arc<Host>,
}

impl Host {
    /// Nothing for what is not asked in clear.
    pub fn of(uri: &Uri) -> Option<Self> {
        let authority = uri
            .authority()
            .filter(|_| uri.scheme_str() == Some("http"))?;
        Some(Self {
            uri: uri.clone(),
            name: HeaderValue::from_str(authority.as_str()).ok()?,
            idle: (0..=lanes::count()).map(|_| Mutex::default()).collect(),
        })
    }

    /// Sends over a kept connection if there is one.
    // Boxed, as each of the futures around one is moved to where it waits, with all that is in it.
    pub fn execute<'a>(
        self: &'a Arc<Self>,
        connector: &'a Connector,
        request: Request<RequestBody>,
    ) -> BoxFuture<'a, Answered> {
        let request = self.addressed(request);
        let Some(mut kept) = self.take() else {
            return self.send_anew(connector, request);
        };
        let sent = kept.try_send_request(request);
        boxed::in_place(|| async move {
            match sent.await {
                Ok(answer) => Ok(self.leased(kept, answer)),
                Err(mut error) => match error.take_message() {
                    // It was closed before any of this was sent.
                    Some(request) => self.send_anew(connector, request).await,
                    None => Err(NoAnswer::reset(&error.into_error(), true)),
                },
            }
        })
    }

    /// Sends over a connection that is made for it.
    pub fn execute_anew<'a>(
        self: &'a Arc<Self>,
        connector: &'a Connector,
        request: Request<RequestBody>,
    ) -> BoxFuture<'a, Answered> {
        self.send_anew(connector, self.addressed(request))
    }

    fn send_anew<'a>(
        self: &'a Arc<Self>,
        connector: &'a Connector,
        request: Request<RequestBody>,
    ) -> BoxFuture<'a, Answered> {
        Box::pin(async move {
            let mut connection = self.connect(connector).await?;
            match connection.send_request(request).await {
                Ok(answer) => Ok(self.leased(connection, answer)),
                Err(error) => Err(NoAnswer::reset(&error, false)),
            }
        })
    }

    fn leased(
        self: &Arc<Self>,
        connection: SendRequest<RequestBody>,
        answer: Response<Incoming>,
    ) -> Response<ResponseBody> {
        let lease = Lease {
            connection: Some(connection),
            host: Arc::clone(self),
        };
        answer.map(|body| ResponseBody::leased(body, lease))
    }

    /// With what the connection does not say: the host in a header, and only the path in the first line.
    fn addressed(&self, mut request: Request<RequestBody>) -> Request<RequestBody> {
        let path = request.uri().path_and_query().cloned();
        *request.uri_mut() = Uri::from(path.unwrap_or(PathAndQuery::from_static("/")));
        request
            .headers_mut()
            .insert(header::HOST, self.name.clone());
        request
    }

    async fn connect(&self, connector: &Connector) -> Result<SendRequest<RequestBody>, NoAnswer> {
        let stream = connector.clone().call(self.uri.clone()).await;
        let stream = stream.map_err(|error| NoAnswer::connecting(&*error))?;
        let handshake = http1::handshake(stream).await;
        let (connection, driver) = handshake.map_err(|error| NoAnswer::reset(&error, false))?;
        // How it ends, whoever uses the connection hears.
        tokio::spawn(driver);
        Ok(connection)
    }

    fn take(&self) -> Option<SendRequest<RequestBody>> {
        let mut idle = self.idle(lanes::here());
        // How long each was idle, the sweep looks at, now and then: a look at the clock costs what the rest does.
        let connections = std::iter::from_fn(|| idle.connections.pop());
        connections
            .map(|(connection, _)| connection)
            .find(SendRequest::is_ready)
    }

    fn keep(self: &Arc<Self>, connection: SendRequest<RequestBody>, runtime: &Handle) {
        let lane = lanes::here();
        let mut idle = self.idle(lane);
        idle.connections.push((connection, Instant::now()));
        if !std::mem::replace(&mut idle.is_swept, true) {
            runtime.spawn(sweep(Arc::downgrade(self), lane));
        }
    }

    fn idle(&self, lane: usize) -> MutexGuard<'_, Idle> {
        // There is one for each.
        let idle = &self.idle[lane.min(self.idle.len() - 1)];
        idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes a lane's connections that nobody came back to, as long as there are any.
async fn sweep(host: Weak<Host>, lane: usize) {
    const PAUSE: Duration = Duration::from_secs(10);
    loop {
        tokio::time::sleep(PAUSE).await;
        let Some(host) = host.upgrade() else { return };
        let mut idle = host.idle(lane);
        idle.connections.retain(|(connection, since)| {
            since.elapsed() < IDLE_CONNECTION && !connection.is_closed()
        });
        idle.is_swept = !idle.connections.is_empty();
        if !idle.is_swept {
            return;
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Not before the connection's task has seen the end of question and answer.
        if let Some(connection) = self.connection.take()
            && connection.is_ready()
            && let Ok(runtime) = Handle::try_current()
        {
            self.host.keep(connection, &runtime);
        }
    }
}
