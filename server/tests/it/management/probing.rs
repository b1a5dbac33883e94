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
    assert_eq!(good.only().uri.path(), "/v1/models");
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
