//! One connection, from its first byte to its end. axum's own server sets no timers, so a client that never
//! finishes its headers would hold a connection for ever; here headers, streams and silence are bounded.

use std::convert::Infallible;
use std::fmt::Display;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use crate::http::Server;
use crate::own_wakes::Wakes;

/// From the first byte of a request to the end of its headers, and for an idle connection to send one.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
pub const MOST_HEADER_BYTES: usize = 32 * 1024;
const MOST_STREAMS: u32 = 256;
/// How often a silent HTTP/2 peer is asked whether it is still there, and how long it may take to say so.
const PING_INTERVAL: Duration = Duration::from_secs(30);
const PING_TIMEOUT: Duration = Duration::from_secs(20);

/// Serves connections.
pub struct Connections {
    app: Server,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    /// How long a stop waits for answers under way.
    grace: Duration,
    cut: AtomicUsize,
}

#[derive(Clone, Copy, Debug)]
enum Protocol {
    Http1,
    Http2,
}

impl Connections {
    pub fn new(app: Server, grace: Duration) -> Self {
        let mut http1 = http1::Builder::new();
        http1
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIMEOUT)
            .max_buf_size(MOST_HEADER_BYTES);
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            .max_concurrent_streams(MOST_STREAMS)
            .max_header_list_size(MOST_HEADER_BYTES as u32)
            .keep_alive_interval(PING_INTERVAL)
            .keep_alive_timeout(PING_TIMEOUT);
        Self {
            app,
            http1,
            http2,
            grace,
            cut: AtomicUsize::default(),
        }
    }

    /// How many were cut because their answers did not end within the grace time.
    pub fn cut(&self) -> usize {
        self.cut.load(Ordering::Relaxed)
    }

    /// Serves one to its end, which comes some time after `stop` is cancelled.
    pub async fn serve(&self, stream: TcpStream, peer: SocketAddr, stop: CancellationToken) {
        // Small frames of a stream must not wait for larger ones.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "could not set TCP_NODELAY");
        }
        let protocol = tokio::select! {
            () = stop.cancelled() => return,
            protocol = tokio::time::timeout(HEADER_TIMEOUT, protocol_of(&stream)) => protocol,
        };
        let Ok(Ok(protocol)) = protocol else {
            return;
        };
        let asked = AtomicBool::new(false);
        let answer = |request: http::Request<Body>| {
            asked.store(true, Ordering::Relaxed);
            let app = self.app.clone();
            async move { Ok::<_, Infallible>(app.answer(request, peer).await) }
        };
        let io = TokioIo::new(stream);
        match protocol {
            Protocol::Http1 => {
                let wakes = Arc::new(Wakes::default());
                let waker = Waker::from(Arc::clone(&wakes));
                let service = service_fn(|request: http::Request<Incoming>| {
                    answer(request.map(|body| Body::new(wakes.body(body))))
                });
                let connection = pin!(self.http1.serve_connection(io, service));
                let look = |connection: Pin<&mut _>, cx: &mut Context<'_>| {
                    wakes.poll(connection, &waker, cx)
                };
                self.drive(connection, look, peer, &stop).await;
            }
            Protocol::Http2 => {
                let service =
                    service_fn(|request: http::Request<Incoming>| answer(request.map(Body::new)));
                // Boxed, as the other protocol's is much smaller and most are of that.
                let mut connection = Box::pin(self.http2.serve_connection(io, service));
                tokio::select! {
                    () = self.drive(connection.as_mut(), Future::poll, peer, &stop) => {}
                    () = asks_nothing(&asked) => {}
                }
            }
        }
    }

    async fn drive<C>(
        &self,
        mut connection: Pin<&mut C>,
        look: impl Fn(Pin<&mut C>, &mut Context<'_>) -> Poll<C::Output>,
        peer: SocketAddr,
        stop: &CancellationToken,
    ) where
        C: GracefulConnection<Error: Display>,
    {
        let ended = tokio::select! {
            // Both are looked at whenever something comes; drawing which is first would cost as much.
            biased;
            ended = poll_fn(|cx| look(connection.as_mut(), cx)) => Ok(ended),
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                let rest = poll_fn(|cx| look(connection.as_mut(), cx));
                tokio::time::timeout(self.grace, rest).await
            }
        };
        match ended {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%peer, %error, "connection ended early"),
            Err(_) => {
                self.cut.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// By the first bytes, which stay unread. hyper-util's own way reads them, and then hyper takes twice the
/// memory to read the rest.
async fn protocol_of(stream: &TcpStream) -> io::Result<Protocol> {
    /// What HTTP/2 begins with, and no request of HTTP/1.
    const PREFACE: &[u8] = b"PRI ";
    /// To look again when only a part of that is there.
    const PAUSE: Duration = Duration::from_millis(10);
    let mut begin = [0; PREFACE.len()];
    loop {
        let length = stream.peek(&mut begin).await?;
        let begin = begin.get(..length).unwrap_or_default();
        match begin {
            [] => return Err(io::ErrorKind::UnexpectedEof.into()),
            PREFACE => return Ok(Protocol::Http2),
            part if PREFACE.starts_with(part) => tokio::time::sleep(PAUSE).await,
            _ => return Ok(Protocol::Http1),
        }
    }
}

/// Ends when a client has not asked for anything in its time: hyper's own timer begins after the preface of
/// HTTP/2, which a client may never end.
async fn asks_nothing(asked: &AtomicBool) {
    tokio::time::sleep(HEADER_TIMEOUT).await;
    if asked.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
}
