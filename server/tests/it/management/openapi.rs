//! The OpenAPI document says what the handlers do: every call is in it, and real answers fit its schemas.

use http::Method;
use serde_json::{Value, json};

use crate::support::{MockUpstream, Signalbox};

/// The document's schema of an answer, with what it refers to.
fn schema(document: &Value, path: &str, method: &str, status: &str) -> Value {
    let answer = &document["paths"][path][method]["responses"][status];
    let mut schema = answer["content"]["application/json"]["schema"].clone();
    assert!(
        schema.is_object(),
        "{method} {path} {status} has no schema: {answer}"
    );
    schema["components"] = document["components"].clone();
    schema
}

fn assert_fits(document: &Value, path: &str, method: &str, status: &str, answer: &Value) {
    let validator = jsonschema::validator_for(&schema(document, path, method, status)).unwrap();
    let problems: Vec<String> = validator
        .iter_errors(answer)
        .map(|error| error.to_string())
        .collect();
    assert!(
        problems.is_empty(),
        "{method} {path} {status}: {problems:?}\n{answer}"
    );
}

#[tokio::test]
async fn answers_fit_their_schemas() {
    let upstream = MockUpstream::start(|_| async {
        use axum::response::IntoResponse;
        axum::Json(json!({"object": "list", "data": [{"id": "m"}]})).into_response()
    })
    .await;
    let signalbox = Signalbox::start().await;
    let (_, document) = signalbox.get("/openapi.json").await;

    let provider = signalbox.provider("local", &[upstream.url()], &["m"]).await;
    assert_fits(&document, "/providers", "post", "201", &provider);
    let provider_path = format!("/providers/{}", provider["id"].as_str().unwrap());
    let (_, test) = signalbox
        .api(Method::POST, &format!("{provider_path}/test"), Value::Null)
        .await;
    assert_fits(&document, "/providers/{id}/test", "post", "200", &test);
    let (_, models) = signalbox
        .get(&format!("{provider_path}/upstream-models"))
        .await;
    assert_fits(
        &document,
        "/providers/{id}/upstream-models",
        "get",
        "200",
        &models,
    );

    let mut checked = provider.clone();
    checked["health_check"] = json!({"path": "/health", "interval_s": 3600});
    let (_, checked) = signalbox.api(Method::PUT, &provider_path, checked).await;
    assert_eq!(checked["health_check"]["interval_s"], 3600, "{checked}");
    assert_fits(&document, "/providers/{id}", "put", "200", &checked);

    let route = signalbox.route("qwen3", &[("local", "m", Some(3))]).await;
    assert_fits(&document, "/routes", "post", "201", &route);
    let route_path = format!("/routes/{}", route["id"].as_str().unwrap());
    let (_, saved) = signalbox.api(Method::PUT, &route_path, route).await;
    assert_fits(&document, "/routes/{id}", "put", "200", &saved);
    assert_fits(&document, "/routes/{id}", "get", "200", &saved);

    let (status, explained) = signalbox
        .api(Method::POST, &format!("{route_path}/explain"), json!({}))
        .await;
    assert_eq!(status, 200, "{explained}");
    assert_fits(&document, "/routes/{id}/explain", "post", "200", &explained);
    let (_, instances) = signalbox.get("/instances").await;
    assert_fits(&document, "/instances", "get", "200", &instances);
    let inference = signalbox.key().await;
    let asked = signalbox.chat(&inference, r#"{"model":"qwen3"}"#);
    asked.send().await.unwrap();
    let (_, requests) = signalbox.get("/requests").await;
    assert_eq!(requests["items"][0]["route"], "qwen3");
    assert_fits(&document, "/requests", "get", "200", &requests);
    let one = format!("/requests/{}", requests["items"][0]["id"].as_str().unwrap());
    let (_, request) = signalbox.get(&one).await;
    assert_fits(&document, "/requests/{id}", "get", "200", &request);
    let (_, usage) = signalbox
        .get("/usage?since=2026-01-01T00:00:00Z&step=day")
        .await;
    assert_fits(&document, "/usage", "get", "200", &usage);
    let weights = json!({"weights": {"least_inflight": 1}});
    let (_, what_if) = signalbox
        .api(Method::POST, &format!("{route_path}/what-if"), weights)
        .await;
    assert_fits(&document, "/routes/{id}/what-if", "post", "200", &what_if);

    let key = signalbox
        .create("/keys", json!({"name": "k", "expires_in_s": 60}))
        .await;
    assert_fits(&document, "/keys", "post", "201", &key);
    for path in ["/providers", "/routes", "/keys"] {
        assert_fits(&document, path, "get", "200", &signalbox.get(path).await.1);
        let (status, error) = signalbox.api(Method::POST, path, json!({"name": ""})).await;
        assert_eq!(status, 422);
        assert_fits(&document, path, "post", "422", &error);
    }
    let (_, error) = signalbox.get("/routes/nonsense").await;
    assert_fits(&document, "/routes/{id}", "get", "404", &error);
}

#[tokio::test]
async fn every_documented_call_is_there_and_guarded() {
    let signalbox = Signalbox::start().await;
    let (_, document) = signalbox.get("/openapi.json").await;
    let mut calls = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let url = signalbox.url(&format!(
                "/api/v1{}",
                path.replace("{id}", &uuid::Uuid::nil().to_string())
            ));
            let method: Method = method.to_uppercase().parse().unwrap();
            let answer = signalbox
                .client
                .request(method.clone(), url)
                .send()
                .await
                .unwrap();
            let expected = if path == "/login" { 400 } else { 401 };
            assert_eq!(answer.status(), expected, "{method} {path}");
            calls += 1;
        }
    }
    assert_eq!(
        calls, 27,
        "calls came or went: is the document still whole?"
    );
}

#[test]
fn the_document_names_what_requests_hold() {
    let document = serde_json::to_value(signalbox::api::document()).unwrap();
    for name in [
        "RouteDraft",
        "ProviderDraft",
        "KeyDraft",
        "ApiError",
        "NewKey",
        "Retry",
        "RetryDraft",
        "HealthCheck",
    ] {
        assert!(
            document["components"]["schemas"][name].is_object(),
            "{name} is missing"
        );
    }
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
}
