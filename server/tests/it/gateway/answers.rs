//! What reaches a client: every byte and frame as it came, when it came.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::support::{MockUpstream, Signalbox, completion};

const BODY: &str = r#"{"model":"qwen3","stream":true}"#;

async fn before(upstream: &MockUpstream) -> (Signalbox, String) {
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("qwen3", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    (signalbox, key)
}

fn sse(body: Body) -> Response {
    ([("content-type", "text/event-stream; charset=utf-8")], body).into_response()
}

#[tokio::test]
async fn frames_in_three_byte_pieces_comments_and_crlf_arrive_as_sent() {
    const SENT: &str = ": a comment\r\n\r\ndata: {\"x\":\"\u{65e5}\u{672c}\"}\r\n\r\n: ping\n\nevent: e\ndata: 1\n\ndata: [DONE]\n\n";
    let upstream = MockUpstream::start(|_| async {
        let pieces = SENT
            .as_bytes()
            .chunks(3)
            .map(Bytes::from)
            .collect::<Vec<_>>();
        sse(Body::from_stream(stream::iter(pieces).then(
            |piece| async move {
                tokio::time::sleep(Duration::from_millis(1)).await;
                Ok::<_, Infallible>(piece)
            },
        )))
    })
    .await;
    let (signalbox, key) = before(&upstream).await;
    let answer = signalbox.chat(&key, BODY).send().await.unwrap();
    assert_eq!(
        answer.headers()["content-type"],
        "text/event-stream; charset=utf-8"
    );
    assert_eq!(answer.text().await.unwrap(), SENT);
}

#[tokio::test]
async fn frames_in_one_segment_and_frames_cut_inside_characters_arrive_whole() {
    const SENT: &str = "data: {\"x\":\"日本\"}\n\ndata: {\"x\":\"\u{1f686}\"}\n\ndata: [DONE]\n\n";
    for cuts in [vec![], (1..SENT.len()).collect::<Vec<_>>()] {
        let mut pieces = Vec::new();
        let mut rest = SENT.as_bytes();
        for _ in &cuts {
            let (piece, after) = rest.split_at(1);
            pieces.push(Ok::<_, Infallible>(Bytes::from_static(piece)));
            rest = after;
        }
        pieces.push(Ok(Bytes::from_static(rest)));
        let upstream = MockUpstream::start(move |_| {
            let pieces = pieces.clone();
            async move { sse(Body::from_stream(stream::iter(pieces))) }
        })
        .await;
        let (signalbox, key) = before(&upstream).await;
        let text = signalbox
            .chat(&key, BODY)
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap();
        assert_eq!(text, SENT);
        assert_eq!(text.matches("[DONE]").count(), 1);
    }
}

#[tokio::test]
async fn answers_keep_bytes_and_encoding_in_agreement() {
    for encoding in ["gzip", "br", "zstd", "deflate", "identity"] {
        let upstream = MockUpstream::start(move |_| async move {
            ([("content-encoding", encoding)], vec![0x9f_u8; 5_000]).into_response()
        })
        .await;
        let (signalbox, key) = before(&upstream).await;
        let answer = signalbox.chat(&key, BODY).send().await.unwrap();
        assert_eq!(answer.headers()["content-encoding"], encoding);
        assert_eq!(answer.headers()["content-length"], "5000");
        assert_eq!(answer.bytes().await.unwrap(), vec![0x9f_u8; 5_000]);
    }
}

#[tokio::test]
async fn the_first_frame_arrives_while_the_upstream_holds_back_the_second() {
    let (send, receive) = mpsc::channel::<Result<Bytes, Infallible>>(1);
    let frames = Arc::new(Mutex::new(Some(receive)));
    let upstream = MockUpstream::start(move |_| {
        let mut receive = frames.lock().unwrap().take().unwrap();
        async move {
            sse(Body::from_stream(stream::poll_fn(move |context| {
                receive.poll_recv(context)
            })))
        }
    })
    .await;
    let (signalbox, key) = before(&upstream).await;
    let answer = signalbox.chat(&key, BODY).send().await.unwrap();
    let mut body = answer.bytes_stream();
    for frame in ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"] {
        send.send(Ok(Bytes::from(frame))).await.unwrap();
        assert_eq!(body.next().await.unwrap().unwrap(), frame);
    }
    drop(send);
    assert!(body.next().await.is_none());
}

#[tokio::test]
async fn a_gzip_answer_keeps_its_header_and_bytes() {
    const NOT_REALLY_GZIP: &[u8] = b"\x1f\x8b\x08\x00 the bytes are not looked at";
    let upstream = MockUpstream::start(|_| async {
        (
            [
                ("content-encoding", "gzip"),
                ("content-type", "application/json"),
            ],
            NOT_REALLY_GZIP,
        )
            .into_response()
    })
    .await;
    let (signalbox, key) = before(&upstream).await;
    let answer = signalbox
        .chat(&key, BODY)
        .header("accept-encoding", "gzip")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.headers()["content-encoding"], "gzip");
    assert_eq!(
        answer.headers()["content-length"],
        NOT_REALLY_GZIP.len().to_string()
    );
    assert_eq!(answer.bytes().await.unwrap(), NOT_REALLY_GZIP);
    assert_eq!(upstream.only().headers["accept-encoding"], "gzip");
}

#[tokio::test]
async fn an_upstreams_error_comes_back_as_it_was() {
    let upstream = MockUpstream::start(|_| async {
        let headers = [
            ("retry-after", "7"),
            ("set-cookie", "a=b"),
            ("x-signalbox-request-id", "forged"),
        ];
        (
            StatusCode::IM_A_TEAPOT,
            headers,
            "{\"error\": {\"message\" : \"short and stout\"}}",
        )
            .into_response()
    })
    .await;
    let (signalbox, key) = before(&upstream).await;
    let answer = signalbox.chat(&key, BODY).send().await.unwrap();
    assert_eq!(answer.status(), 418);
    assert_eq!(answer.headers()["retry-after"], "7");
    assert!(!answer.headers().contains_key("set-cookie"));
    assert_eq!(answer.headers()["x-signalbox-target"], "local/m");
    assert_eq!(answer.headers()["x-signalbox-attempts"], "1");
    assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
    let ids: Vec<_> = answer
        .headers()
        .get_all("x-signalbox-request-id")
        .iter()
        .collect();
    assert!(ids.len() == 1 && ids[0].len() == 36, "{ids:?}");
    assert_eq!(
        answer.text().await.unwrap(),
        "{\"error\": {\"message\" : \"short and stout\"}}"
    );
}

#[tokio::test]
async fn the_target_can_be_kept_secret() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start_with(&["--hide-target"]).await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("qwen3", &[("local", "m", None)]).await;
    let answer = signalbox
        .chat(&signalbox.key().await, BODY)
        .send()
        .await
        .unwrap();
    assert!(!answer.headers().contains_key("x-signalbox-target"));
    assert!(answer.headers().contains_key("x-signalbox-request-id"));
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_seen_as_broken() {
    let upstream = MockUpstream::start(|_| async {
        let pieces: [Result<Bytes, std::io::Error>; 2] = [
            Ok(Bytes::from("data: 1\n\n")),
            Err(std::io::Error::other("cut")),
        ];
        sse(Body::from_stream(stream::iter(pieces).then(
            |piece| async {
                tokio::time::sleep(Duration::from_millis(20)).await;
                piece
            },
        )))
    })
    .await;
    let (signalbox, key) = before(&upstream).await;
    let mut body = signalbox
        .chat(&key, BODY)
        .send()
        .await
        .unwrap()
        .bytes_stream();
    assert_eq!(body.next().await.unwrap().unwrap(), "data: 1\n\n");
    assert!(
        body.next().await.unwrap().is_err(),
        "the break must not look like an end"
    );
    let (_, requests) = signalbox.get("/requests").await;
    let record = &requests["items"][0];
    assert_eq!(record["status"], 200);
    assert_eq!(record["error"], "broke off in the middle of an answer");
}

#[tokio::test]
async fn what_came_before_a_break_reaches_the_client() {
    const BROKEN: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                          transfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n9\r\ndata";
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let upstream = tokio::spawn(async move {
        loop {
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            let length = connection.read(&mut request).await.unwrap();
            assert!(length > 0);
            // All at once, and the end right after it.
            connection.write_all(BROKEN.as_bytes()).await.unwrap();
        }
    });
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[url], &["m"]).await;
    signalbox.route("qwen3", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    for _ in 0..20 {
        let answer = signalbox.chat(&key, BODY).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let mut body = answer.bytes_stream();
        let mut came = Vec::new();
        let end = loop {
            match body.next().await {
                Some(Ok(piece)) => came.extend_from_slice(&piece),
                end => break end,
            }
        };
        assert_eq!(came, b"data: 1\n\ndata");
        assert!(end.unwrap().is_err());
    }
    upstream.abort();
}

#[tokio::test]
async fn a_client_that_leaves_cancels_the_upstream_request() {
    let left = CancellationToken::new();
    let guard: Arc<Mutex<Option<DropGuard>>> =
        Arc::new(Mutex::new(Some(left.clone().drop_guard())));
    let upstream = MockUpstream::start(move |_| {
        let guard = guard.lock().unwrap().take();
        async move {
            let endless = stream::unfold(guard, |guard| async move {
                tokio::time::sleep(Duration::from_millis(10)).await;
                Some((Ok::<_, Infallible>(Bytes::from("data: x\n\n")), guard))
            });
            sse(Body::from_stream(endless))
        }
    })
    .await;
    let (signalbox, key) = before(&upstream).await;
    let mut body = signalbox
        .chat(&key, BODY)
        .send()
        .await
        .unwrap()
        .bytes_stream();
    assert!(body.next().await.unwrap().is_ok());
    drop(body);
    tokio::time::timeout(Duration::from_secs(5), left.cancelled())
        .await
        .expect("the upstream still sends");
}

#[tokio::test]
async fn a_client_that_leaves_before_the_answer_cancels_too() {
    let left = CancellationToken::new();
    let guard: Arc<Mutex<Option<DropGuard>>> =
        Arc::new(Mutex::new(Some(left.clone().drop_guard())));
    let upstream = MockUpstream::start(move |_| {
        let guard = guard.lock().unwrap().take();
        async move {
            let _guard = guard;
            tokio::time::sleep(Duration::from_secs(60)).await;
            completion("late")
        }
    })
    .await;
    let (signalbox, key) = before(&upstream).await;
    let request = signalbox
        .chat(&key, BODY)
        .timeout(Duration::from_millis(300))
        .send()
        .await;
    assert!(request.unwrap_err().is_timeout());
    tokio::time::timeout(Duration::from_secs(5), left.cancelled())
        .await
        .expect("the upstream still works");
}
