//! The accept loop: so many connections at a time, each given to a lane, and ended in good order.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connection::Connections;
use crate::http::Server;
use crate::lanes::Lanes;

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
    let connections = Arc::new(Connections::new(app, limits.grace));
    let places = Arc::new(Semaphore::new(limits.connections as usize));
    let open = TaskTracker::new();

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
        let connections = Arc::clone(&connections);
        // Each has its own, as every look at one takes a lock of its.
        let stop = stop.child_token();
        let connection = async move {
            let _place = place;
            if let Ok(stream) = TcpStream::from_std(stream) {
                connections.serve(stream, peer, stop).await;
            }
        };
        open.spawn_on(connection, lane);
    }

    drop(listener);
    open.close();
    open.wait().await;
    let cut = connections.cut();
    if cut > 0 {
        tracing::warn!(cut, "cut the answers that did not finish in time");
    }
}
