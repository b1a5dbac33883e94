//! Route By Policy through the whole gateway: who gets a request, and why.

mod affinity;
mod capacity;
mod chaos;
mod decision;
mod explain;
mod large_bodies;
mod load;
mod replicas;
mod try_decision;

use std::convert::Infallible;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::Method;
use serde_json::{Value, json};

use crate::support::{MockUpstream, Signalbox, completion};

const BODY: &str = r#"{"model":"qwen3","messages":[{"role":"user","content":"Hello"}]}"#;

/// Answers at once, but holds a request open that says `x-hold` until its client leaves.
async fn upstream() -> MockUpstream {
    MockUpstream::start(|received| async move {
        match received.headers.contains_key("x-hold") {
            true => held_open(),
            false => completion("hello"),
        }
    })
    .await
}

fn held_open() -> Response {
    let first = stream::iter([Ok::<_, Infallible>(Bytes::from_static(b"data: {}\n\n"))]);
    let body = Body::from_stream(first.chain(stream::pending()));
    ([("content-type", "text/event-stream")], body).into_response()
}

/// So many upstreams, each of them the one instance of a provider p0, p1, … with the model m.
async fn providers(signalbox: &Signalbox, count: usize) -> Vec<MockUpstream> {
    let mut upstreams = Vec::new();
    for number in 0..count {
        let upstream = upstream().await;
        signalbox
            .provider(&format!("p{number}"), &[upstream.url()], &["m"])
            .await;
        upstreams.push(upstream);
    }
    upstreams
}

/// A route over (provider, model), deciding by this policy.
async fn route(
    signalbox: &Signalbox,
    name: &str,
    targets: &[(&str, &str)],
    policy: Value,
) -> Value {
    let targets: Vec<Value> = targets
        .iter()
        .map(|(provider, model)| json!({"provider": provider, "model": model}))
        .collect();
    let draft = json!({"name": name, "targets": targets, "policy": policy});
    let made = signalbox.create("/routes", draft).await;
    assert_eq!(made["route_by"], "policy", "{made}");
    made
}

/// Who answered.
fn target(answer: &reqwest::Response) -> String {
    assert_eq!(answer.status(), 200);
    answer.headers()["x-signalbox-target"]
        .to_str()
        .unwrap()
        .to_owned()
}

async fn explain(signalbox: &Signalbox, route: &Value, question: Value) -> Value {
    let path = format!("/routes/{}/explain", route["id"].as_str().unwrap());
    let (status, explained) = signalbox.api(Method::POST, &path, question).await;
    assert_eq!(status, 200, "{explained}");
    explained
}

/// Requests under way at each instance, in the order of the providers' names.
async fn inflight(signalbox: &Signalbox) -> Vec<u64> {
    let (_, instances) = signalbox.get("/instances").await;
    let items = instances["items"].as_array().unwrap();
    items
        .iter()
        .map(|instance| instance["inflight"].as_u64().unwrap())
        .collect()
}

/// Waits until this holds of the counts, for at most `seconds`.
async fn inflight_becomes(signalbox: &Signalbox, seconds: u64, holds: impl Fn(&[u64]) -> bool) {
    let begun = std::time::Instant::now();
    loop {
        let counts = inflight(signalbox).await;
        if holds(&counts) {
            return;
        }
        assert!(begun.elapsed().as_secs() < seconds, "still {counts:?}");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}
