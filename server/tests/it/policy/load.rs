//! Requests go to who is idle, however many come at once.

use futures_util::future::join_all;
use serde_json::json;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_together_at_idle_instances_take_one_each() {
    const INSTANCES: usize = 8;
    let mut upstreams = Vec::new();
    for _ in 0..INSTANCES {
        upstreams.push(upstream().await);
    }
    let urls: Vec<String> = upstreams.iter().map(MockUpstream::url).collect();
    let signalbox = Signalbox::start().await;
    signalbox.provider("p", &urls, &["m"]).await;
    route(
        &signalbox,
        "qwen3",
        &[("p", "m")],
        json!({"least_inflight": {}}),
    )
    .await;
    let key = signalbox.key().await;
    for round in 1..=10 {
        let send = || async {
            let request = signalbox.chat(&key, BODY).header("x-hold", "1");
            request.send().await.unwrap()
        };
        let held = join_all((0..INSTANCES).map(|_| send())).await;
        let counts: Vec<usize> = upstreams.iter().map(MockUpstream::count).collect();
        assert_eq!(counts, [round; INSTANCES]);
        assert_eq!(inflight(&signalbox).await, [1; INSTANCES]);
        drop(held);
        inflight_becomes(&signalbox, 5, |counts| {
            counts.iter().all(|count| *count == 0)
        })
        .await;
    }
}

#[tokio::test]
async fn a_request_counts_until_its_last_byte_and_for_all_routes_together() {
    let signalbox = Signalbox::start().await;
    let _upstreams = providers(&signalbox, 2).await;
    let targets = [("p0", "m"), ("p1", "m")];
    route(&signalbox, "one", &targets, json!({"least_inflight": {}})).await;
    route(&signalbox, "other", &targets, json!({"least_inflight": {}})).await;
    let key = signalbox.key().await;
    let held = signalbox
        .chat(&key, r#"{"model":"one"}"#)
        .header("x-hold", "1")
        .send()
        .await
        .unwrap();
    let busy = target(&held);
    for path in ["/v1/chat/completions", "/v1/responses", "/v1/messages"] {
        for model in ["one", "other"] {
            let body = json!({"model": model}).to_string();
            let answer = signalbox.post_v1(path, &key, body).send().await.unwrap();
            assert_ne!(target(&answer), busy, "{path}");
            answer.bytes().await.unwrap();
        }
    }
    // Another save changes no count.
    route(&signalbox, "third", &targets, json!({"least_inflight": {}})).await;
    assert_eq!(inflight(&signalbox).await.iter().sum::<u64>(), 1);
    drop(held);
    inflight_becomes(&signalbox, 1, |counts| counts == [0, 0]).await;
}
