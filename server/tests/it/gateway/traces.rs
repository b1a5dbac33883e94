//! Traces of requests, as a collector receives them.

use std::time::Duration;

use axum::response::IntoResponse;
use http::StatusCode;
use serde_json::{Value, json};

use crate::support::{MockUpstream, Signalbox};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CLIENT: &str = "00f067aa0ba902b7";

async fn collector(status: StatusCode) -> (MockUpstream, String) {
    let collector =
        MockUpstream::start(
            move |_| async move { (status, axum::Json(json!({}))).into_response() },
        )
        .await;
    let endpoint = format!("http://{}", collector.address);
    (collector, endpoint)
}

/// Everything that a collector received.
fn spans(collector: &MockUpstream) -> Vec<Value> {
    let calls = collector.received().into_iter();
    calls
        .flat_map(|call| {
            let call: Value = serde_json::from_slice(&call.body).unwrap();
            let spans = &call["resourceSpans"][0]["scopeSpans"][0]["spans"];
            spans.as_array().unwrap().clone()
        })
        .collect()
}

fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
    let attributes = span["attributes"].as_array().unwrap();
    let found = attributes.iter().find(|one| one["key"] == key);
    let value = found.map(|one| one["value"].as_object().unwrap());
    value.map_or(&Value::Null, |value| value.values().next().unwrap())
}

fn time(span: &Value, side: &str) -> u64 {
    span[format!("{side}TimeUnixNano")]
        .as_str()
        .unwrap()
        .parse()
        .unwrap()
}

fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap().as_nanos().try_into().unwrap()
}

/// A route whose only target fails, and whose fallback answers.
async fn settings(signalbox: &Signalbox, failing: &MockUpstream, well: &MockUpstream) -> String {
    signalbox.provider("a", &[failing.url()], &["small"]).await;
    signalbox.provider("b", &[well.url()], &["large"]).await;
    let route = json!({
        "name": "qwen3",
        "targets": [{"provider": "a", "model": "small"}],
        "fallbacks": [{"provider": "b", "model": "large"}],
        "policy": {"session_affinity": {"keys": [{"header": "session-id"}]}},
    });
    signalbox.create("/routes", route).await;
    signalbox.key().await
}

async fn failing() -> MockUpstream {
    MockUpstream::start(|_| async { StatusCode::SERVICE_UNAVAILABLE.into_response() }).await
}

async fn well() -> MockUpstream {
    MockUpstream::start(|_| async {
        tokio::time::sleep(Duration::from_millis(30)).await;
        let answer = json!({
            "choices": [{"message": {"content": "an answer of mine"}}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 5},
        });
        axum::Json(answer).into_response()
    })
    .await
}

#[tokio::test]
async fn a_request_its_decision_and_its_tries_are_spans_of_the_clients_trace() {
    let (collector, endpoint) = collector(StatusCode::OK).await;
    let (failing, well) = (failing().await, well().await);
    let signalbox = Signalbox::start_with(&[
        "--otlp-endpoint",
        &endpoint,
        "--otlp-headers",
        "x-collector-key=the%20collectors%20key",
    ])
    .await;
    let key = settings(&signalbox, &failing, &well).await;
    let begun = now();
    let body =
        json!({"model": "qwen3", "messages": [{"role": "user", "content": "a secret of mine"}]});
    let traceparent = format!("00-{TRACE}-{CLIENT}-01");
    let answer = signalbox
        .chat(&key, body.to_string())
        .header("traceparent", &traceparent)
        .header("session-id", "a-session-of-mine")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    let id = answer.headers()["x-signalbox-request-id"].clone();
    answer.bytes().await.unwrap();
    let ended = now();
    signalbox.stop().await;

    let call = collector.only();
    assert_eq!(
        (call.method.as_str(), call.uri.path()),
        ("POST", "/v1/traces")
    );
    assert_eq!(call.headers["content-type"], "application/json");
    assert_eq!(call.headers["x-collector-key"], "the collectors key");
    assert_eq!(
        well.only().headers["traceparent"],
        traceparent.as_str(),
        "passes as all headers do"
    );

    let spans = spans(&collector);
    let [request, decide, first, second] = spans.as_slice() else {
        panic!("{spans:#?}")
    };
    for span in &spans {
        assert_eq!(span["traceId"], TRACE);
        assert!(begun <= time(request, "start") && time(request, "end") <= ended);
        assert!(time(request, "start") <= time(span, "start"));
        assert!(time(span, "start") <= time(span, "end"));
        assert!(time(span, "end") <= time(request, "end"));
    }
    assert_eq!(request["parentSpanId"], CLIENT);
    for child in [decide, first, second] {
        assert_eq!(child["parentSpanId"], request["spanId"]);
    }
    let names_and_kinds = spans.iter().map(|span| json!([span["name"], span["kind"]]));
    assert_eq!(
        Value::from_iter(names_and_kinds),
        json!([
            ["POST /v1/chat/completions", 2],
            ["decide", 1],
            ["chat small", 3],
            ["chat large", 3],
        ])
    );

    let text = |span, key| attribute(span, key).as_str().unwrap_or_default().to_owned();
    assert_eq!(text(request, "http.request.method"), "POST");
    assert_eq!(text(request, "url.path"), "/v1/chat/completions");
    assert_eq!(text(request, "http.response.status_code"), "200");
    assert_eq!(text(request, "signalbox.route"), "qwen3");
    assert_eq!(text(request, "signalbox.request_id"), id.to_str().unwrap());
    assert_eq!(attribute(request, "error.type"), &Value::Null);
    assert_eq!(text(decide, "signalbox.decided_by"), "only_candidate");
    assert_eq!(text(decide, "signalbox.route_by"), "policy");
    assert_eq!(text(decide, "signalbox.target"), "a/small");
    assert_eq!(
        text(decide, "signalbox.session.source"),
        "header session-id"
    );
    for (span, model, upstream) in [(first, "small", &failing), (second, "large", &well)] {
        assert_eq!(text(span, "gen_ai.operation.name"), "chat");
        assert_eq!(text(span, "gen_ai.provider.name"), "openai");
        assert_eq!(text(span, "gen_ai.request.model"), model);
        assert_eq!(text(span, "server.address"), "127.0.0.1");
        let port = upstream.address.port().to_string();
        assert_eq!(text(span, "server.port"), port);
    }
    assert_eq!(text(first, "error.type"), "503");
    assert_eq!(
        (&first["status"]["code"], &second["status"]["code"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(attribute(first, "gen_ai.usage.input_tokens"), &Value::Null);
    assert_eq!(text(second, "gen_ai.usage.input_tokens"), "7");
    assert_eq!(text(second, "gen_ai.usage.output_tokens"), "5");
    assert!(time(first, "end") <= time(second, "start"));
    assert!(time(second, "end") - time(second, "start") >= 30_000_000);

    let sent = String::from_utf8(call.body.to_vec()).unwrap();
    for secret in [
        "a secret of mine",
        "an answer of mine",
        "a-session-of-mine",
        "the collectors key",
        "upstream-secret-of",
        &key,
        &key[12..],
    ] {
        assert!(!sent.contains(secret), "{secret} is in {sent}");
    }
}

#[tokio::test]
async fn a_trace_that_begins_here_is_named_as_the_request_and_the_client_may_want_none() {
    let (collector, endpoint) = collector(StatusCode::OK).await;
    let signalbox = Signalbox::start_with(&["--otlp-endpoint", &endpoint]).await;
    let key = signalbox.key().await;
    let ask = async |traceparent: &str| {
        let answer = signalbox
            .chat(&key, r#"{"model":"nowhere"}"#)
            .header("traceparent", traceparent)
            .send()
            .await
            .unwrap();
        let id = answer.headers()["x-signalbox-request-id"].to_str().unwrap();
        id.replace('-', "")
    };
    let unkept = ask(&format!("00-{TRACE}-{CLIENT}-00")).await;
    let id = ask("not a traceparent").await;
    signalbox.stop().await;
    let spans = spans(&collector);
    assert_eq!(spans.len(), 1, "{unkept} is not kept: {spans:#?}");
    assert_eq!(spans[0]["traceId"], id.as_str());
    assert_eq!(spans[0]["parentSpanId"], Value::Null);
    assert_eq!(attribute(&spans[0], "error.type"), "model_not_found");
    assert_eq!(attribute(&spans[0], "signalbox.route"), &Value::Null);
}

#[tokio::test]
async fn a_collector_that_refuses_costs_requests_nothing_and_what_it_lost_is_counted() {
    let (collector, endpoint) = collector(StatusCode::FORBIDDEN).await;
    let well = well().await;
    let signalbox = Signalbox::start_with(&["--otlp-endpoint", &endpoint]).await;
    signalbox.provider("b", &[well.url()], &["large"]).await;
    signalbox.route("qwen3", &[("b", "large", None)]).await;
    let key = signalbox.key().await;
    for _ in 0..3 {
        let answer = signalbox.chat(&key, r#"{"model":"qwen3"}"#).send().await;
        assert_eq!(answer.unwrap().status(), 200);
    }
    let dropped = async || {
        let answer = signalbox.client.get(signalbox.url("/metrics")).send().await;
        let text = answer.unwrap().text().await.unwrap();
        let line = text
            .lines()
            .find(|line| line.starts_with("signalbox_traces_dropped_total "));
        line.unwrap()
            .rsplit(' ')
            .next()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    while dropped().await < 3 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(dropped().await, 3);
    assert!(collector.count() > 0);
}
