//! The latest requests: where each went, and why.

use axum::response::IntoResponse;
use serde_json::{Value, json};

use crate::support::{MockUpstream, Signalbox};

async fn list(signalbox: &Signalbox, query: &str) -> Vec<Value> {
    let (status, list) = signalbox.get(&format!("/requests{query}")).await;
    assert_eq!(status, 200, "{list}");
    list["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_record_says_what_the_answer_said_and_why() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox
        .provider("local", &[upstream.url()], &["small", "large"])
        .await;
    let targets =
        json!([{"provider": "local", "model": "small"}, {"provider": "local", "model": "large"}]);
    let policy = json!({"session_affinity": {}, "least_inflight": {"weight": 2}});
    signalbox
        .create(
            "/routes",
            json!({"name": "qwen3", "targets": targets, "policy": policy}),
        )
        .await;
    let key = signalbox.key().await;
    let answer = signalbox
        .chat(
            &key,
            r#"{"model":"qwen3","messages":[{"role":"user","content":"a secret of mine"}]}"#,
        )
        .header("session-id", "s")
        .send()
        .await
        .unwrap();
    let headers = answer.headers().clone();
    let length = answer.bytes().await.unwrap().len();
    let record = list(&signalbox, "").await.remove(0);
    assert_eq!(
        record["id"],
        headers["x-signalbox-request-id"].to_str().unwrap()
    );
    assert_eq!(
        record["target"],
        headers["x-signalbox-target"].to_str().unwrap()
    );
    assert_eq!(
        (&record["route"], &record["path"]),
        (&json!("qwen3"), &json!("/v1/chat/completions"))
    );
    assert_eq!(
        (&record["status"], &record["bytes"]),
        (&json!(200), &json!(length))
    );
    assert_eq!(
        (&record["key"]["name"], &record["error"]),
        (&json!("test"), &Value::Null)
    );
    assert!(record["ttfb_ms"].as_u64().unwrap() <= record["duration_ms"].as_u64().unwrap());
    assert_eq!(record["attempts"][0]["instance"], upstream.url());
    let best = &record["ranking"][0];
    assert_eq!(best["target"], record["target"]);
    let scorers = &best["scorers"];
    let total = scorers["session_affinity"]["share"].as_f64().unwrap()
        + 2.0 * scorers["least_inflight"]["share"].as_f64().unwrap();
    assert!((best["total"].as_f64().unwrap() - total).abs() < 1e-12);
    assert!(!record.to_string().contains("a secret of mine"));
    assert!(!record.to_string().contains(&key));
}

#[tokio::test]
async fn newest_first_by_route_and_page_by_page() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    let a = signalbox.route("a", &[("local", "m", None)]).await;
    signalbox.route("b", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    for model in ["a", "b", "a", "nowhere", "a", "b"] {
        let answer = signalbox
            .chat(&key, json!({"model": model}).to_string())
            .send()
            .await
            .unwrap();
        answer.bytes().await.unwrap();
    }
    signalbox.chat("sb_nobody", "{}").send().await.unwrap();
    let routes = |records: &[Value]| -> Vec<Value> {
        records
            .iter()
            .map(|record| record["route"].clone())
            .collect()
    };
    let all = list(&signalbox, "").await;
    assert_eq!(json!(routes(&all)), json!(["b", "a", null, "a", "b", "a"]));
    assert_eq!(
        (&all[2]["status"], &all[2]["error"]),
        (&json!(404), &json!("model_not_found"))
    );
    assert_eq!(list(&signalbox, "?route=a").await.len(), 3);
    let by_id = format!("?route={}", a["id"].as_str().unwrap());
    assert_eq!(list(&signalbox, &by_id).await.len(), 3);

    let (_, first) = signalbox.get("/requests?limit=4").await;
    let next = first["next"].as_str().unwrap();
    let (_, rest) = signalbox
        .get(&format!("/requests?limit=4&before={next}"))
        .await;
    assert_eq!(
        json!(routes(rest["items"].as_array().unwrap())),
        json!(["b", "a"])
    );
    assert_eq!(rest["next"], Value::Null);
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=x", "limit"),
        ("limit=1001", "limit"),
        ("before=x", "before"),
    ] {
        let (status, error) = signalbox.get(&format!("/requests?{query}")).await;
        assert_eq!(status, 422);
        assert!(error["error"]["fields"][field].is_string(), "{error}");
    }
}

/// Streamed and compressed, in three dialects.
#[tokio::test]
async fn tokens_are_what_the_upstream_says() {
    let upstream = MockUpstream::start(|received| async move {
        match received.uri.path() {
            "/v1/chat/completions" => {
                let usage = r#"{"prompt_tokens":7,"completion_tokens":5}"#;
                let frames = format!(
                    "data: {{\"choices\":[]}}\n\ndata: {{\"usage\":{usage}}}\n\ndata: [DONE]\n\n"
                );
                ([("content-type", "text/event-stream")], frames).into_response()
            }
            "/v1/messages" => {
                let body =
                    r#"{"usage":{"input_tokens":4,"cache_read_input_tokens":3,"output_tokens":5}}"#;
                let mut encoder =
                    async_compression::tokio::bufread::GzipEncoder::new(body.as_bytes());
                let mut bytes = Vec::new();
                tokio::io::AsyncReadExt::read_to_end(&mut encoder, &mut bytes)
                    .await
                    .unwrap();
                ([("content-encoding", "gzip")], bytes).into_response()
            }
            _ => axum::Json(json!({"data": []})).into_response(),
        }
    })
    .await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("a", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    for path in ["/v1/chat/completions", "/v1/messages", "/v1/embeddings"] {
        let answer = signalbox
            .post_v1(path, &key, r#"{"model":"a"}"#)
            .send()
            .await
            .unwrap();
        answer.bytes().await.unwrap();
    }
    // What is compressed is read a moment later.
    let mut records = list(&signalbox, "").await;
    while records.len() < 3 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        records = list(&signalbox, "").await;
    }
    assert_eq!(records[0]["tokens"], Value::Null);
    let messages = json!({"input": 7, "output": 5, "cached": 3, "reasoning": null});
    assert_eq!(records[1]["tokens"], messages);
    let chat = json!({"input": 7, "output": 5, "cached": null, "reasoning": null});
    assert_eq!(records[2]["tokens"], chat);
}

/// A thousand are kept, and all that is said of them is true while they come and go.
#[tokio::test]
async fn only_the_latest_thousand_are_kept() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("a", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    for _ in 0..1_010 {
        let answer = signalbox
            .chat(&key, r#"{"model":"a"}"#)
            .send()
            .await
            .unwrap();
        answer.bytes().await.unwrap();
    }
    assert_eq!(list(&signalbox, "?limit=1000").await.len(), 1_000);
}
