//! `GET /metrics`: who may read it, what it counts, and that the dashboard asks only for what is there.

use std::collections::HashSet;

use axum::response::IntoResponse;
use http::StatusCode;
use serde_json::{Value, json};

use crate::support::{MockUpstream, Signalbox};

const DASHBOARD: &str = include_str!("../../../../docs/grafana-dashboard.json");

async fn metrics(signalbox: &Signalbox) -> String {
    // What has ended is worked up by now.
    signalbox.get("/requests").await;
    let answer = signalbox
        .client
        .get(signalbox.url("/metrics"))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    answer.text().await.unwrap()
}

/// The value of the series that begins so.
fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find(|line| line.starts_with(series));
    let line = line.unwrap_or_else(|| panic!("there is no {series} in\n{text}"));
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

async fn some_traffic() -> (Signalbox, String) {
    let failing =
        MockUpstream::start(|_| async { StatusCode::SERVICE_UNAVAILABLE.into_response() }).await;
    let well = MockUpstream::start(|_| async {
        axum::Json(json!({"usage": {"prompt_tokens": 7, "completion_tokens": 5}})).into_response()
    })
    .await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("a", &[failing.url()], &["m"]).await;
    signalbox.provider("b", &[well.url()], &["m"]).await;
    signalbox
        .route("qwen3", &[("a", "m", None), ("b", "m", None)])
        .await;
    let key = signalbox.key().await;
    for model in ["qwen3", "qwen3", "nowhere"] {
        let answer = signalbox
            .chat(&key, json!({"model": model}).to_string())
            .send()
            .await
            .unwrap();
        answer.bytes().await.unwrap();
    }
    (signalbox, key)
}

#[tokio::test]
async fn requests_attempts_and_tokens_are_counted() {
    let (signalbox, key) = some_traffic().await;
    let text = metrics(&signalbox).await;
    let chat = r#"endpoint="/chat/completions""#;
    let requests = |route: &str, status: u16| {
        format!(r#"signalbox_requests_total{{{chat},route="{route}",status="{status}"}}"#)
    };
    assert_eq!(value(&text, &requests("qwen3", 200)), 2.0);
    assert_eq!(value(&text, &requests("", 404)), 1.0);
    assert_eq!(
        value(
            &text,
            r#"signalbox_attempts_total{outcome="503",provider="a"}"#
        ),
        1.0
    );
    assert_eq!(
        value(
            &text,
            r#"signalbox_attempts_total{outcome="200",provider="b"}"#
        ),
        2.0
    );
    assert_eq!(
        value(
            &text,
            r#"signalbox_tokens_total{kind="input",route="qwen3"}"#
        ),
        14.0
    );
    assert_eq!(
        value(
            &text,
            r#"signalbox_tokens_total{kind="output",route="qwen3"}"#
        ),
        10.0
    );
    assert_eq!(
        value(
            &text,
            &format!("signalbox_request_duration_seconds_count{{{chat}}}")
        ),
        3.0
    );
    assert_eq!(value(&text, "signalbox_records_dropped_total"), 0.0);
    assert_eq!(value(&text, "signalbox_build_info{"), 1.0);
    assert!(value(&text, "process_resident_memory_bytes") > 1e6);
    assert!(text.contains(r#"signalbox_inflight_requests{instance="http://127.0.0.1:"#));
    assert!(
        !text.contains(&key) && !text.contains("test"),
        "no keys in labels"
    );
}

#[tokio::test]
async fn it_is_open_on_this_machine_and_elsewhere_to_management_keys() {
    let signalbox = Signalbox::start().await;
    let made = json!({"name": "m", "scopes": ["management"]});
    let management = signalbox.create("/keys", made).await;
    let inference = signalbox.key().await;
    let ask = async |key: Option<&str>, through_a_proxy: bool| {
        let mut request = signalbox.client.get(signalbox.url("/metrics"));
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        if through_a_proxy {
            request = request.header("x-forwarded-for", "203.0.113.9");
        }
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(ask(None, false).await, 200);
    assert_eq!(ask(None, true).await, 401);
    assert_eq!(ask(Some(&inference), true).await, 401);
    assert_eq!(ask(management["key"].as_str(), true).await, 200);
}

#[tokio::test]
async fn the_dashboard_asks_only_for_what_is_there() {
    let (signalbox, _) = some_traffic().await;
    let text = metrics(&signalbox).await;
    let there: HashSet<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['{', ' ']).next())
        .collect();
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut asked = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let query = target["expr"].as_str().unwrap();
            let is_name =
                |word: &&str| word.starts_with("signalbox_") || word.starts_with("process_");
            let words = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for name in words.filter(is_name) {
                assert!(there.contains(name), "{name} of `{query}` is not there");
                asked += 1;
            }
        }
    }
    assert!(asked >= 10, "{asked}");
}
