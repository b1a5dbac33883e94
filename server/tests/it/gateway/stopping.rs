//! A stop: no new connections, answers under way finish within the grace time.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::IntoResponse;
use bytes::Bytes;
use futures_util::{StreamExt, stream};

use crate::support::{MockUpstream, Signalbox};

/// Ten frames, one every 100 ms; or for ever.
async fn paced(frames: usize) -> MockUpstream {
    MockUpstream::start(move |_| async move {
        let frames = stream::iter(0..frames).then(|number| async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok::<_, Infallible>(Bytes::from(format!("data: {number}\n\n")))
        });
        (
            [("content-type", "text/event-stream")],
            Body::from_stream(frames),
        )
            .into_response()
    })
    .await
}

async fn before(upstream: &MockUpstream, grace: &str) -> (Signalbox, String) {
    let signalbox = Signalbox::start_with(&["--shutdown-grace-s", grace]).await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("qwen3", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    (signalbox, key)
}

#[tokio::test]
async fn a_stream_under_way_finishes() {
    let upstream = paced(10).await;
    let (signalbox, key) = before(&upstream, "30").await;
    let mut body = signalbox
        .chat(&key, r#"{"model":"qwen3"}"#)
        .send()
        .await
        .unwrap()
        .bytes_stream();
    assert_eq!(body.next().await.unwrap().unwrap(), "data: 0\n\n");
    signalbox.begin_stop();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let refused = reqwest::Client::builder()
        .no_proxy()
        .build()
        .unwrap()
        .get(signalbox.url("/healthz"))
        .send()
        .await;
    assert!(
        refused.unwrap_err().is_connect(),
        "no new connection is taken"
    );
    let rest: Vec<_> = body.map(|piece| piece.unwrap()).collect().await;
    assert_eq!(
        rest.concat(),
        (1..10)
            .map(|n| format!("data: {n}\n\n"))
            .collect::<String>()
            .as_bytes()
    );
    signalbox.stop().await;
}

#[tokio::test]
async fn what_does_not_finish_in_time_is_cut() {
    let upstream = paced(10_000).await;
    let (signalbox, key) = before(&upstream, "1").await;
    let mut body = signalbox
        .chat(&key, r#"{"model":"qwen3"}"#)
        .send()
        .await
        .unwrap()
        .bytes_stream();
    assert!(body.next().await.unwrap().is_ok());
    let begun = Instant::now();
    let reader = tokio::spawn(async move { body.any(|piece| async move { piece.is_err() }).await });
    signalbox.stop().await;
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
    assert!(reader.await.unwrap(), "the cut shows as an error");
}
