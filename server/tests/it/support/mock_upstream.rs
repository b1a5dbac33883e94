//! An upstream that records what it received and behaves as told.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderMap, Method, Request, StatusCode, Uri};
use http_body_util::BodyExt;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Received {
    pub method: Method,
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: Bytes,
}

type Behaviour = Arc<dyn Fn(Received) -> BoxFuture<'static, Response> + Send + Sync>;

pub struct MockUpstream {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    server: AbortHandle,
}

impl MockUpstream {
    /// Answers every request with a small completion.
    pub async fn friendly() -> Self {
        Self::start(|_| async { completion("hello") }).await
    }

    pub async fn start<F, Fut>(behaviour: F) -> Self
    where
        F: Fn(Received) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Response> + Send + 'static,
    {
        Self::start_at(([127, 0, 0, 1], 0).into(), behaviour).await
    }

    pub async fn start_at<F, Fut>(address: SocketAddr, behaviour: F) -> Self
    where
        F: Fn(Received) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Response> + Send + 'static,
    {
        let behaviour: Behaviour = Arc::new(move |received| Box::pin(behaviour(received)));
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let app = Router::new().fallback({
            let received = Arc::clone(&received);
            move |request: Request<Body>| {
                let (behaviour, received) = (Arc::clone(&behaviour), Arc::clone(&received));
                async move {
                    let (parts, body) = request.into_parts();
                    let Ok(body) = body.collect().await else {
                        return StatusCode::BAD_REQUEST.into_response();
                    };
                    let request = Received {
                        method: parts.method,
                        uri: parts.uri,
                        headers: parts.headers,
                        body: body.to_bytes(),
                    };
                    received.lock().unwrap().push(request.clone());
                    behaviour(request).await
                }
            }
        });
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(async move {
            axum::serve(
                listener,
                app.layer(axum::extract::DefaultBodyLimit::disable()),
            )
            .await
            .unwrap();
        });
        Self {
            address,
            received,
            server: server.abort_handle(),
        }
    }

    /// The base URL to register.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The only request that arrived.
    pub fn only(&self) -> Received {
        let mut received = self.received();
        assert_eq!(received.len(), 1, "one request was expected");
        received.remove(0)
    }

    pub fn count(&self) -> usize {
        self.received.lock().unwrap().len()
    }
}

impl Drop for MockUpstream {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// A chat completion as upstreams send it.
pub fn completion(text: &str) -> Response {
    axum::Json(serde_json::json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
    }))
    .into_response()
}
