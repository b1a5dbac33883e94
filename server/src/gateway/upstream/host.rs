//! One host that is asked in clear, with the connections to it that are kept for the next request.
//!
//! Each lane has its own, found without a search and taken without waiting. A general client's pool does more
//! than this way needs: a ninth of all instructions that a small request takes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderValue, Uri, request};
use tokio::runtime::Handle;

use super::connect::Connector;
use super::failure::NoAnswer;
use super::framing::Framing;
use super::wire::{Head, Wire};
use super::{Answered, BoxError, IDLE_CONNECTION, ResponseBody};
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
    wires: Vec<(Wire, Instant)>,
    /// Somebody closes those that nobody comes back to.
    is_swept: bool,
}

/// A body that arrives over a connection, which is kept once all of it has, and closed otherwise.
#[derive(Debug)]
pub struct Arriving {
    // Something until it is dropped.
    wire: Option<Wire>,
    framing: Framing,
    can_go_on: bool,
    host: Arc<Host>,
    /// Which lane's it is.
    lane: usize,
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

    /// Asks over a kept connection if there is one.
    // Boxed, as each of the futures around one is moved to where it waits, with all that is in it.
    pub fn ask<'a>(
        self: &'a Arc<Self>,
        connector: &'a Connector,
        request: request::Parts,
        body: Bytes,
    ) -> BoxFuture<'a, Answered> {
        match self.take() {
            Some(kept) => {
                boxed::in_place(|| async move { self.ask_over(kept, request, body, true).await })
            }
            None => self.ask_anew(connector, request, body),
        }
    }

    /// Asks over a connection that is made for it.
    pub fn ask_anew<'a>(
        self: &'a Arc<Self>,
        connector: &'a Connector,
        request: request::Parts,
        body: Bytes,
    ) -> BoxFuture<'a, Answered> {
        Box::pin(async move {
            let stream = connector.straight(self.uri.clone()).await;
            let stream = stream.map_err(|error| NoAnswer::connecting(&*error))?;
            self.ask_over(Wire::over(stream), request, body, false)
                .await
        })
    }

    async fn ask_over(
        self: &Arc<Self>,
        mut wire: Wire,
        request: request::Parts,
        body: Bytes,
        is_kept: bool,
    ) -> Answered {
        let answered = wire.ask(&self.name, &request, body).await;
        let Head {
            answer,
            framing,
            can_go_on,
        } = answered.map_err(|broken| NoAnswer::broken(&broken, is_kept))?;
        let arriving = Arriving {
            wire: Some(wire),
            framing,
            can_go_on,
            host: Arc::clone(self),
            lane: lanes::here(),
        };
        Ok(answer.map(|()| ResponseBody::from(arriving)))
    }

    fn take(&self) -> Option<Wire> {
        let mut idle = self.idle(lanes::here());
        // How long each was idle, the sweep looks at, now and then: a look at the clock costs what the rest does.
        let wires = std::iter::from_fn(|| idle.wires.pop());
        wires.map(|(wire, _)| wire).find(Wire::is_idle)
    }

    fn keep(self: &Arc<Self>, mut wire: Wire, lane: usize, runtime: &Handle) {
        wire.shrink();
        let mut idle = self.idle(lane);
        idle.wires.push((wire, Instant::now()));
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
        idle.wires
            .retain(|(wire, since)| since.elapsed() < IDLE_CONNECTION && wire.is_idle());
        idle.is_swept = !idle.wires.is_empty();
        if !idle.is_swept {
            return;
        }
    }
}

impl Arriving {
    /// The next piece; nothing at the end.
    pub fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        match &mut self.wire {
            Some(wire) => wire.poll_piece(&mut self.framing, cx),
            None => Poll::Ready(None),
        }
    }

    /// What is still to come.
    pub fn framing(&self) -> Framing {
        self.framing
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        if let Some(wire) = self.wire.take()
            && self.can_go_on
            && self.framing.is_ended()
            // With nothing behind the answer that would be taken for the next one.
            && wire.is_idle()
            && let Ok(runtime) = Handle::try_current()
        {
            self.host.keep(wire, self.lane, &runtime);
        }
    }
}

#[cfg(test)]
mod tests {
    use http::Request;
    use http_body_util::BodyExt;
    use tokio::io::AsyncWriteExt;
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    #[tokio::test]
    async fn a_connection_is_kept_when_nothing_is_behind_the_answer() {
        for (length, behind, is_kept) in [
            (9, 0, true),
            (9, 1, false),
            (6_000, 0, true),
            (6_000, 2_000, false),
        ] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let host = Arc::new(Host::of(&format!("http://{address}").parse().unwrap()).unwrap());
            let here = TcpStream::connect(address).await.unwrap();
            let (mut there, _) = listener.accept().await.unwrap();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
            let answer = [head.into_bytes(), vec![b'x'; length + behind]].concat();
            there.write_all(&answer).await.unwrap();
            let request = Request::post("/").body(()).unwrap().into_parts().0;
            let answer = host.ask_over(Wire::over(here), request, Bytes::new(), false);
            let body = answer.await.unwrap().into_body().collect().await.unwrap();
            assert_eq!(body.to_bytes().len(), length);
            assert_eq!(host.take().is_some(), is_kept, "{length}, {behind}");
        }
    }
}
