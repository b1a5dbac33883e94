//! Bad input: a status, the dialect's shape and a sentence that helps.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{MockUpstream, Signalbox};

/// Checks OpenAI's shape and answers the code.
async fn openai(answer: reqwest::Response, status: u16) -> String {
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert!(answer.headers().contains_key("x-signalbox-request-id"));
    assert_eq!(answer.status(), status);
    let body: Value = answer.json().await.unwrap();
    let error = &body["error"];
    for field in ["type", "code", "param"] {
        assert!(error.get(field).is_some(), "{body}");
    }
    assert!(error["message"].as_str().unwrap().len() > 20, "{body}");
    error["code"].as_str().unwrap().to_owned()
}

/// Checks Anthropic's shape and answers the type.
async fn anthropic(answer: reqwest::Response, status: u16) -> String {
    assert_eq!(answer.status(), status);
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["type"], "error");
    assert!(
        body["error"]["message"].as_str().unwrap().len() > 20,
        "{body}"
    );
    body["error"]["type"].as_str().unwrap().to_owned()
}

async fn before() -> (MockUpstream, Signalbox, String) {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("qwen3", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    (upstream, signalbox, key)
}

#[tokio::test]
async fn two_content_types_are_refused_as_nobody_knows_which_counts() {
    let signalbox = Signalbox::start().await;
    let key = signalbox.key().await;
    for path in ["/v1/chat/completions", "/v1/audio/transcriptions"] {
        let request = signalbox.post_v1(path, &key, "{}");
        let answer = request
            .header("content-type", "multipart/form-data; boundary=x")
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 400);
        let error: Value = answer.json().await.unwrap();
        assert_eq!(error["error"]["code"], "ambiguous_content_type");
    }
}

#[tokio::test]
async fn bad_bodies() {
    let (upstream, signalbox, key) = before().await;
    let deep = format!(
        "{{\"model\":\"qwen3\",\"x\":{}{}}}",
        "[".repeat(20_000),
        "]".repeat(20_000)
    );
    let table = [
        ("", 400, "invalid_json"),
        ("hello", 400, "invalid_json"),
        ("[1]", 400, "invalid_json"),
        ("{\"model\":\"qwen3\"", 400, "invalid_json"),
        ("{}", 400, "missing_model"),
        ("{\"model\":7}", 400, "invalid_model"),
        (
            "{\"model\":\"qwen3\",\"model\":\"qwen3\"}",
            400,
            "duplicate_model",
        ),
        (
            "{\"model\":\"qwen3\",\"mod\\u0065l\":\"qwen3\"}",
            400,
            "duplicate_model",
        ),
        (deep.as_str(), 400, "nested_too_deep"),
        ("{\"model\":\"nowhere\"}", 404, "model_not_found"),
        ("{\"model\":\"\"}", 404, "model_not_found"),
    ];
    for (body, status, code) in table {
        let answer = signalbox.chat(&key, body.to_owned()).send().await.unwrap();
        assert_eq!(
            openai(answer, status).await,
            code,
            "{}",
            &body[..body.len().min(60)]
        );
        let answer = signalbox
            .chat(&key, body.to_owned())
            .header("anthropic-version", "2023-06-01")
            .send()
            .await
            .unwrap();
        let expected = if status == 404 {
            "not_found_error"
        } else {
            "invalid_request_error"
        };
        assert_eq!(anthropic(answer, status).await, expected);
    }
    let form = signalbox
        .chat(&key, "model=qwen3")
        .header("content-type", "text/plain");
    let form = form.build().map(|mut request| {
        request.headers_mut().insert(
            "content-type",
            "application/x-www-form-urlencoded".parse().unwrap(),
        );
        request
    });
    let answer = signalbox.client.execute(form.unwrap()).await.unwrap();
    assert_eq!(openai(answer, 415).await, "unsupported_media_type");
    assert_eq!(upstream.count(), 0);
}

#[tokio::test]
async fn bad_keys() {
    let (upstream, signalbox, key) = before().await;
    let send = |name: &'static str, value: Vec<u8>| {
        let value = http::HeaderValue::from_bytes(&value).unwrap();
        signalbox
            .client
            .post(signalbox.url("/v1/chat/completions"))
            .header("content-type", "application/json")
            .header(name, value)
            .body(r#"{"model":"qwen3"}"#)
            .send()
    };
    let wrong_secret = format!(
        "{}{}",
        &key[..key.len() - 1],
        if key.ends_with('a') { 'b' } else { 'a' }
    );
    let table = [
        ("x-nothing", Vec::new()),
        ("authorization", b"Bearer ".to_vec()),
        ("authorization", b"Basic YWRtaW46".to_vec()),
        (
            "authorization",
            b"Bearer sk-proj-of-another-service".to_vec(),
        ),
        ("authorization", b"Bearer sb_\xff\xfe\x80".to_vec()),
        ("x-api-key", b"\xf0\x9f".to_vec()),
        (
            "authorization",
            format!("Bearer {wrong_secret}").into_bytes(),
        ),
        (
            "authorization",
            b"Bearer sb_abcd1234_0123456789abcdefghijABCDEFGHIJ99".to_vec(),
        ),
    ];
    for (name, value) in table {
        let shown = String::from_utf8_lossy(&value).into_owned();
        let answer = send(name, value).await.unwrap();
        assert_eq!(answer.headers()["www-authenticate"], "Bearer");
        assert_eq!(
            openai(answer, 401).await,
            "invalid_api_key",
            "{name}: {shown}"
        );
    }
    assert_eq!(
        send("x-api-key", key.into_bytes()).await.unwrap().status(),
        200
    );
    assert_eq!(upstream.count(), 1);
}

#[tokio::test]
async fn keys_that_were_good() {
    let (_upstream, signalbox, _) = before().await;
    let make = |body: Value| async { signalbox.create("/keys", body).await };
    let secret = |made: &Value| made["key"].as_str().unwrap().to_owned();

    let short = make(json!({"name": "short", "expires_in_s": 1})).await;
    assert_eq!(
        signalbox
            .chat(&secret(&short), r#"{"model":"qwen3"}"#)
            .send()
            .await
            .unwrap()
            .status(),
        200
    );
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    let answer = signalbox
        .chat(&secret(&short), r#"{"model":"qwen3"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(openai(answer, 401).await, "invalid_api_key");

    let deleted = make(json!({"name": "deleted"})).await;
    let path = format!("/keys/{}", deleted["id"].as_str().unwrap());
    assert_eq!(
        signalbox.api(Method::DELETE, &path, Value::Null).await.0,
        204
    );
    let answer = signalbox
        .chat(&secret(&deleted), r#"{"model":"qwen3"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(openai(answer, 401).await, "invalid_api_key");

    let management = make(json!({"name": "management", "scopes": ["management"]})).await;
    let answer = signalbox
        .chat(&secret(&management), r#"{"model":"qwen3"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(openai(answer, 403).await, "not_allowed");
}

#[tokio::test]
async fn a_key_limited_to_a_route_cannot_use_another() {
    let (_upstream, signalbox, _) = before().await;
    signalbox.route("other", &[("local", "m", None)]).await;
    let made = signalbox
        .create("/keys", json!({"name": "limited", "routes": ["other"]}))
        .await;
    let key = made["key"].as_str().unwrap();
    let answer = signalbox
        .chat(key, r#"{"model":"qwen3"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(openai(answer, 403).await, "not_allowed");
    assert_eq!(
        signalbox
            .chat(key, r#"{"model":"other"}"#)
            .send()
            .await
            .unwrap()
            .status(),
        200
    );
}

#[tokio::test]
async fn management_with_an_inference_key_is_forbidden() {
    let (_upstream, signalbox, key) = before().await;
    let answer = signalbox
        .client
        .get(signalbox.url("/api/v1/routes"))
        .bearer_auth(&key)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 403);
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["error"]["code"], "forbidden");
    assert!(
        body["error"]["message"]
            .as_str()
            .unwrap()
            .contains("management")
    );
}

#[tokio::test]
async fn unknown_paths_and_methods_say_what_there_is() {
    let (_upstream, signalbox, key) = before().await;
    for path in ["/v1", "/v1/", "/v1/nonsense", "/v1/chat/completions/x"] {
        let answer = signalbox
            .client
            .post(signalbox.url(path))
            .bearer_auth(&key)
            .body("x")
            .send()
            .await
            .unwrap();
        assert_eq!(openai(answer, 404).await, "unknown_path", "{path}");
    }
    let answer = signalbox
        .client
        .get(signalbox.url("/v1/chat/completions"))
        .bearer_auth(&key)
        .send()
        .await
        .unwrap();
    assert_eq!(openai(answer, 405).await, "method_not_allowed");
}

#[tokio::test]
async fn routes_that_cannot_serve_say_why() {
    let (upstream, signalbox, key) = before().await;
    let off = json!([{"provider": "local", "model": "m", "enabled": false}]);
    signalbox
        .create("/routes", json!({"name": "all-off", "targets": off}))
        .await;
    let answer = signalbox
        .chat(&key, r#"{"model":"all-off"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(openai(answer, 503).await, "no_target");

    let on = json!([{"provider": "local", "model": "m"}]);
    signalbox
        .create(
            "/routes",
            json!({"name": "off", "enabled": false, "targets": on}),
        )
        .await;
    let answer = signalbox
        .chat(&key, r#"{"model":"off"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(openai(answer, 404).await, "route_disabled");

    let provider = json!({
        "name": "embedder", "kind": "openai", "instances": [{"url": upstream.url()}], "models": [{"name": "e"}],
        "speaks": ["embeddings"],
    });
    signalbox.create("/providers", provider).await;
    signalbox
        .route("embeddings-only", &[("embedder", "e", None)])
        .await;
    let answer = signalbox
        .chat(&key, r#"{"model":"embeddings-only"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(openai(answer, 400).await, "endpoint_not_served");
    assert_eq!(upstream.count(), 0);
}

#[tokio::test]
async fn upstreams_that_fail_are_named() {
    let redirecting = MockUpstream::start(|_| async {
        use axum::response::IntoResponse;
        (
            StatusCode::FOUND,
            [("location", "http://127.0.0.1:1/v1/elsewhere")],
        )
            .into_response()
    })
    .await;
    let silent = MockUpstream::start(|_| async {
        tokio::time::sleep(std::time::Duration::from_secs(30)).await;
        crate::support::completion("late")
    })
    .await;
    let signalbox = Signalbox::start().await;
    let key = signalbox.key().await;
    signalbox
        .provider("gone", &["http://127.0.0.1:1/v1".into()], &["m"])
        .await;
    signalbox
        .provider("redirecting", &[redirecting.url()], &["m"])
        .await;
    let slow = json!({
        "name": "silent", "kind": "openai", "instances": [{"url": silent.url()}], "models": [{"name": "m"}],
        "timeouts": {"first_byte_ms": 200},
    });
    signalbox.create("/providers", slow).await;
    let table = [
        ("gone", 502, "upstream_unreachable"),
        ("redirecting", 502, "upstream_redirect"),
        ("silent", 504, "upstream_timeout"),
    ];
    for (name, status, code) in table {
        signalbox.route(name, &[(name, "m", None)]).await;
        let answer = signalbox
            .chat(&key, json!({"model": name}).to_string())
            .send()
            .await
            .unwrap();
        let text = {
            assert_eq!(answer.status(), status, "{name}");
            answer.json::<Value>().await.unwrap()
        };
        assert_eq!(text["error"]["code"], code);
        assert!(
            text["error"]["message"].as_str().unwrap().contains(name),
            "{text}"
        );
    }
    assert_eq!(redirecting.count(), 1);
}
