//! Requests that end in every way there is leave nothing behind.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::StatusCode;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

const REQUESTS: usize = 2_000;
const AT_ONCE: usize = 50;

/// A raw upstream that answers, breaks off or falls silent by the request's number, and counts the
/// sockets on which an answer is not complete. Those that wait for another request are no leak.
async fn unreliable(open: Arc<AtomicUsize>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let numbers = Arc::new(AtomicUsize::new(0));
        while let Ok((mut stream, _)) = listener.accept().await {
            let (open, numbers) = (Arc::clone(&open), Arc::clone(&numbers));
            tokio::spawn(async move {
                let mut bytes = vec![0; 16 * 1024];
                while let Ok(1..) = stream.read(&mut bytes).await {
                    open.fetch_add(1, Ordering::SeqCst);
                    let number = numbers.fetch_add(1, Ordering::SeqCst);
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
                    let chunked = "transfer-encoding: chunked\r\n\r\n2\r\nok\r\n";
                    let said = match number % 6 {
                        0 => format!("{head}content-length: 2\r\n\r\nok"),
                        1 => format!("{head}{chunked}0\r\n\r\n"),
                        // Broken in the middle, in the headers, and before the first byte.
                        2 => format!("{head}content-length: 100\r\n\r\npart"),
                        3 => "HTTP/1.1 2".to_owned(),
                        4 => String::new(),
                        // Silent until somebody gives up.
                        _ => format!("{head}{chunked}"),
                    };
                    let _ = stream.write_all(said.as_bytes()).await;
                    if number % 6 == 5 {
                        while let Ok(1..) = stream.read(&mut bytes).await {}
                    }
                    open.fetch_sub(1, Ordering::SeqCst);
                    if number % 6 > 1 {
                        break;
                    }
                }
            });
        }
    });
    url
}

/// A number for each request that repeats itself in no pattern.
fn draw(number: usize) -> usize {
    (number.wrapping_mul(2_654_435_761) >> 7) % 1_000
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_cut_requests_leave_every_count_at_zero_and_no_socket_open() {
    let open: Vec<Arc<AtomicUsize>> = (0..3).map(|_| Arc::default()).collect();
    let signalbox = Signalbox::start().await;
    let mut targets = Vec::new();
    for (number, open) in open.iter().enumerate() {
        let name = format!("p{number}");
        let draft = json!({
            "name": name, "kind": "openai", "models": [{"name": "m"}, {"name": "n"}],
            "instances": [{"url": unreliable(Arc::clone(open)).await, "max_inflight": 1_000}],
            "timeouts": {"connect_ms": 1_000, "first_byte_ms": 400, "idle_ms": 300},
        });
        signalbox.create("/providers", draft).await;
        targets.push(name);
    }
    let pairs: Vec<(&str, &str)> = targets
        .iter()
        .flat_map(|name| [(name.as_str(), "m"), (name.as_str(), "n")])
        .collect();
    let policy = json!({"session_affinity": {}, "least_inflight": {}});
    route(&signalbox, "qwen3", &pairs, policy).await;
    let key = signalbox.key().await;

    let one = |number: usize| {
        let request = signalbox
            .chat(&key, BODY)
            .header("session-id", format!("s{}", number % 7));
        async move {
            let patience = Duration::from_millis(draw(number) as u64 / 2);
            // Before the headers, in the middle of the answer, or not at all.
            let exchange = async {
                let Ok(answer) = request.send().await else {
                    return;
                };
                assert!([200, 502, 504].contains(&answer.status().as_u16()));
                let mut body = answer.bytes_stream();
                while let Some(Ok(_)) = body.next().await {}
            };
            match number % 3 {
                0 => exchange.await,
                _ => drop(tokio::time::timeout(patience, exchange).await),
            }
        }
    };
    stream::iter(0..REQUESTS)
        .for_each_concurrent(AT_ONCE, one)
        .await;

    inflight_becomes(&signalbox, 1, |counts| counts == [0, 0, 0]).await;
    let begun = std::time::Instant::now();
    let busy = || {
        open.iter()
            .map(|open| open.load(Ordering::SeqCst))
            .sum::<usize>()
    };
    while busy() > 0 {
        assert!(begun.elapsed().as_secs() < 1, "{} sockets are open", busy());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(inflight(&signalbox).await, [0, 0, 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_upstream_socket_of_a_client_that_left_closes_within_a_second() {
    let under_way = Arc::new(AtomicUsize::new(0));
    struct Ends(Arc<AtomicUsize>);
    impl Drop for Ends {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    // Numbers of the requests that the upstream has seen.
    let arrived: Arc<Mutex<HashSet<usize>>> = Arc::default();
    let slow = MockUpstream::start({
        let (under_way, arrived) = (Arc::clone(&under_way), Arc::clone(&arrived));
        move |received| {
            under_way.fetch_add(1, Ordering::SeqCst);
            let number = received.headers["x-number"].to_str().unwrap();
            arrived.lock().unwrap().insert(number.parse().unwrap());
            let ends = Ends(Arc::clone(&under_way));
            async move {
                if received.headers.contains_key("x-silent") {
                    std::future::pending::<()>().await;
                }
                let frames = stream::pending::<Result<Bytes, Infallible>>();
                let first = stream::iter([Ok(Bytes::from_static(b"data: {}\n\n"))]);
                let body = first.chain(frames).map(move |frame| {
                    let _ends = &ends;
                    frame
                });
                (StatusCode::OK, Body::from_stream(body)).into_response()
            }
        }
    })
    .await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("p", &[slow.url()], &["m"]).await;
    route(
        &signalbox,
        "qwen3",
        &[("p", "m")],
        json!({"least_inflight": {}}),
    )
    .await;
    let key = signalbox.key().await;
    let leave = |number: usize| {
        let mut request = signalbox.chat(&key, BODY).header("x-number", number);
        if number.is_multiple_of(2) {
            request = request.header("x-silent", "1");
        }
        let arrived = Arc::clone(&arrived);
        async move {
            let exchange = async { request.send().await.unwrap().bytes().await };
            let patience = async {
                while !arrived.lock().unwrap().contains(&number) {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                tokio::time::sleep(Duration::from_millis(draw(number) as u64 / 10)).await;
            };
            tokio::select! {
                _ = exchange => panic!("there is no end to that answer"),
                () = patience => {}
            }
        }
    };
    stream::iter(0..100)
        .for_each_concurrent(AT_ONCE, leave)
        .await;
    assert_eq!(slow.count(), 100);
    inflight_becomes(&signalbox, 1, |counts| counts == [0]).await;
    let begun = std::time::Instant::now();
    while under_way.load(Ordering::SeqCst) > 0 {
        assert!(begun.elapsed().as_secs() < 1, "{under_way:?} are under way");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
