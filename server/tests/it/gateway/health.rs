//! Instances that cannot be reached are left alone for a while, and eased in when they are back.

use http::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::{MockUpstream, Signalbox, completion};

const BODY: &str = r#"{"model":"qwen3"}"#;

async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}

async fn health(signalbox: &Signalbox) -> Vec<String> {
    let (_, instances) = signalbox.get("/instances").await;
    let items = instances["items"].as_array().unwrap();
    let health = items
        .iter()
        .map(|one| one["health"].as_str().unwrap().to_owned());
    health.collect()
}

async fn explained(signalbox: &Signalbox, route: &Value) -> Vec<Value> {
    let path = format!("/routes/{}/explain", route["id"].as_str().unwrap());
    let (code, explained) = signalbox.api(Method::POST, &path, json!({})).await;
    assert_eq!(code, 200, "{explained}");
    explained["ranking"].as_array().unwrap().clone()
}

#[tokio::test]
async fn three_failures_in_a_row_eject_and_requests_pass_it_over() {
    let well = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("dead", &[nobody().await], &["m"]).await;
    signalbox.provider("well", &[well.url()], &["m"]).await;
    let route = signalbox
        .route("qwen3", &[("dead", "m", None), ("well", "m", None)])
        .await;
    let key = signalbox.key().await;
    let mut attempts = Vec::new();
    for _ in 0..12 {
        let answer = signalbox.chat(&key, BODY).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        attempts.push(
            answer.headers()["x-signalbox-attempts"]
                .to_str()
                .unwrap()
                .to_owned(),
        );
    }
    let twice = attempts.iter().filter(|tries| *tries == "2").count();
    assert_eq!(twice, 3, "{attempts:?}");
    assert_eq!(health(&signalbox).await, ["ejected", "ok"]);
    let (_, instances) = signalbox.get("/instances").await;
    assert!(instances["items"][0]["ejected_until"].is_string());
    assert_eq!(instances["items"][0]["last_error"], "could not be reached");
    let ranking = explained(&signalbox, &route).await;
    assert_eq!(ranking[1]["target"], "dead/m");
    assert!(ranking[1]["left_out"].as_str().unwrap().contains("failed"));
}

#[tokio::test]
async fn where_all_are_ejected_they_are_tried_all_the_same() {
    let signalbox = Signalbox::start().await;
    signalbox
        .provider("dead", &[nobody().await, nobody().await], &["m"])
        .await;
    signalbox.route("qwen3", &[("dead", "m", None)]).await;
    let key = signalbox.key().await;
    for _ in 0..6 {
        let answer = signalbox.chat(&key, BODY).send().await.unwrap();
        assert_eq!(answer.status(), 502);
        assert_eq!(answer.headers()["x-signalbox-attempts"], "2");
    }
    assert_eq!(health(&signalbox).await, ["ejected", "ejected"]);
}

#[tokio::test]
async fn a_server_error_is_no_failure_to_reach_it() {
    let failing = MockUpstream::start(|_| async {
        axum::response::IntoResponse::into_response(http::StatusCode::SERVICE_UNAVAILABLE)
    })
    .await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("p", &[failing.url()], &["m"]).await;
    signalbox.route("qwen3", &[("p", "m", None)]).await;
    let key = signalbox.key().await;
    for _ in 0..5 {
        signalbox.chat(&key, BODY).send().await.unwrap();
    }
    let (_, instances) = signalbox.get("/instances").await;
    assert_eq!(instances["items"][0]["health"], "ok");
    assert_eq!(instances["items"][0]["last_error"], "answered 503");
}

/// Real time: ten seconds away, then ten in which it counts as busier than it is.
#[tokio::test]
async fn a_returning_instance_is_eased_in() {
    let address = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let well = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    let url = format!("http://{address}/v1");
    signalbox.provider("a-returning", &[url], &["m"]).await;
    signalbox.provider("b-well", &[well.url()], &["m"]).await;
    let targets = json!([
        {"provider": "a-returning", "model": "m"}, {"provider": "b-well", "model": "m"},
    ]);
    let policy = json!({"least_inflight": {}});
    let draft = json!({"name": "qwen3", "targets": targets, "policy": policy});
    let route = signalbox.create("/routes", draft).await;
    let key = signalbox.key().await;
    // Ties go either way, so it takes some requests until three of them failed there.
    while health(&signalbox).await[0] != "ejected" {
        assert_eq!(
            signalbox.chat(&key, BODY).send().await.unwrap().status(),
            200
        );
    }
    let returned = MockUpstream::start_at(address, |_| async { completion("back") }).await;
    while health(&signalbox).await[0] != "recovering" {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let ranking = explained(&signalbox, &route).await;
    assert_eq!(ranking[0]["target"], "b-well/m");
    let share = |ranked: &Value| {
        ranked["scorers"]["least_inflight"]["share"]
            .as_f64()
            .unwrap()
    };
    let (idle, eased) = (share(&ranking[0]), share(&ranking[1]));
    assert!(
        idle > eased && eased > idle / 2.0 - 0.01,
        "a penalty of at most 1: {ranking:?}"
    );
    for _ in 0..10 {
        signalbox.chat(&key, BODY).send().await.unwrap();
    }
    assert_eq!(returned.count(), 0, "the idle one goes first meanwhile");
    while health(&signalbox).await[0] != "ok" {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    for _ in 0..40 {
        signalbox.chat(&key, BODY).send().await.unwrap();
    }
    assert!(returned.count() > 0);
}

#[tokio::test]
async fn health_checks_eject_and_bring_back_without_any_request() {
    let sick = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let upstream = MockUpstream::start({
        let sick = sick.clone();
        move |received| {
            let is_sick = sick.load(std::sync::atomic::Ordering::SeqCst);
            async move {
                assert_eq!(received.uri, "/deep/health?full=1");
                assert!(received.headers.contains_key("authorization"));
                match is_sick {
                    true => axum::response::IntoResponse::into_response(
                        http::StatusCode::INTERNAL_SERVER_ERROR,
                    ),
                    false => completion("well"),
                }
            }
        }
    })
    .await;
    let signalbox = Signalbox::start().await;
    let draft = json!({
        "name": "p", "kind": "openai", "instances": [{"url": upstream.url()}], "models": [{"name": "m"}],
        "credentials": [{"secret": "upstream-secret"}],
        "health_check": {"path": "/deep/health?full=1", "interval_s": 1},
    });
    signalbox.create("/providers", draft).await;
    while health(&signalbox).await[0] != "ejected" {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let (_, instances) = signalbox.get("/instances").await;
    let why = instances["items"][0]["last_error"].as_str().unwrap();
    assert_eq!(why, "answered 500 to its health check");
    sick.store(false, std::sync::atomic::Ordering::SeqCst);
    while health(&signalbox).await[0] != "recovering" {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}
