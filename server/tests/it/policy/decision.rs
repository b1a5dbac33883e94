//! Decision Service Routing: a decision picks the model, and no failure of it fails a request.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Json;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use super::*;
use crate::support::Received;

/// The answer of a service.
pub(super) fn said(small: f64, large: f64, confidence: f64) -> Response {
    Json(json!({
        "model": "jev-1.13.0", "usage": {"input_tokens": 1, "output_tokens": 1},
        "answers": {"model_selection": {
            "type": "choice", "choice": "large",
            "probabilities": {"small": small, "large": large}, "confidence": confidence,
        }},
    }))
    .into_response()
}

/// A decision provider at these URLs, with two credentials.
pub(super) async fn jev_at(signalbox: &Signalbox, urls: &[String]) -> Value {
    let instances: Vec<Value> = urls.iter().map(|url| json!({"url": url})).collect();
    let draft = json!({
        "name": "jev", "kind": "decision", "instances": instances,
        "models": [{"name": "jev-latest", "category": "decision"}],
        "credentials": [{"secret": "first-secret"}, {"secret": "second-secret"}],
    });
    signalbox.create("/providers", draft).await
}

/// What a route says of it, with some of it changed.
pub(super) fn settings(changed: Value) -> Value {
    let mut settings = json!({
        "provider": "jev", "model": "jev-latest", "timeout_ms": 300,
        "criteria": {"small": "greetings and small talk", "large": "proofs and code"},
    });
    for (name, value) in changed.as_object().unwrap() {
        settings[name] = value.clone();
    }
    settings
}

/// Two models of one provider behind a route that asks this service; affinity holds what is left.
struct Decided {
    signalbox: Signalbox,
    upstream: MockUpstream,
    route: Value,
    key: String,
}

impl Decided {
    async fn by(urls: &[String]) -> Self {
        let signalbox = Signalbox::start().await;
        let upstream = upstream().await;
        let models = ["small", "large"];
        signalbox.provider("p", &[upstream.url()], &models).await;
        jev_at(&signalbox, urls).await;
        let policy = json!({"least_inflight": {}, "decision_service": settings(json!({}))});
        let targets = [("p", "small"), ("p", "large")];
        let route = route(&signalbox, "qwen3", &targets, policy).await;
        let key = signalbox.key().await;
        Self {
            signalbox,
            upstream,
            route,
            key,
        }
    }

    /// Sends one request; who answered it and after how long.
    async fn ask(&self, words: &str) -> (String, Duration) {
        let begun = Instant::now();
        let messages = json!([{"role": "user", "content": words}]);
        let body = json!({"model": "qwen3", "messages": messages}).to_string();
        let answer = self.signalbox.chat(&self.key, body).send().await.unwrap();
        (target(&answer), begun.elapsed())
    }

    /// Why the decision is missing.
    async fn reason(&self) -> String {
        let question = json!({"body": {"messages": [{"role": "user", "content": "Hello"}]}});
        let explained = explain(&self.signalbox, &self.route, question).await;
        let reason = explained["abstained"]["decision_service"].as_str();
        reason.unwrap_or_default().to_owned()
    }
}

/// Decides by whether the state holds the word.
async fn sensible() -> MockUpstream {
    MockUpstream::start(|received| async move {
        let question: Value = serde_json::from_slice(&received.body).unwrap();
        match question["state"].as_str().unwrap().contains("Prove") {
            true => said(0.1, 0.9, 0.8),
            false => said(0.9, 0.1, 0.8),
        }
    })
    .await
}

#[tokio::test]
async fn a_decision_picks_the_model() {
    let jev = sensible().await;
    let decided = Decided::by(&[jev.url()]).await;
    for _ in 0..3 {
        assert_eq!(
            decided.ask("Write a one-line greeting card.").await.0,
            "p/small"
        );
        assert_eq!(
            decided
                .ask("Prove that there are infinitely many primes.")
                .await
                .0,
            "p/large"
        );
    }
    let asked = &jev.received()[0];
    assert_eq!(asked.uri.path(), "/v1/systemone");
    assert_eq!(asked.headers["authorization"], "Bearer first-secret");
    assert_eq!(asked.headers["content-type"], "application/json");
    assert!(!asked.headers.contains_key("session-id"));
    let question: Value = serde_json::from_slice(&asked.body).unwrap();
    assert_eq!(question["model"], "jev-latest");
    let choice = &question["questions"]["model_selection"];
    assert_eq!(choice["type"], "choice");
    assert!(choice["instructions"].as_str().unwrap().len() > 20);
    assert_eq!(choice["criteria"]["large"], "proofs and code");
    assert_eq!(decided.upstream.count(), 6);
}

#[tokio::test]
async fn the_decision_picks_the_model_and_load_the_instance_within_it() {
    let jev = MockUpstream::start(|_| async { said(0.1, 0.9, 0.8) }).await;
    let signalbox = Signalbox::start().await;
    let (a, b, c) = (upstream().await, upstream().await, upstream().await);
    signalbox
        .provider("strong", &[a.url(), b.url()], &["large"])
        .await;
    signalbox.provider("weak", &[c.url()], &["small"]).await;
    jev_at(&signalbox, &[jev.url()]).await;
    let policy = json!({"least_inflight": {}, "decision_service": settings(json!({}))});
    route(
        &signalbox,
        "qwen3",
        &[("weak", "small"), ("strong", "large")],
        policy,
    )
    .await;
    let key = signalbox.key().await;
    let mut held = Vec::new();
    for _ in 0..10 {
        held.push(
            signalbox
                .chat(&key, BODY)
                .header("x-hold", "1")
                .send()
                .await
                .unwrap(),
        );
    }
    assert_eq!((a.count(), b.count(), c.count()), (5, 5, 0));
}

/// Every request is answered by a target; three wait for the service at most as long as allowed, and
/// the rest do not wait at all.
async fn goes_on_without(urls: &[String], asked: impl Fn() -> usize, reason: &str) {
    let decided = Decided::by(urls).await;
    for _ in 0..3 {
        let said = decided.reason().await;
        assert!(
            said.contains(reason),
            "an explanation trips nothing: {said}"
        );
    }
    let explained = asked();
    let mut waited = 0;
    for _ in 0..12 {
        let (_, took) = decided.ask("Hello").await;
        waited += usize::from(took > Duration::from_millis(250));
    }
    assert!(waited <= 3, "{waited} waited");
    assert_eq!(decided.upstream.count(), 12);
    assert!(
        asked() - explained <= 3,
        "asked {} times",
        asked() - explained
    );
    assert!(decided.reason().await.contains("left alone"));
}

#[tokio::test]
async fn a_service_that_fails_in_any_way_is_done_without() {
    let hangs = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hanging = [format!("http://{}", hangs.local_addr().unwrap())];
    goes_on_without(&hanging, || 0, "did not answer within 300 ms").await;

    let resets = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let resetting = [format!("http://{}", resets.local_addr().unwrap())];
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = resets.accept().await {
            let _ = stream.read(&mut [0; 64]).await;
            // Closed with bytes unread: a reset.
        }
    });
    goes_on_without(&resetting, || 0, "closed the connection").await;
    serving.abort();

    let gone = ["http://127.0.0.1:9".to_owned()];
    goes_on_without(&gone, || 0, "could not be reached").await;

    type Misbehaviour = fn(Received) -> Response;
    let table: [(&str, Misbehaviour); 7] = [
        ("more than 64 KiB", |_| {
            vec![b' '; 1024 * 1024].into_response()
        }),
        ("redirect", |_| {
            (StatusCode::FOUND, [("location", "/v1/elsewhere")]).into_response()
        }),
        ("answered 500", |_| {
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }),
        ("answered 404", |_| StatusCode::NOT_FOUND.into_response()),
        ("not Jev's JSON", |_| "hello".into_response()),
        ("confidence outside", |_| said(0.1, 0.9, 1.5)),
        ("probability outside", |_| said(-0.1, 0.9, 0.5)),
    ];
    for (reason, misbehaviour) in table {
        let jev = MockUpstream::start(move |received| async move { misbehaviour(received) }).await;
        goes_on_without(&[jev.url()], || jev.count(), reason).await;
    }
}

#[tokio::test]
async fn an_answer_that_stops_half_way_ends_with_the_timeout() {
    let jev = MockUpstream::start(|_| async { held_open() }).await;
    goes_on_without(&[jev.url()], || jev.count(), "did not answer within").await;
}

#[tokio::test]
async fn no_confidence_abstains_and_trips_nothing() {
    let jev = MockUpstream::start(|_| async { said(0.5, 0.5, 0.0) }).await;
    let decided = Decided::by(&[jev.url()]).await;
    for _ in 0..10 {
        decided.ask("Hello").await;
    }
    assert_eq!(jev.count(), 10, "asked each time");
    assert!(decided.reason().await.contains("no confidence"));
}

#[tokio::test]
async fn after_ten_seconds_one_probe_brings_it_back() {
    let works = Arc::new(Mutex::new(false));
    let jev = MockUpstream::start({
        let works = Arc::clone(&works);
        move |_| {
            let works = *works.lock().unwrap();
            async move {
                match works {
                    true => said(0.0, 1.0, 1.0),
                    false => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
                }
            }
        }
    })
    .await;
    let decided = Decided::by(&[jev.url()]).await;
    for _ in 0..5 {
        decided.ask("Hello").await;
    }
    assert_eq!(jev.count(), 3);
    *works.lock().unwrap() = true;
    // Saving another route does not make it forget.
    decided
        .signalbox
        .route("other", &[("p", "small", None)])
        .await;
    decided.ask("Hello").await;
    assert_eq!(jev.count(), 3);
    tokio::time::sleep(Duration::from_millis(10_100)).await;
    assert_eq!(decided.ask("Hello").await.0, "p/large");
    assert_eq!(decided.ask("Hello").await.0, "p/large");
    assert_eq!(jev.count(), 5);
}

#[tokio::test]
async fn a_refused_credential_gives_way_to_the_next_and_rests() {
    for status in [401, 403, 429] {
        let jev = MockUpstream::start(move |received| async move {
            match received.headers["authorization"].as_bytes() {
                b"Bearer second-secret" => said(0.0, 1.0, 1.0),
                _ => StatusCode::from_u16(status).unwrap().into_response(),
            }
        })
        .await;
        let decided = Decided::by(&[jev.url()]).await;
        for _ in 0..5 {
            assert_eq!(decided.ask("Hello").await.0, "p/large");
        }
        assert_eq!(jev.count(), 6, "the first was tried once");
    }
}

#[tokio::test]
async fn instances_take_turns() {
    let (one, other) = (sensible().await, sensible().await);
    let decided = Decided::by(&[one.url(), other.url()]).await;
    for _ in 0..6 {
        decided.ask("Hello").await;
    }
    assert_eq!((one.count(), other.count()), (3, 3));
}

#[tokio::test]
async fn a_client_that_leaves_cancels_its_decision_and_trips_nothing() {
    let begun = Arc::new(AtomicUsize::new(0));
    let jev = MockUpstream::start({
        let begun = Arc::clone(&begun);
        move |_| {
            let number = begun.fetch_add(1, Ordering::SeqCst);
            async move {
                if number < 6 {
                    tokio::time::sleep(Duration::from_millis(250)).await;
                }
                said(0.0, 1.0, 1.0)
            }
        }
    })
    .await;
    let decided = Decided::by(&[jev.url()]).await;
    for _ in 0..6 {
        let asking = decided.ask("Hello");
        assert!(
            tokio::time::timeout(Duration::from_millis(100), asking)
                .await
                .is_err()
        );
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(
        decided.upstream.count(),
        0,
        "nobody waits for these any more"
    );
    assert_eq!(decided.ask("Hello").await.0, "p/large");
    inflight_becomes(&decided.signalbox, 1, |counts| {
        counts.iter().all(|count| *count == 0)
    })
    .await;
}

#[tokio::test]
async fn it_is_not_asked_where_there_is_nothing_to_decide() {
    let jev = sensible().await;
    let decided = Decided::by(&[jev.url()]).await;
    let mut route = decided.route.clone();
    route["targets"][1]["enabled"] = json!(false);
    let path = format!("/routes/{}", route["id"].as_str().unwrap());
    let (status, saved) = decided.signalbox.api(Method::PUT, &path, route).await;
    assert_eq!(status, 200, "{saved}");
    assert_eq!(decided.ask("Prove it").await.0, "p/small");
    assert_eq!(jev.count(), 0);
    assert!(decided.reason().await.contains("fewer than two"));
}

#[tokio::test]
async fn a_decision_provider_is_tested_listed_and_held_by_its_routes() {
    let jev = MockUpstream::start(|received| async move {
        match (
            received.uri.path(),
            received.headers["authorization"].as_bytes(),
        ) {
            ("/v1/models", b"Bearer first-secret") => Json(json!({
                "models": [{"name": "jev-latest", "description": "d"}, {"name": "jev-preview"}],
            }))
            .into_response(),
            _ => StatusCode::UNAUTHORIZED.into_response(),
        }
    })
    .await;
    let decided = Decided::by(&[jev.url()]).await;
    let (_, providers) = decided.signalbox.get("/providers").await;
    let provider = &providers["items"][0];
    assert_eq!(
        (&provider["name"], &provider["kind"]),
        (&json!("jev"), &json!("decision"))
    );
    let path = format!("/providers/{}", provider["id"].as_str().unwrap());
    let test = format!("{path}/test");
    let (_, tested) = decided
        .signalbox
        .api(Method::POST, &test, Value::Null)
        .await;
    assert_eq!(tested["ok"], true, "{tested}");
    let (_, models) = decided
        .signalbox
        .get(&format!("{path}/upstream-models"))
        .await;
    assert_eq!(models["items"], json!(["jev-latest", "jev-preview"]));
    let (status, error) = decided
        .signalbox
        .api(Method::DELETE, &path, Value::Null)
        .await;
    assert_eq!(status, 409);
    assert!(
        error["error"]["message"]
            .as_str()
            .unwrap()
            .contains("qwen3")
    );
}
