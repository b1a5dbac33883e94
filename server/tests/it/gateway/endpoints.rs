//! Every endpoint: what goes upstream, what comes back, and what is refused on the way.

use http::StatusCode;
use serde_json::{Value, json};
use signalbox::gateway::Endpoint;

use crate::support::{MockUpstream, Signalbox};

async fn before() -> (MockUpstream, Signalbox, String) {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start_with(&["--max-body-mib", "1", "--max-form-mib", "2"]).await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox
        .route("team:model.v2-x", &[("local", "m", None)])
        .await;
    let key = signalbox.key().await;
    (upstream, signalbox, key)
}

fn is_anthropic(address: &str) -> bool {
    address.starts_with("/v1/messages")
}

fn error_type<'a>(address: &str, error: &'a Value) -> &'a Value {
    if is_anthropic(address) {
        assert_eq!(error["type"], "error");
    } else {
        assert!(error["error"]["code"].is_string(), "{error}");
    }
    assert!(
        error["error"]["message"].as_str().unwrap().len() > 20,
        "{error}"
    );
    &error["error"]["type"]
}

#[tokio::test]
async fn json_passes_at_every_address_with_only_the_model_replaced() {
    let (upstream, signalbox, key) = before().await;
    for endpoint in Endpoint::ALL {
        for address in endpoint.addresses() {
            let body = r#"{ "x" :1e400, "model":"team:model.v2-x" ,"stream":true}"#;
            let answer = signalbox
                .post_v1(&format!("{address}?beta=true&key=secret"), &key, body)
                .header("anthropic-beta", "b1")
                .header("openai-organization", "o1")
                .send()
                .await
                .unwrap();
            assert_eq!(answer.status(), 200, "{address}");
            let received = upstream.received().pop().unwrap();
            assert_eq!(
                received.uri.to_string(),
                format!("/v1{}?beta=true", endpoint.path())
            );
            assert_eq!(received.body, body.replace("team:model.v2-x", "m"));
            assert_eq!(received.headers["anthropic-beta"], "b1");
            assert_eq!(received.headers["openai-organization"], "o1");
            assert_eq!(
                received.headers["authorization"],
                "Bearer upstream-secret-of-local"
            );
        }
    }
}

#[tokio::test]
async fn every_address_refuses_in_its_own_dialect() {
    let (upstream, signalbox, key) = before().await;
    for address in Endpoint::ALL
        .iter()
        .flat_map(|endpoint| endpoint.addresses())
    {
        let send = async |key: &str, body: Value| {
            let answer = signalbox
                .post_v1(&address, key, body.to_string())
                .send()
                .await
                .unwrap();
            let status = answer.status().as_u16();
            let error: Value = answer.json().await.unwrap();
            (
                status,
                error_type(&address, &error).as_str().unwrap().to_owned(),
            )
        };
        let refused = send("sb_nobody", json!({"model": "team:model.v2-x"})).await;
        assert_eq!(refused, (401, "authentication_error".into()), "{address}");
        let (status, kind) = send(&key, json!({"model": "nowhere"})).await;
        let expected = match is_anthropic(&address) {
            true => "not_found_error",
            false => "invalid_request_error",
        };
        assert_eq!((status, kind.as_str()), (404, expected), "{address}");
        assert_eq!(
            send(&key, json!({})).await,
            (400, "invalid_request_error".into())
        );

        let below = json!({"model": "team:model.v2-x", "x": "y".repeat((1 << 20) - 40)});
        assert!(below.to_string().len() <= 1 << 20);
        let sent = signalbox
            .post_v1(&address, &key, below.to_string())
            .send()
            .await
            .unwrap();
        assert_eq!(sent.status(), 200, "{address}");
        let above = json!({"model": "team:model.v2-x", "x": "y".repeat(1 << 20)});
        let (status, _) = send(&key, above).await;
        assert_eq!(status, 413, "{address}");
    }
    assert_eq!(upstream.count(), Endpoint::ALL.len() + 2);
}

#[tokio::test]
async fn a_path_that_is_not_there_names_those_that_are() {
    let (_upstream, signalbox, key) = before().await;
    for path in [
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v2/embeddings",
        "/v1/responses/a/b",
        "/v1/messages/batches",
    ] {
        let answer = signalbox.post_v1(path, &key, "{}").send().await.unwrap();
        assert_eq!(answer.status(), 404, "{path}");
        let error: Value = answer.json().await.unwrap();
        let message = error["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("/v1/audio/speech") && message.contains("/v2/rerank"),
            "{message}"
        );
    }
}

/// Only one of them speaks `messages`, both speak `chat`.
#[tokio::test]
async fn requests_go_only_to_who_speaks_the_endpoint() {
    let (a, b) = (
        MockUpstream::friendly().await,
        MockUpstream::friendly().await,
    );
    let signalbox = Signalbox::start().await;
    for (name, upstream, speaks) in [
        ("both", &a, json!(["chat", "messages"])),
        ("chatty", &b, json!(["chat"])),
    ] {
        let draft = json!({
            "name": name, "kind": "openai", "instances": [{"url": upstream.url()}],
            "models": [{"name": "m"}], "speaks": speaks,
        });
        signalbox.create("/providers", draft).await;
    }
    signalbox
        .route("qwen3", &[("both", "m", None), ("chatty", "m", None)])
        .await;
    let key = signalbox.key().await;
    let body = r#"{"model":"qwen3"}"#;
    for (address, expected) in [("/v1/messages", (4, 0)), ("/v1/chat/completions", (6, 2))] {
        for _ in 0..4 {
            let answer = signalbox.post_v1(address, &key, body).send().await.unwrap();
            assert_eq!(answer.status(), 200);
        }
        assert_eq!((a.count(), b.count()), expected, "{address}");
    }
    let (_, requests) = signalbox.get("/requests?limit=8").await;
    let of_messages = &requests["items"][7];
    assert_eq!(of_messages["path"], "/v1/messages");
    let left_out = &of_messages["ranking"][1];
    assert_eq!(left_out["target"], "chatty/m");
    assert_eq!(
        left_out["left_out"],
        "its provider does not speak this endpoint"
    );

    let answer = signalbox
        .post_v1("/v1/embeddings", &key, body)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    let error: Value = answer.json().await.unwrap();
    assert_eq!(error["error"]["code"], "endpoint_not_served");
    let message = error["error"]["message"].as_str().unwrap();
    for named in ["qwen3", "both", "chatty", "/v1/embeddings"] {
        assert!(message.contains(named), "{message}");
    }
}

#[tokio::test]
async fn agents_that_probe_find_somebody_at_home() {
    let (_upstream, signalbox, _) = before().await;
    let head = signalbox
        .client
        .head(signalbox.url("/"))
        .send()
        .await
        .unwrap();
    assert_eq!(head.status(), 200);
    let get = signalbox
        .client
        .get(signalbox.url("/"))
        .send()
        .await
        .unwrap();
    let home: Value = get.json().await.unwrap();
    assert_eq!(
        (&home["name"], &home["api"]),
        (&json!("Signalbox"), &json!("/v1"))
    );
}

#[tokio::test]
async fn other_sites_scripts_may_call_only_where_that_is_allowed() {
    let (_upstream, signalbox, key) = before().await;
    let ask = async |signalbox: &Signalbox, key: &str, origin: &str| {
        let preflight = signalbox
            .client
            .request(http::Method::OPTIONS, signalbox.url("/v1/chat/completions"))
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "authorization,content-type",
            )
            .send()
            .await
            .unwrap();
        let body = r#"{"model":"team:model.v2-x"}"#;
        let call = signalbox
            .chat(key, body)
            .header("origin", origin)
            .send()
            .await
            .unwrap();
        let allowed = |answer: &reqwest::Response| {
            let header = answer.headers().get("access-control-allow-origin");
            header.map(|value| value.to_str().unwrap().to_owned())
        };
        (
            preflight.status().as_u16(),
            allowed(&preflight),
            allowed(&call),
        )
    };
    let (status, ..) = ask(&signalbox, &key, "https://app.example").await;
    assert_eq!(status, 405);
    let open = Signalbox::start_with(&[
        "--cors-origins",
        "https://app.example,http://localhost:3000",
    ])
    .await;
    let key = open.key().await;
    let allowed = Some("https://app.example".to_owned());
    assert_eq!(
        ask(&open, &key, "https://app.example").await,
        (200, allowed.clone(), allowed)
    );
    assert_eq!(
        ask(&open, &key, "https://other.example").await,
        (200, None, None)
    );
}
