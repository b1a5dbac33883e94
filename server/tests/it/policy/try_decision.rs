//! *Try it*: settings that are not saved yet, against the real service.

use app::api::explain::DecisionTrial;
use app::error::ErrorCode;
use serde_json::{Value, json};

use super::decision::{jev_at, said, settings};
use super::*;

fn trial(changed: Value, prompt: &str) -> DecisionTrial {
    serde_json::from_value(json!({"settings": settings(changed), "prompt": prompt})).unwrap()
}

#[tokio::test]
async fn it_shows_what_the_service_says_or_why_it_says_nothing() {
    let jev = MockUpstream::start(|received| async move {
        let question: Value = serde_json::from_slice(&received.body).unwrap();
        let asked = &question["questions"]["model_selection"];
        match asked["instructions"].as_str() {
            Some("Fail") => http::StatusCode::BAD_GATEWAY.into_response(),
            _ if question["state"].as_str().unwrap().contains("Prove") => said(0.1, 0.9, 0.8),
            _ => said(0.9, 0.1, 0.8),
        }
    })
    .await;
    let signalbox = Signalbox::start().await;
    jev_at(&signalbox, &[jev.url()]).await;
    let inspector = &signalbox.inspector;
    let tried = inspector
        .try_decision(trial(json!({}), "Prove it"))
        .await
        .unwrap();
    let decision = tried.decision.unwrap();
    assert_eq!(
        (decision.probabilities["large"], decision.confidence),
        (0.9, 0.8)
    );
    assert_eq!(tried.reason, None);
    for _ in 0..5 {
        let failing = trial(json!({"instructions": "Fail"}), "Hello");
        let tried = inspector.try_decision(failing).await.unwrap();
        assert_eq!(tried.decision, None);
        assert_eq!(
            tried.reason.unwrap(),
            "the decision service `jev` answered 502"
        );
    }
    assert_eq!(jev.count(), 6, "nothing trips");
}

#[tokio::test]
async fn what_is_missing_is_named_at_its_field() {
    let signalbox = Signalbox::start().await;
    jev_at(&signalbox, &["http://127.0.0.1:9".to_owned()]).await;
    let urls = ["http://127.0.0.1:9/v1".to_owned()];
    signalbox.provider("p", &urls, &["m"]).await;
    for (changed, prompt, field) in [
        (json!({}), " ", "prompt"),
        (
            json!({"provider": "nobody"}),
            "x",
            "policy.decision_service.provider",
        ),
        (
            json!({"provider": "p"}),
            "x",
            "policy.decision_service.provider",
        ),
        (json!({"model": ""}), "x", "policy.decision_service.model"),
        (
            json!({"criteria": {}}),
            "x",
            "policy.decision_service.criteria",
        ),
        (
            json!({"criteria": {"a": "x", "b": " "}}),
            "x",
            "policy.decision_service.criteria.b",
        ),
        (
            json!({"timeout_ms": 1}),
            "x",
            "policy.decision_service.timeout_ms",
        ),
    ] {
        let refused = signalbox
            .inspector
            .try_decision(trial(changed, prompt))
            .await;
        let error = refused.unwrap_err();
        assert_eq!(error.code, ErrorCode::Invalid);
        assert!(
            error.fields.contains_key(field),
            "{field}: {:?}",
            error.fields
        );
    }
}
