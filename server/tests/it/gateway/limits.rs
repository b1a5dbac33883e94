//! Clients that take their time or send too much end by the limits, and cost nobody else anything.

use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{MockUpstream, Signalbox};

const BODY: &str = r#"{"model":"qwen3"}"#;

async fn before() -> (MockUpstream, Signalbox, String) {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("qwen3", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    (upstream, signalbox, key)
}

/// Sends a start and then nothing; how long the server put up with it.
async fn stall(signalbox: &Signalbox, start: &str) -> Duration {
    let begun = Instant::now();
    let mut stream = TcpStream::connect(signalbox.address).await.unwrap();
    stream.write_all(start.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    tokio::time::timeout(Duration::from_secs(60), stream.read_to_end(&mut answer))
        .await
        .unwrap()
        .unwrap();
    begun.elapsed()
}

/// Sends a start and then a byte each second; answers what came back when the server had enough.
async fn dribble(signalbox: &Signalbox, start: String) -> (Duration, String) {
    let begun = Instant::now();
    let (mut read, mut write) = TcpStream::connect(signalbox.address)
        .await
        .unwrap()
        .into_split();
    write.write_all(start.as_bytes()).await.unwrap();
    let dribbling = tokio::spawn(async move {
        while write.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    let mut answer = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(60), read.read_to_end(&mut answer)).await;
    dribbling.abort();
    assert!(ended.is_ok(), "the connection is still open");
    (
        begun.elapsed(),
        String::from_utf8_lossy(&answer).into_owned(),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_clients_end_while_others_go_on() {
    let (_upstream, signalbox, key) = before().await;
    let silent = stall(&signalbox, "");
    let slow_headers = dribble(
        &signalbox,
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nX-Slow: ".into(),
    );
    let http2_preface = stall(&signalbox, "PRI * HT");
    let stalled_body = stalled_body(&signalbox, &key);
    let others = async {
        for _ in 0..200 {
            assert_eq!(
                signalbox.chat(&key, BODY).send().await.unwrap().status(),
                200
            );
        }
    };
    let (silent, slow_headers, http2_preface, stalled_body, ()) =
        tokio::join!(silent, slow_headers, http2_preface, stalled_body, others);
    for ended_after in [silent, slow_headers.0, http2_preface] {
        assert!((9..20).contains(&ended_after.as_secs()), "{ended_after:?}");
    }
    assert!(stalled_body.starts_with("HTTP/1.1 408"), "{stalled_body}");
    assert!(stalled_body.contains("\"body_timeout\""), "{stalled_body}");
}

async fn stalled_body(signalbox: &Signalbox, key: &str) -> String {
    let mut stream = TcpStream::connect(signalbox.address).await.unwrap();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n{{\"model\":"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    // The answer comes; the connection may stay open for the rest of a body that never comes.
    while !answer.ends_with(b"}") {
        let read = tokio::time::timeout(Duration::from_secs(60), stream.read(&mut piece))
            .await
            .unwrap()
            .unwrap();
        if read == 0 {
            break;
        }
        answer.extend_from_slice(&piece[..read]);
    }
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn a_200_mb_body_is_refused_and_the_refusal_is_read() {
    let (upstream, signalbox, key) = before().await;
    let large = vec![b' '; 200 * 1024 * 1024];
    let answer = signalbox.chat(&key, large).send().await.unwrap();
    assert_eq!(answer.status(), 413);
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["error"]["code"], "request_too_large");

    // Without a length it is counted while it comes.
    let pieces = futures_util::stream::iter(
        (0..200).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1024 * 1024])),
    );
    let answer = signalbox
        .chat(&key, reqwest::Body::wrap_stream(pieces))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 413);
    assert_eq!(upstream.count(), 0);
    assert_eq!(
        signalbox.chat(&key, BODY).send().await.unwrap().status(),
        200
    );
}

#[tokio::test]
async fn the_limit_is_exact() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start_with(&["--max-body-mib", "1"]).await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("qwen3", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    for (length, status) in [(1024 * 1024, 200), (1024 * 1024 + 1, 413)] {
        let body = format!("{BODY}{}", " ".repeat(length - BODY.len()));
        assert_eq!(
            signalbox.chat(&key, body).send().await.unwrap().status(),
            status,
            "{length}"
        );
    }
}

#[tokio::test]
async fn a_body_of_an_unknown_client_is_not_read_into_memory() {
    let (_upstream, signalbox, _) = before().await;
    let mut stream = TcpStream::connect(signalbox.address).await.unwrap();
    let head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Content-Length: 30000000\r\nExpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 64];
    stream.read_exact(&mut answer).await.unwrap();
    assert!(
        answer.starts_with(b"HTTP/1.1 401"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
}

#[tokio::test]
async fn when_the_memory_for_bodies_is_used_up_the_next_is_busy() {
    let upstream = MockUpstream::start(|_| async {
        tokio::time::sleep(Duration::from_millis(800)).await;
        crate::support::completion("slow")
    })
    .await;
    let signalbox = Signalbox::start_with(&["--buffer-mib", "1"]).await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("qwen3", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    let body = format!("{BODY}{}", " ".repeat(700 * 1024));
    let send = || async { signalbox.chat(&key, body.clone()).send().await.unwrap() };
    let (one, other) = tokio::join!(send(), send());
    let mut statuses = [one.status().as_u16(), other.status().as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 503]);
    let busy = if one.status() == 503 { one } else { other };
    assert_eq!(busy.headers()["retry-after"], "1");
    assert_eq!(send().await.status(), 200, "what was held is given back");
}

#[tokio::test]
async fn headers_beyond_32_kib_are_refused() {
    let (_upstream, signalbox, key) = before().await;
    let answer = signalbox
        .chat(&key, BODY)
        .header("x-large", "x".repeat(40 * 1024))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 431);
    assert_eq!(
        signalbox
            .chat(&key, BODY)
            .header("x-large", "x".repeat(16 * 1024))
            .send()
            .await
            .unwrap()
            .status(),
        200
    );
}
