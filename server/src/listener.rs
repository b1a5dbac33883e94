//! The accept loop. axum's own sets no timers, so a client that never finishes its headers would hold a
//! connection for ever; this one bounds headers, connections and streams, and ends them in good order.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::http::Server;
use crate::lanes::Lanes;

/// From the first byte of a request to the end of its headers, and for an idle connection to send one.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
pub const MOST_HEADER_BYTES: usize = 32 * 1024;
const MOST_STREAMS: u32 = 256;
/// How often a silent HTTP/2 peer is asked whether it is still there, and how long it may take to say so.
const PING_INTERVAL: Duration = Duration::from_secs(30);
const PING_TIMEOUT: Duration = Duration::from_secs(20);

/// Bounds of the listener.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub connections: u32,
    /// How long a stop waits for answers under way.
    pub grace: Duration,
}

/// Serves until `stop` is cancelled, then takes no new connection, lets answers under way finish within
/// the grace time, and returns.
pub async fn serve(
    listener: TcpListener,
    app: Server,
    lanes: &Lanes,
    limits: Limits,
    stop: CancellationToken,
) {
    let builder = Arc::new(connection_builder());
    let places = Arc::new(Semaphore::new(limits.connections as usize));
    let connections = TaskTracker::new();
    let cut = CancellationToken::new();

    let mut lanes = lanes.in_turn();
    loop {
        let place = tokio::select! {
            () = stop.cancelled() => break,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let Ok(place) = place else { break };
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                // Out of file descriptors, most likely: trying again at once would only burn the CPU.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // It is registered anew with the runtime of its lane.
        let (Some(lane), Ok(stream)) = (lanes.next(), stream.into_std()) else {
            continue;
        };
        let (builder, app) = (Arc::clone(&builder), app.clone());
        // Each of its own, as every look at them takes a lock of theirs.
        let (stop, cut) = (stop.child_token(), cut.child_token());
        let connection = async move {
            let _place = place;
            let Ok(stream) = TcpStream::from_std(stream) else {
                return;
            };
            tokio::select! {
                () = cut.cancelled() => {}
                () = serve_connection(builder, stream, peer, app, stop) => {}
            }
        };
        connections.spawn_on(connection, lane);
    }

    drop(listener);
    connections.close();
    if tokio::time::timeout(limits.grace, connections.wait())
        .await
        .is_err()
    {
        tracing::warn!(
            open = connections.len(),
            "cutting the answers that did not finish in time"
        );
        cut.cancel();
        connections.wait().await;
    }
}

fn connection_builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MOST_HEADER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MOST_STREAMS)
        .max_header_list_size(MOST_HEADER_BYTES as u32)
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIMEOUT);
    builder
}

async fn serve_connection(
    builder: Arc<auto::Builder<TokioExecutor>>,
    stream: TcpStream,
    peer: SocketAddr,
    app: Server,
    stop: CancellationToken,
) {
    // Small frames of a stream must not wait for larger ones.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "could not set TCP_NODELAY");
    }
    let asked = Arc::new(AtomicBool::new(false));
    let service = {
        let asked = Arc::clone(&asked);
        hyper::service::service_fn(move |request: http::Request<Incoming>| {
            asked.store(true, Ordering::Relaxed);
            let request = request.map(Body::new);
            let app = app.clone();
            async move { Ok::<_, Infallible>(app.answer(request, peer).await) }
        })
    };
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));

    // hyper's own timer starts only once the protocol is known, which a client can delay for ever by
    // sending nothing or the start of an HTTP/2 preface.
    let mut silent = pin!(tokio::time::sleep(HEADER_TIMEOUT));
    let mut waiting_for_first = true;
    let mut stopping = false;
    loop {
        tokio::select! {
            result = connection.as_mut() => {
                if let Err(error) = result {
                    tracing::debug!(%peer, error, "connection ended early");
                }
                return;
            }
            () = silent.as_mut(), if waiting_for_first => {
                if !asked.load(Ordering::Relaxed) {
                    return;
                }
                waiting_for_first = false;
            }
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}
