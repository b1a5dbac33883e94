//! Round-robin and Target Weight, counted at the upstreams.

use http::Method;
use serde_json::json;

use crate::support::{MockUpstream, Signalbox};

const BODY: &str = r#"{"model":"qwen3","messages":[]}"#;

/// Sends requests, eight at a time, all of which must be answered.
async fn send(signalbox: &Signalbox, key: &str, requests: usize) {
    for _ in 0..requests / 8 {
        let batch = (0..8).map(|_| async {
            assert_eq!(
                signalbox.chat(key, BODY).send().await.unwrap().status(),
                200
            );
        });
        futures_util::future::join_all(batch).await;
    }
}

#[tokio::test]
async fn weights_of_100_and_300_land_exactly() {
    let (a, b) = (
        MockUpstream::friendly().await,
        MockUpstream::friendly().await,
    );
    let signalbox = Signalbox::start().await;
    signalbox.provider("a", &[a.url()], &["m"]).await;
    signalbox.provider("b", &[b.url()], &["m"]).await;
    let route = signalbox
        .route("qwen3", &[("a", "m", Some(100)), ("b", "m", Some(300))])
        .await;
    assert_eq!(route["route_by"], "target_weight");
    send(&signalbox, &signalbox.key().await, 400).await;
    assert_eq!((a.count(), b.count()), (100, 300));
}

#[tokio::test]
async fn a_targets_instances_split_its_share() {
    let (a, b1, b2) = (
        MockUpstream::friendly().await,
        MockUpstream::friendly().await,
        MockUpstream::friendly().await,
    );
    let signalbox = Signalbox::start().await;
    signalbox.provider("a", &[a.url()], &["m"]).await;
    signalbox.provider("b", &[b1.url(), b2.url()], &["m"]).await;
    let key = signalbox.key().await;

    signalbox
        .route("qwen3", &[("a", "m", Some(100)), ("b", "m", Some(300))])
        .await;
    send(&signalbox, &key, 400).await;
    assert_eq!((a.count(), b1.count(), b2.count()), (100, 150, 150));

    signalbox
        .route("even", &[("a", "m", Some(100)), ("b", "m", Some(100))])
        .await;
    for _ in 0..400 {
        assert_eq!(
            signalbox
                .chat(&key, r#"{"model":"even"}"#)
                .send()
                .await
                .unwrap()
                .status(),
            200
        );
    }
    assert_eq!(
        (a.count() - 100, b1.count() - 150, b2.count() - 150),
        (200, 100, 100)
    );
}

#[tokio::test]
async fn without_weights_targets_alternate_also_while_others_are_saved() {
    let (a, b) = (
        MockUpstream::friendly().await,
        MockUpstream::friendly().await,
    );
    let signalbox = Signalbox::start().await;
    signalbox.provider("a", &[a.url()], &["m"]).await;
    signalbox.provider("b", &[b.url()], &["m"]).await;
    let route = signalbox
        .route("qwen3", &[("a", "m", None), ("b", "m", None)])
        .await;
    assert_eq!(route["route_by"], "round_robin");
    let key = signalbox.key().await;

    let mut targets = Vec::new();
    for number in 0..40 {
        if number % 3 == 0 {
            let name = format!("other-{number}");
            signalbox.route(&name, &[("a", "m", None)]).await;
        }
        if number % 7 == 0 {
            let mut same = signalbox
                .get(&format!("/routes/{}", route["id"].as_str().unwrap()))
                .await
                .1;
            same["description"] = json!(format!("saved {number}"));
            let (status, saved) = signalbox
                .api(
                    Method::PUT,
                    &format!("/routes/{}", route["id"].as_str().unwrap()),
                    same,
                )
                .await;
            assert_eq!(status, 200, "{saved}");
        }
        let answer = signalbox.chat(&key, BODY).send().await.unwrap();
        targets.push(
            answer.headers()["x-signalbox-target"]
                .to_str()
                .unwrap()
                .to_owned(),
        );
    }
    assert!(
        targets.windows(2).all(|pair| pair[0] != pair[1]),
        "{targets:?}"
    );
    assert_eq!((a.count(), b.count()), (20, 20));
}

#[tokio::test]
async fn the_very_next_request_sees_a_save() {
    let (a, b) = (
        MockUpstream::friendly().await,
        MockUpstream::friendly().await,
    );
    let signalbox = Signalbox::start().await;
    signalbox.provider("a", &[a.url()], &["m"]).await;
    signalbox.provider("b", &[b.url()], &["m"]).await;
    let mut route = signalbox.route("qwen3", &[("a", "m", None)]).await;
    let path = format!("/routes/{}", route["id"].as_str().unwrap());
    let key = signalbox.key().await;
    for round in 0..10 {
        let provider = if round % 2 == 0 { "b" } else { "a" };
        route["targets"] = json!([{"provider": provider, "model": "m"}]);
        let (status, saved) = signalbox.api(Method::PUT, &path, route).await;
        assert_eq!(status, 200, "{saved}");
        route = saved;
        let answer = signalbox.chat(&key, BODY).send().await.unwrap();
        assert_eq!(
            answer.headers()["x-signalbox-target"],
            format!("{provider}/m")
        );
    }
}

#[tokio::test]
async fn a_switched_off_target_takes_nothing() {
    let (a, b) = (
        MockUpstream::friendly().await,
        MockUpstream::friendly().await,
    );
    let signalbox = Signalbox::start().await;
    signalbox.provider("a", &[a.url()], &["m"]).await;
    signalbox.provider("b", &[b.url()], &["m"]).await;
    let targets = json!([
        {"provider": "a", "model": "m", "enabled": false}, {"provider": "b", "model": "m"},
    ]);
    signalbox
        .create("/routes", json!({"name": "qwen3", "targets": targets}))
        .await;
    send(&signalbox, &signalbox.key().await, 16).await;
    assert_eq!((a.count(), b.count()), (0, 16));
}
