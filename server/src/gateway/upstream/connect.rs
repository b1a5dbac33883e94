//! How a connection to a provider comes about: the name resolved with care, through the operator's proxy
//! where there is one, with TLS where the URL says so, and all of that within one timeout.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{io, vec};

use http::{Uri, uri};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tower::Service;

use super::proxy::Proxy;
use super::{BoxError, CONNECTED};
use crate::upstream_url::is_link_local;

/// After so long of silence a connection's other end is asked whether it is still there, so often.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
const KEEP_ALIVE_PROBES: u32 = 3;

type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

/// Connects to what a URL names.
// A client clones it for every request.
#[derive(Clone)]
pub struct Connector(Arc<Parts>);

struct Parts {
    straight: HttpConnector<GuardedResolver>,
    way: HttpsConnector<Way>,
    timeout: Duration,
}

impl Connector {
    pub fn new(
        resolver: GuardedResolver,
        proxy: Option<Arc<Proxy>>,
        tls: &ClientConfig,
        timeout: Duration,
    ) -> Self {
        let mut tcp = HttpConnector::new_with_resolver(resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(KEEP_ALIVE));
        tcp.set_keepalive_interval(Some(KEEP_ALIVE));
        tcp.set_keepalive_retries(Some(KEEP_ALIVE_PROBES));
        let to_proxy = HttpsConnector::from((tcp.clone(), tls.clone()));
        let mut tls = tls.clone();
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let straight = tcp.clone();
        let way = Way {
            tcp,
            to_proxy,
            proxy,
        };
        Self(Arc::new(Parts {
            straight,
            way: HttpsConnector::from((way, tls)),
            timeout,
        }))
    }
}

impl Connector {
    /// To a host itself, in clear.
    pub async fn straight(&self, host: Uri) -> Result<TcpStream, BoxError> {
        let stream = self.0.straight.clone().call(host);
        let stream = tokio::time::timeout(self.0.timeout, stream).await??;
        Ok(stream.into_inner())
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let timeout = self.0.timeout;
        f.debug_struct("Connector")
            .field("timeout", &timeout)
            .finish_non_exhaustive()
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<Hop>;
    type Error = BoxError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, destination: Uri) -> Self::Future {
        // Nobody asks about requests outside of a scope.
        let _ = CONNECTED.try_with(|connected| connected.store(true, Ordering::Relaxed));
        let mut way = self.0.way.clone();
        let timeout = self.0.timeout;
        Box::pin(async move { tokio::time::timeout(timeout, way.call(destination)).await? })
    }
}

/// To where the TLS of an `https` URL begins: the host that it names, through the proxy if there is one.
#[derive(Clone)]
struct Way {
    tcp: HttpConnector<GuardedResolver>,
    to_proxy: HttpsConnector<HttpConnector<GuardedResolver>>,
    proxy: Option<Arc<Proxy>>,
}

impl Service<Uri> for Way {
    type Response = Hop;
    type Error = BoxError;
    type Future = Connecting<Hop>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, destination: Uri) -> Self::Future {
        let Self {
            mut tcp,
            mut to_proxy,
            proxy,
        } = self.clone();
        Box::pin(async move {
            let Some(proxy) = proxy else {
                let stream = tcp.call(destination).await?;
                return Ok(Hop::to_host(MaybeHttpsStream::Http(stream)));
            };
            if destination.scheme() != Some(&uri::Scheme::HTTPS) {
                let stream = to_proxy.call(proxy.uri().clone()).await?;
                return Ok(Hop {
                    stream,
                    ends_at_proxy: true,
                });
            }
            let mut tunnel = Tunnel::new(proxy.uri().clone(), to_proxy);
            if let Some(authorization) = proxy.authorization() {
                tunnel = tunnel.with_auth(authorization.clone());
            }
            Ok(Hop::to_host(tunnel.call(destination).await?))
        })
    }
}

/// A connection to the host, or to a proxy that wants to read each request.
pub struct Hop {
    stream: MaybeHttpsStream<TokioIo<TcpStream>>,
    ends_at_proxy: bool,
}

impl Hop {
    fn to_host(stream: MaybeHttpsStream<TokioIo<TcpStream>>) -> Self {
        Self {
            stream,
            ends_at_proxy: false,
        }
    }
}

impl Connection for Hop {
    fn connected(&self) -> Connected {
        self.stream.connected().proxy(self.ends_at_proxy)
    }
}

impl Read for Hop {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl Write for Hop {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, pieces)
    }
}

/// The system's resolver, without link-local answers: cloud machines keep their own credentials there.
#[derive(Clone, Copy, Debug)]
pub struct GuardedResolver {
    pub allow_link_local: bool,
}

impl GuardedResolver {
    async fn addresses(self, name: &str) -> Result<vec::IntoIter<SocketAddr>, BoxError> {
        let found = tokio::net::lookup_host((name, 0)).await?;
        let allowed: Vec<SocketAddr> = found
            .filter(|address| self.allow_link_local || !is_link_local(address.ip()))
            .collect();
        match allowed.is_empty() {
            true => Err(format!("`{name}` has no address that may be called").into()),
            false => Ok(allowed.into_iter()),
        }
    }
}

impl Service<Name> for GuardedResolver {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = BoxError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let resolver = *self;
        Box::pin(async move { resolver.addresses(name.as_str()).await })
    }
}

impl reqwest::dns::Resolve for GuardedResolver {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let resolver = *self;
        Box::pin(async move {
            let addresses = resolver.addresses(name.as_str()).await?;
            Ok(Box::new(addresses) as reqwest::dns::Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_that_resolves_to_nothing_allowed_is_refused() {
        let guarded = GuardedResolver {
            allow_link_local: false,
        };
        assert!(guarded.addresses("localhost").await.is_ok());
        let refused = guarded.addresses("169.254.169.254").await.unwrap_err();
        assert!(refused.to_string().contains("may be called"), "{refused}");
        let open = GuardedResolver {
            allow_link_local: true,
        };
        assert!(open.addresses("169.254.169.254").await.is_ok());
    }
}
