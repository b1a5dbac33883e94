//! *Test* and *Fetch models* make real calls.

use axum::response::IntoResponse;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{MockUpstream, Signalbox};

async fn test(signalbox: &Signalbox, provider: &Value) -> Value {
    let path = format!("/providers/{}/test", provider["id"].as_str().unwrap());
    let (status, test) = signalbox.api(Method::POST, &path, Value::Null).await;
    assert_eq!(status, 200, "{test}");
    test
}

/// Paths of the GETs that came.
fn listings(upstream: &MockUpstream) -> Vec<String> {
    let received = upstream.received().into_iter();
    let gets = received.filter(|received| received.method == Method::GET);
    gets.map(|received| received.uri.to_string()).collect()
}

#[tokio::test]
async fn each_instance_is_called_with_the_credential() {
    let good = MockUpstream::start(|received| async move {
        match received
            .headers
            .get("authorization")
            .map(|value| value.as_bytes())
        {
            Some(b"Bearer upstream-secret-of-p") => {
                axum::Json(json!({"data": [{"id": "z"}, {"id": "a"}, {"id": "a"}]})).into_response()
            }
            _ => StatusCode::UNAUTHORIZED.into_response(),
        }
    })
    .await;
    let signalbox = Signalbox::start().await;
    let provider = signalbox.provider("p", &[good.url()], &["m"]).await;
    let result = test(&signalbox, &provider).await;
    assert_eq!(result["ok"], true, "{result}");
    assert_eq!(listings(&good), ["/v1/models"]);
    let path = format!(
        "/providers/{}/upstream-models",
        provider["id"].as_str().unwrap()
    );
    let (status, models) = signalbox.get(&path).await;
    assert_eq!(
        (status.as_u16(), &models["items"]),
        (200, &json!(["a", "z"]))
    );

    let gone = "http://127.0.0.1:1/v1".to_owned();
    let provider = signalbox
        .provider("half", &[good.url(), gone], &["m"])
        .await;
    let result = test(&signalbox, &provider).await;
    assert_eq!(result["ok"], false);
    assert_eq!(result["instances"][0]["status"], 401);
    assert!(
        result["instances"][0]["message"]
            .as_str()
            .unwrap()
            .contains("credential")
    );
    assert_eq!(result["instances"][1]["status"], Value::Null);
    assert!(!result.to_string().contains("upstream-secret"), "{result}");
}

/// Lists a model, and answers a POST by its path.
async fn serving(status_of: fn(&str) -> u16) -> MockUpstream {
    MockUpstream::start(move |received| async move {
        if received.method == Method::GET {
            return axum::Json(json!({"data": [{"id": "m"}]})).into_response();
        }
        let status = StatusCode::from_u16(status_of(received.uri.path())).unwrap();
        (status, [("location", "/elsewhere")]).into_response()
    })
    .await
}

#[tokio::test]
async fn a_test_finds_the_endpoints_that_are_there() {
    let upstream = serving(|path| match path {
        "/v1/chat/completions" => 400,
        "/v1/embeddings" => 422,
        "/v1/messages/count_tokens" => 200,
        "/v1/audio/speech" => 500,
        "/v1/responses" => 405,
        "/v1/messages" => 501,
        "/v1/rerank" => 302,
        _ => 404,
    })
    .await;
    let signalbox = Signalbox::start().await;
    let gone = "http://127.0.0.1:1/v1".to_owned();
    let mut provider = signalbox
        .provider("p", &[gone, upstream.url()], &["m"])
        .await;
    let result = test(&signalbox, &provider).await;
    assert_eq!(
        result["speaks"],
        json!(["chat", "count_tokens", "embeddings", "audio"]),
        "{result}"
    );
    let posts = upstream.received().into_iter();
    let posts: Vec<_> = posts
        .filter(|received| received.method == Method::POST)
        .collect();
    assert_eq!(posts.len(), 11);
    for post in posts {
        assert_eq!(post.body, "{}");
        assert_eq!(post.headers["content-type"], "application/json");
        assert_eq!(post.headers["authorization"], "Bearer upstream-secret-of-p");
    }

    // What is found can be saved.
    provider["speaks"] = result["speaks"].clone();
    let path = format!("/providers/{}", provider["id"].as_str().unwrap());
    let (status, saved) = signalbox.api(Method::PUT, &path, provider.clone()).await;
    assert_eq!(
        (status.as_u16(), &saved["speaks"]),
        (200, &result["speaks"])
    );

    // Nothing is claimed of an instance that does not answer, nor of a decision service.
    let provider = signalbox
        .provider("gone", &["http://127.0.0.1:1".to_owned()], &["m"])
        .await;
    assert_eq!(test(&signalbox, &provider).await["speaks"], json!([]));
    let jev = json!({"name": "jev", "kind": "decision", "instances": [{"url": upstream.url()}]});
    let jev = signalbox.create("/providers", jev).await;
    let before = upstream.count();
    assert_eq!(test(&signalbox, &jev).await["speaks"], json!([]));
    assert_eq!(upstream.count(), before + 1);
}

#[tokio::test]
async fn every_endpoint_has_a_name_that_can_be_saved() {
    let upstream = serving(|_| 400).await;
    let signalbox = Signalbox::start().await;
    let mut provider = signalbox.provider("p", &[upstream.url()], &["m"]).await;
    let result = test(&signalbox, &provider).await;
    assert_eq!(result["speaks"].as_array().unwrap().len(), 11);
    provider["speaks"] = result["speaks"].clone();
    let path = format!("/providers/{}", provider["id"].as_str().unwrap());
    let (status, saved) = signalbox.api(Method::PUT, &path, provider).await;
    assert_eq!(status, 200, "{saved}");
}

#[tokio::test]
async fn what_cannot_list_models_says_why() {
    let odd = MockUpstream::start(|_| async { "not a list".into_response() }).await;
    let redirecting = MockUpstream::start(|_| async {
        (StatusCode::FOUND, [("location", "/elsewhere")]).into_response()
    })
    .await;
    let signalbox = Signalbox::start().await;
    for (name, upstream) in [("odd", &odd), ("redirecting", &redirecting)] {
        let provider = signalbox.provider(name, &[upstream.url()], &["m"]).await;
        let path = format!(
            "/providers/{}/upstream-models",
            provider["id"].as_str().unwrap()
        );
        let (status, error) = signalbox.get(&path).await;
        assert_eq!(
            (status.as_u16(), &error["error"]["code"]),
            (502, &json!("upstream")),
            "{error}"
        );
        assert!(error["error"]["message"].as_str().unwrap().contains(name));
    }
    assert_eq!(redirecting.count(), 1, "the redirect was followed");
}
