//! One host that is asked in clear, with the connections to it that are kept for the next request.
//!
//! Each lane has its own, found without a search and taken without waiting. A general client's pool does more
//! than this way needs, and costs a request an eighth of the gateway's work.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use http::uri::PathAndQuery;
use http::{HeaderValue, Request, Response, Uri, header};
use hyper::client::conn::http1::{self, SendRequest};
use tokio::runtime::Handle;
use tower::Service;

use super::connect::Connector;
use super::failure::NoAnswer;
use super::{IDLE_CONNECTION, RequestBody, ResponseBody};
use crate::lanes;

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
    pub async fn execute(
        self: &Arc<Self>,
        connector: &Connector,
        request: Request<RequestBody>,
    ) -> Result<Response<ResponseBody>, NoAnswer> {
        let request = self.addressed(request);
        let Some(kept) = self.take() else {
            return self.send_anew(connector, request).await;
        };
        match self.send(kept, request).await {
            Ok(answer) => Ok(answer),
            // It was closed before any of this was sent.
            Err((_, Some(request))) => self.send_anew(connector, request).await,
            Err((error, None)) => Err(NoAnswer::reset(&error, true)),
        }
    }

    /// Sends over a connection that is made for it.
    pub async fn execute_anew(
        self: &Arc<Self>,
        connector: &Connector,
        request: Request<RequestBody>,
    ) -> Result<Response<ResponseBody>, NoAnswer> {
        self.send_anew(connector, self.addressed(request)).await
    }

    async fn send_anew(
        self: &Arc<Self>,
        connector: &Connector,
        request: Request<RequestBody>,
    ) -> Result<Response<ResponseBody>, NoAnswer> {
        // Boxed, as it is seldom needed and much larger than what a kept connection needs.
        let connection = Box::pin(self.connect(connector)).await?;
        let sent = self.send(connection, request).await;
        sent.map_err(|(error, _)| NoAnswer::reset(&error, false))
    }

    /// An error comes with the request if none of it was sent.
    async fn send(
        self: &Arc<Self>,
        mut connection: SendRequest<RequestBody>,
        request: Request<RequestBody>,
    ) -> Result<Response<ResponseBody>, (hyper::Error, Option<Request<RequestBody>>)> {
        match connection.try_send_request(request).await {
            Ok(answer) => {
                let lease = Lease {
                    connection: Some(connection),
                    host: Arc::clone(self),
                };
                Ok(answer.map(|body| ResponseBody::leased(body, lease)))
            }
            Err(mut error) => {
                let request = error.take_message();
                Err((error.into_error(), request))
            }
        }
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
        while let Some((connection, since)) = idle.connections.pop() {
            if since.elapsed() < IDLE_CONNECTION && connection.is_ready() {
                return Some(connection);
            }
        }
        None
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
