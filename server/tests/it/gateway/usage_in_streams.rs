//! Streams that are asked for usage which their clients did not ask for.

use axum::response::IntoResponse;
use http::Method;
use serde_json::{Value, json};

use crate::support::{MockUpstream, Signalbox};

const WORD: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";
const COUNT: &str =
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\n";
const DONE: &str = "data: [DONE]\n\n";

/// Counts when it is asked to, as servers do.
async fn counting() -> MockUpstream {
    MockUpstream::start(|received| async move {
        let body: Value = serde_json::from_slice(&received.body).unwrap();
        let asked = body["stream_options"]["include_usage"] == true;
        let events = format!("{WORD}{}{DONE}", if asked { COUNT } else { "" });
        ([("content-type", "text/event-stream")], events).into_response()
    })
    .await
}

async fn asked(signalbox: &Signalbox, key: &str, body: &str) -> String {
    let answer = signalbox
        .chat(key, body.to_owned())
        .header("accept-encoding", "gzip")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    answer.text().await.unwrap()
}

#[tokio::test]
async fn tokens_are_known_and_the_client_sees_no_difference() {
    let upstream = counting().await;
    let signalbox = Signalbox::start().await;
    let mut provider = signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("a", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    let tokens = async || {
        let (_, list) = signalbox.get("/requests?limit=1").await;
        list["items"][0]["tokens"].clone()
    };
    let silent = r#"{"stream":true,"model":"a"}"#;
    let asking = r#"{"stream":true,"stream_options":{"include_usage":true},"model":"a"}"#;

    // Off unless somebody switches it on: nothing is added, nothing is known.
    assert_eq!(
        asked(&signalbox, &key, silent).await,
        format!("{WORD}{DONE}")
    );
    assert_eq!(tokens().await, Value::Null);
    assert_eq!(upstream.only().body, &br#"{"stream":true,"model":"m"}"#[..]);

    provider["include_usage"] = json!(true);
    let path = format!("/providers/{}", provider["id"].as_str().unwrap());
    let (status, saved) = signalbox.api(Method::PUT, &path, provider).await;
    assert_eq!(
        (status.as_u16(), &saved["include_usage"]),
        (200, &json!(true))
    );
    assert_eq!(
        asked(&signalbox, &key, silent).await,
        format!("{WORD}{DONE}")
    );
    assert_eq!(tokens().await["output"], 4);
    let received = upstream.received();
    assert!(
        !received[1].headers.contains_key("accept-encoding"),
        "it must be readable"
    );
    // With a price the tokens have a cost.
    let (_, mut priced) = signalbox.get(&path).await;
    priced["models"][0]["price"] = json!({"input": 1000, "output": 2000, "cached": null});
    assert_eq!(signalbox.api(Method::PUT, &path, priced).await.0, 200);
    asked(&signalbox, &key, silent).await;
    let (_, list) = signalbox.get("/requests?limit=1").await;
    assert_eq!(
        list["items"][0]["cost"], 0.011,
        "3 for 1,000 and 4 for 2,000 a million"
    );
    let (_, usage) = signalbox
        .get("/usage?since=2026-01-01T00:00:00Z&step=day")
        .await;
    assert_eq!(usage["rows"][0]["total"]["cost"], 0.011);
    assert_eq!(usage["rows"][0]["total"]["output"], 8);

    // Who asks gets it, and a request that is no stream stays as it is.
    assert_eq!(
        asked(&signalbox, &key, asking).await,
        format!("{WORD}{COUNT}{DONE}")
    );
    assert_eq!(tokens().await["input"], 3);
    asked(&signalbox, &key, r#"{"model":"a"}"#).await;
    assert_eq!(upstream.received()[4].body, &br#"{"model":"m"}"#[..]);
}
