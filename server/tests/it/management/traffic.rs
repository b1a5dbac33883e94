//! What goes through routes and targets just now, as it is pushed.

use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::support::{MockUpstream, Signalbox};

/// The first event, and whether the stream then ends with the server.
async fn follow(signalbox: &Signalbox) -> (Value, impl Future<Output = bool> + use<>) {
    let answer = signalbox
        .client
        .get(signalbox.url("/api/v1/traffic"))
        .header("cookie", &signalbox.cookie)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let mut pieces = answer.bytes_stream();
    let first = pieces.next().await.unwrap().unwrap();
    let text = std::str::from_utf8(&first).unwrap();
    let json = text.trim().strip_prefix("data: ").unwrap();
    let ends = async move {
        while let Some(piece) = pieces.next().await {
            if piece.is_err() {
                return false;
            }
        }
        true
    };
    (serde_json::from_str(json).unwrap(), ends)
}

#[tokio::test]
async fn it_says_what_each_target_does_and_ends_with_the_server() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox
        .provider("local", &[upstream.url()], &["a", "b"])
        .await;
    let route = signalbox
        .route("qwen3", &[("local", "a", Some(1)), ("local", "b", Some(3))])
        .await;
    let key = signalbox.key().await;
    let (before, _) = follow(&signalbox).await;
    assert_eq!(before, json!({"routes": [], "instances": []}));
    for _ in 0..8 {
        let answer = signalbox
            .chat(&key, r#"{"model":"qwen3"}"#)
            .send()
            .await
            .unwrap();
        answer.bytes().await.unwrap();
    }
    // Counted once their records are worked up.
    signalbox.get("/requests").await;
    let (traffic, ends) = follow(&signalbox).await;
    let of_route = &traffic["routes"][0];
    assert_eq!(of_route["route"], route["id"]);
    assert_eq!(of_route["all"]["per_minute"], 8);
    assert_eq!(of_route["all"]["steps"].as_array().unwrap().len(), 60);
    assert!(of_route["all"]["p95_ms"].is_u64(), "{of_route}");
    let target = |place: usize| &of_route["targets"][place];
    assert_eq!(
        (&target(0)["target"], &target(0)["share"]),
        (&json!("local/a"), &json!(0.25))
    );
    assert_eq!(
        (&target(1)["target"], &target(1)["share"]),
        (&json!("local/b"), &json!(0.75))
    );
    assert_eq!(target(1)["flow"]["inflight"], 0);

    signalbox.stop().await;
    assert!(ends.await, "cut instead of ended");
}
