//! What reaches an upstream: the body byte for byte but for the model, and the right headers.

use http::Method;
use serde_json::{Value, json};

use crate::support::{MockUpstream, Signalbox};

async fn one_target(upstream: &MockUpstream) -> (Signalbox, String) {
    let signalbox = Signalbox::start().await;
    signalbox
        .provider("local", &[upstream.url()], &["Qwen/small \"q\""])
        .await;
    signalbox
        .route("qwen3", &[("local", "Qwen/small \"q\"", None)])
        .await;
    let key = signalbox.key().await;
    (signalbox, key)
}

#[tokio::test]
async fn a_20_mb_body_arrives_identical_but_for_the_model() {
    let upstream = MockUpstream::friendly().await;
    let (signalbox, key) = one_target(&upstream).await;
    let mut parts = String::new();
    while parts.len() < 20_000_000 {
        parts.push_str(
            "{\"role\" :\t\"user\",\"content\":\"lone \\ud800 \\udfff, escaped \\\"model\\\":\\\"qwen3\\\" é \\u00e9\",\
             \"model\":\"qwen3\",\"n\":[1e400,-0.0,1.000,123456789012345678901234567890]},\r\n",
        );
    }
    let body = format!(
        " {{ \"unknown_field\" : 1e400 ,\"messages\":[{parts}null],\n\"model\"  :  \"qwen3\" , \"model_\":\"qwen3\",\"\\ud800\":{{}} }} "
    );
    let answer = signalbox.chat(&key, body.clone()).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());

    let expected = body.replace(
        "\"model\"  :  \"qwen3\"",
        "\"model\"  :  \"Qwen/small \\\"q\\\"\"",
    );
    let received = upstream.only();
    assert!(received.body == expected.as_bytes(), "the body changed");
    assert_eq!(
        received.headers["content-length"],
        expected.len().to_string()
    );
    assert!(!received.headers.contains_key("transfer-encoding"));
    assert_eq!(received.uri.path(), "/v1/chat/completions");
}

#[tokio::test]
async fn the_upstreams_credential_replaces_the_clients() {
    let upstream = MockUpstream::friendly().await;
    let (signalbox, key) = one_target(&upstream).await;
    let answer = signalbox
        .client
        .post(signalbox.url("/v1/chat/completions?key=google-key&beta=true"))
        .bearer_auth(&key)
        .header("content-type", "application/json")
        .body(r#"{"model":"qwen3"}"#)
        .header("cookie", "session=1")
        .header("api-key", "azure-key")
        .header("x-goog-api-key", "google-key")
        .header("x-forwarded-for", "6.6.6.6")
        .header("forwarded", "for=6.6.6.6")
        .header("x-signalbox-target", "forged")
        // Naming a header for this connection only neither hides a key nor takes the provider's away.
        .header("connection", "x-hop, x-api-key, authorization")
        .header("x-hop", "1")
        .header("session-id", "s-1")
        .header("openai-beta", "b")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);

    let received = upstream.only();
    assert_eq!(received.method, Method::POST);
    assert_eq!(
        received.headers["authorization"],
        "Bearer upstream-secret-of-local"
    );
    assert_eq!(received.headers["session-id"], "s-1");
    assert_eq!(received.headers["openai-beta"], "b");
    assert_eq!(received.headers["host"], upstream.address.to_string());
    assert_eq!(received.uri.query(), Some("beta=true"));
    let gone = [
        "cookie",
        "api-key",
        "x-goog-api-key",
        "x-forwarded-for",
        "forwarded",
        "x-signalbox-target",
        "x-hop",
    ];
    for name in gone {
        assert!(!received.headers.contains_key(name), "{name} went upstream");
    }
    assert!(
        !format!("{received:?}").contains(&key),
        "the client's key went upstream"
    );
}

#[tokio::test]
async fn an_anthropic_provider_gets_its_own_headers() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    let provider = json!({
        "name": "claude", "kind": "anthropic", "instances": [{"url": upstream.url()}], "models": [{"name": "m"}],
        "credentials": [{"secret": "anthropic-secret-1"}], "headers": {"x-team": "blue-team-header"},
    });
    signalbox.create("/providers", provider).await;
    signalbox.route("qwen3", &[("claude", "m", None)]).await;
    let key = signalbox.key().await;
    signalbox
        .chat(&key, r#"{"model":"qwen3"}"#)
        .send()
        .await
        .unwrap();
    signalbox
        .chat(&key, r#"{"model":"qwen3"}"#)
        .header("anthropic-version", "2099-01-01")
        .send()
        .await
        .unwrap();

    let received = upstream.received();
    assert_eq!(received[0].headers["x-api-key"], "anthropic-secret-1");
    assert_eq!(received[0].headers["anthropic-version"], "2023-06-01");
    assert_eq!(received[0].headers["x-team"], "blue-team-header");
    assert_eq!(received[1].headers["anthropic-version"], "2099-01-01");
    assert!(!received[0].headers.contains_key("authorization"));
}

#[tokio::test]
async fn a_header_of_its_own_carries_the_credential_as_it_is() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    let provider = json!({
        "name": "azure", "kind": "openai", "instances": [{"url": upstream.url()}], "models": [{"name": "m"}],
        "credentials": [{"secret": "azure-secret-12345"}], "credential_header": "api-key",
    });
    signalbox.create("/providers", provider).await;
    signalbox.route("qwen3", &[("azure", "m", None)]).await;
    let key = signalbox.key().await;
    signalbox
        .chat(&key, r#"{"model":"qwen3"}"#)
        .header("api-key", "the-clients")
        .send()
        .await
        .unwrap();
    let received = upstream.only();
    assert_eq!(received.headers["api-key"], "azure-secret-12345");
    assert!(!received.headers.contains_key("authorization"));
}

#[tokio::test]
async fn base_urls_are_joined_once() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    let key = signalbox.key().await;
    let root = format!("http://{}", upstream.address);
    let table = [
        (root.clone(), "/v1/chat/completions"),
        (format!("{root}/"), "/v1/chat/completions"),
        (format!("{root}/v1"), "/v1/chat/completions"),
        (format!("{root}/v1/"), "/v1/chat/completions"),
        (format!("{root}/api/v3"), "/api/v3/chat/completions"),
    ];
    for (number, (base, path)) in table.into_iter().enumerate() {
        let name = format!("p{number}");
        signalbox.provider(&name, &[base], &["m"]).await;
        signalbox.route(&name, &[(&name, "m", None)]).await;
        signalbox
            .chat(&key, json!({"model": name}).to_string())
            .send()
            .await
            .unwrap();
        assert_eq!(upstream.received().last().unwrap().uri.path(), path);
    }
}

#[tokio::test]
async fn a_compressed_body_is_decoded_within_the_limit() {
    use tokio::io::AsyncWriteExt;
    let upstream = MockUpstream::friendly().await;
    let (signalbox, key) = one_target(&upstream).await;
    let gzip = |plain: Vec<u8>| async move {
        let mut encoder = async_compression::tokio::write::GzipEncoder::new(Vec::new());
        encoder.write_all(&plain).await.unwrap();
        encoder.shutdown().await.unwrap();
        encoder.into_inner()
    };
    let small = gzip(br#"{"model":"qwen3","x":1}"#.to_vec()).await;
    let answer = signalbox
        .chat(&key, small)
        .header("content-encoding", "gzip")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    let received = upstream.only();
    assert_eq!(received.body, &br#"{"model":"Qwen/small \"q\"","x":1}"#[..]);
    assert!(!received.headers.contains_key("content-encoding"));

    let bomb = gzip(vec![b' '; 40 * 1024 * 1024]).await;
    let answer = signalbox
        .chat(&key, bomb)
        .header("content-encoding", "gzip")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 413);
    let answer = signalbox
        .chat(&key, "x")
        .header("content-encoding", "gzip")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 400);
    let answer = signalbox
        .chat(&key, "x")
        .header("content-encoding", "lzma")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 415);
    assert_eq!(upstream.count(), 1);
}

#[tokio::test]
async fn a_credential_that_is_replaced_counts_at_once() {
    let upstream = MockUpstream::friendly().await;
    let (signalbox, key) = one_target(&upstream).await;
    let (_, list) = signalbox.get("/providers").await;
    let mut provider = list["items"][0].clone();
    let path = format!("/providers/{}", provider["id"].as_str().unwrap());
    provider["credentials"] = json!([{"secret": "second-secret-9999"}]);
    let (status, saved) = signalbox.api(Method::PUT, &path, provider).await;
    assert_eq!(status, 200, "{saved}");
    signalbox
        .chat(&key, r#"{"model":"qwen3"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(
        upstream.only().headers["authorization"],
        "Bearer second-secret-9999"
    );

    let mut provider = saved;
    provider["credentials"] = Value::Array(vec![]);
    assert_eq!(signalbox.api(Method::PUT, &path, provider).await.0, 200);
    signalbox
        .chat(&key, r#"{"model":"qwen3"}"#)
        .send()
        .await
        .unwrap();
    assert!(!upstream.received()[1].headers.contains_key("authorization"));
}
