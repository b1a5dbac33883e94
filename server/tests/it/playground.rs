//! `/playground/v1`: the pipeline of `/v1` for whoever is signed in.

use serde_json::json;

use crate::support::{MockUpstream, Signalbox};

fn chat(signalbox: &Signalbox) -> reqwest::RequestBuilder {
    signalbox
        .client
        .post(signalbox.url("/playground/v1/chat/completions"))
        .json(&json!({"model": "qwen3"}))
}

#[tokio::test]
async fn a_session_calls_under_a_key_that_is_built_in() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("qwen3", &[("local", "m", None)]).await;
    let answer = chat(&signalbox)
        .header("cookie", &signalbox.cookie)
        .header("authorization", "Bearer of nothing")
        .header("session-id", "s")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    let id = answer.headers()["x-signalbox-request-id"]
        .to_str()
        .unwrap()
        .to_owned();
    answer.bytes().await.unwrap();
    let received = upstream.only();
    assert_eq!(received.uri.path(), "/v1/chat/completions");
    assert_eq!(received.headers["session-id"], "s");
    assert!(
        !received.headers.contains_key("cookie"),
        "the session went upstream"
    );

    let (_, record) = signalbox.get(&format!("/requests/{id}")).await;
    assert_eq!(record["key"]["name"], "Playground");
    assert_eq!(
        (&record["route"], &record["path"]),
        (&json!("qwen3"), &json!("/v1/chat/completions"))
    );
    let models = signalbox
        .client
        .get(signalbox.url("/playground/v1/models"))
        .header("cookie", &signalbox.cookie)
        .send()
        .await
        .unwrap();
    let models: serde_json::Value = models.json().await.unwrap();
    assert_eq!(models["data"][0]["id"], "qwen3");
}

#[tokio::test]
async fn nobody_else_gets_in() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("qwen3", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    let unknown = chat(&signalbox).send().await.unwrap();
    assert_eq!(unknown.status(), 401);
    let with_key = chat(&signalbox).bearer_auth(&key).send().await.unwrap();
    assert_eq!(with_key.status(), 401, "keys are for /v1");
    let elsewhere = chat(&signalbox)
        .header("cookie", &signalbox.cookie)
        .header("origin", "https://evil.example")
        .send()
        .await
        .unwrap();
    assert_eq!(elsewhere.status(), 403);
    // What a session opens there it does not open under /v1.
    let v1 = signalbox
        .client
        .post(signalbox.url("/v1/chat/completions"))
        .header("cookie", &signalbox.cookie)
        .json(&json!({"model": "qwen3"}))
        .send()
        .await
        .unwrap();
    assert_eq!(v1.status(), 401);
    assert_eq!(upstream.count(), 0);
}
