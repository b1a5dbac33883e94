//! Bodies made to be slow to read: nobody else waits for them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tiny_objects_by_the_million_stall_nobody() {
    let jev = MockUpstream::start(|received| async move {
        let question: Value = serde_json::from_slice(&received.body).unwrap();
        let state = question["state"].as_str().unwrap();
        assert!(state.len() <= 65_536);
        match state.contains("Prove") {
            true => decision::said(0.0, 1.0, 1.0),
            false => decision::said(1.0, 0.0, 1.0),
        }
    })
    .await;
    let upstream = upstream().await;
    let signalbox = Signalbox::start().await;
    signalbox
        .provider("p", &[upstream.url()], &["small", "large"])
        .await;
    decision::jev_at(&signalbox, &[jev.url()]).await;
    let policy = json!({"session_affinity": {}, "decision_service": decision::settings(json!({}))});
    route(
        &signalbox,
        "qwen3",
        &[("p", "small"), ("p", "large")],
        policy,
    )
    .await;
    signalbox.route("plain", &[("p", "small", None)]).await;
    let key = signalbox.key().await;

    let words = r#"{"role":"user","content":"Prove it"}"#;
    let tiny = r#"{"a":1},"#.repeat(30_000_000 / 8);
    let body = format!(r#"{{"model":"qwen3","messages":[{tiny}{words}],"prompt_cache_key":"s"}}"#);
    let large = async {
        let answer = signalbox
            .post_v1("/v1/responses", &key, body)
            .send()
            .await
            .unwrap();
        assert_eq!(target(&answer), "p/large");
    };
    let others = async {
        let mut slowest = Duration::ZERO;
        for _ in 0..60 {
            let begun = Instant::now();
            let answer = signalbox
                .chat(&key, r#"{"model":"plain"}"#)
                .send()
                .await
                .unwrap();
            assert_eq!(answer.status(), 200);
            slowest = slowest.max(begun.elapsed());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        slowest
    };
    let ((), slowest) = tokio::join!(large, others);
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
}

#[tokio::test]
async fn nesting_is_no_way_to_exhaust_it() {
    let upstream = upstream().await;
    let jev = MockUpstream::start(|_| async { decision::said(0.0, 1.0, 1.0) }).await;
    let signalbox = Signalbox::start().await;
    signalbox
        .provider("p", &[upstream.url()], &["small", "large"])
        .await;
    decision::jev_at(&signalbox, &[jev.url()]).await;
    let policy = json!({"decision_service": decision::settings(json!({}))});
    route(
        &signalbox,
        "qwen3",
        &[("p", "small"), ("p", "large")],
        policy,
    )
    .await;
    let key = signalbox.key().await;
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(r#"{{"model":"qwen3","messages":[],"x":{open}{close}}}"#)
    };
    let status = async |levels| {
        let answer = signalbox.chat(&key, nested(levels)).send().await.unwrap();
        answer.status().as_u16()
    };
    assert_eq!(status(100_000).await, 400);
    assert_eq!(
        (status(128).await, jev.count()),
        (200, 0),
        "too deep to decide by"
    );
    assert_eq!((status(127).await, jev.count()), (200, 1));
}
