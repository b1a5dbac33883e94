//! `POST /routes/{id}/explain`: the ranking that a request would get.

use http::Method;
use serde_json::{Value, json};

use super::*;

#[tokio::test]
async fn every_total_is_the_sum_of_its_parts_and_nothing_moves() {
    let signalbox = Signalbox::start().await;
    let upstreams = providers(&signalbox, 2).await;
    let policy = json!({"session_affinity": {"weight": 2}, "least_inflight": {"weight": 0.5}});
    let route = route(&signalbox, "qwen3", &[("p0", "m"), ("p1", "m")], policy).await;
    let question = json!({
        "path": "/v1/responses", "headers": {}, "body": {"model": "qwen3", "prompt_cache_key": " s "},
    });
    let explained = explain(&signalbox, &route, question.clone()).await;
    assert_eq!(explained["session"], "s");
    assert_eq!(explained["abstained"], json!({}));
    assert_eq!(explained["tied"], 1);
    let ranking = explained["ranking"].as_array().unwrap();
    assert_eq!(ranking.len(), 2);
    for (place, ranked) in ranking.iter().enumerate() {
        let scorers = &ranked["scorers"];
        let share = [2.0 / 3.0, 1.0 / 3.0][place];
        let affinity = scorers["session_affinity"]["share"].as_f64().unwrap();
        assert!((affinity - share).abs() < 1e-12);
        assert_eq!(scorers["session_affinity"]["weight"], 2.0);
        assert_eq!(
            scorers["least_inflight"],
            json!({"share": 0.5, "weight": 0.5})
        );
        let total = ranked["total"].as_f64().unwrap();
        assert!((total - (2.0 * share + 0.25)).abs() < 1e-12);
        let number = &ranked["target"].as_str().unwrap()[1..2];
        let url = upstreams[number.parse::<usize>().unwrap()].url();
        assert_eq!(ranked["instance"], url);
        assert!(ranked.get("left_out").is_none());
    }
    let same = explain(&signalbox, &route, question).await;
    assert_eq!(same, explained);
    assert_eq!(upstreams.iter().map(MockUpstream::count).sum::<usize>(), 0);
    assert_eq!(inflight(&signalbox).await, [0, 0]);
}

#[tokio::test]
async fn turns_are_shown_without_being_taken() {
    let signalbox = Signalbox::start().await;
    let _upstreams = providers(&signalbox, 3).await;
    let targets: Vec<Value> = (0..3)
        .map(|n| json!({"provider": format!("p{n}"), "model": "m", "enabled": n != 1}))
        .collect();
    let route = signalbox
        .create("/routes", json!({"name": "qwen3", "targets": targets}))
        .await;
    let key = signalbox.key().await;
    for _ in 0..6 {
        let explained = explain(&signalbox, &route, json!({"body": {}})).await;
        assert_eq!(explained, explain(&signalbox, &route, json!({})).await);
        let next = explained["ranking"][0]["target"].as_str().unwrap();
        assert_eq!(explained["ranking"][0]["total"], Value::Null);
        let off = &explained["ranking"][2];
        assert_eq!(off["target"], "p1/m");
        assert_eq!(off["left_out"], "its target is switched off");
        let answer = signalbox.chat(&key, BODY).send().await.unwrap();
        assert_eq!(target(&answer), next);
    }
}

#[tokio::test]
async fn a_decision_may_be_given_and_who_abstains_says_why() {
    let signalbox = Signalbox::start().await;
    let urls = ["http://127.0.0.1:9/v1".to_owned()];
    signalbox.provider("p", &urls, &["small", "large"]).await;
    decision::jev_at(&signalbox, &["http://127.0.0.1:9".to_owned()]).await;
    let policy = json!({"session_affinity": {}, "decision_service": decision::settings(json!({}))});
    let route = route(
        &signalbox,
        "qwen3",
        &[("p", "small"), ("p", "large")],
        policy,
    )
    .await;
    let question = json!({"decision": {"probabilities": {"small": 0.2, "large": 0.6, "x": 1}, "confidence": 0.5}});
    let explained = explain(&signalbox, &route, question).await;
    assert_eq!(explained["ranking"][0]["target"], "p/large");
    let part = &explained["ranking"][0]["scorers"]["decision_service"];
    assert_eq!(part["weight"], 5.0);
    assert!((part["share"].as_f64().unwrap() - 0.75).abs() < 1e-12);
    assert_eq!(
        explained["abstained"],
        json!({"session_affinity": "the request has no session key"})
    );

    let by_formula = json!({"decision": {"probabilities": {"small": 0.1, "large": 0.9}}});
    let explained = explain(&signalbox, &route, by_formula).await;
    let confidence = explained["decision"]["confidence"].as_f64().unwrap();
    assert!((confidence - 0.8).abs() < 1e-12);

    let explained = explain(&signalbox, &route, json!({"headers": {"session-id": "s"}})).await;
    let why = explained["abstained"]["decision_service"].as_str().unwrap();
    assert!(why.contains("no JSON body"), "{why}");
    let question = json!({"body": {"messages": []}});
    let explained = explain(&signalbox, &route, question).await;
    let why = explained["abstained"]["decision_service"].as_str().unwrap();
    assert!(why.contains("`jev` could not be reached"), "{why}");
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_at_its_field() {
    let signalbox = Signalbox::start().await;
    let _upstreams = providers(&signalbox, 1).await;
    let route = signalbox.route("qwen3", &[("p0", "m", None)]).await;
    let path = format!("/routes/{}/explain", route["id"].as_str().unwrap());
    for (question, field) in [
        (json!({"path": "/v1/nowhere"}), "path"),
        (json!({"headers": {"no name": "x"}}), "headers.no name"),
        (json!({"headers": {"x": "line\nbreak"}}), "headers.x"),
        (json!({"headers": []}), "headers"),
        (
            json!({"decision": {"probabilities": {"m": 1.1}}}),
            "decision.probabilities.m",
        ),
        (
            json!({"decision": {"probabilities": {"m": 1}, "confidence": -1}}),
            "decision.confidence",
        ),
    ] {
        let (status, error) = signalbox.api(Method::POST, &path, question).await;
        assert_eq!(status, 422, "{error}");
        assert!(
            error["error"]["fields"][field].is_string(),
            "{field}: {error}"
        );
    }
    let nobody = format!("/routes/{}/explain", uuid::Uuid::nil());
    let (status, _) = signalbox.api(Method::POST, &nobody, json!({})).await;
    assert_eq!(status, 404);
}
