//! Forms with files: the field `model` names the route, and every other byte passes.

use axum::response::IntoResponse;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::StatusCode;
use serde_json::Value;

use crate::support::{MockUpstream, Signalbox, completion};

const FORMS: [&str; 4] = [
    "/v1/images/edits",
    "/v1/images/variations",
    "/v1/audio/transcriptions",
    "/v1/audio/translations",
];

/// A form of these fields; the one called `file` is a file.
fn form(fields: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        let filename = if *name == "file" {
            "; filename=\"a b.wav\""
        } else {
            ""
        };
        body.extend(
            format!(
                "--b0undary\r\nContent-Disposition: form-data; name=\"{name}\"{filename}\r\n\r\n"
            )
            .bytes(),
        );
        body.extend_from_slice(value);
        body.extend(b"\r\n");
    }
    body.extend(b"--b0undary--\r\n");
    body
}

/// Bytes that look like everything and mean nothing.
fn file(length: usize) -> Vec<u8> {
    let tricky = b"\r\n--b0undar\r\n\x00\xffname=\"model\"\r\n\r\n";
    tricky.iter().copied().cycle().take(length).collect()
}

async fn before(flags: &[&str], upstreams: &[&MockUpstream]) -> (Signalbox, String) {
    let signalbox = Signalbox::start_with(flags).await;
    let mut targets = Vec::new();
    for (number, upstream) in upstreams.iter().enumerate() {
        let name = format!("p{number}");
        signalbox
            .provider(&name, &[upstream.url()], &["whisper-1"])
            .await;
        targets.push(name);
    }
    let targets: Vec<_> = targets
        .iter()
        .map(|name| (name.as_str(), "whisper-1", None))
        .collect();
    signalbox.route("speech", &targets).await;
    let key = signalbox.key().await;
    (signalbox, key)
}

fn send(
    signalbox: &Signalbox,
    path: &str,
    key: &str,
    body: impl Into<reqwest::Body>,
) -> reqwest::RequestBuilder {
    signalbox
        .client
        .post(signalbox.url(path))
        .bearer_auth(key)
        .header("content-type", "multipart/form-data; boundary=b0undary")
        .body(body)
}

/// In pieces and without a length.
fn streamed(body: Vec<u8>) -> reqwest::Body {
    let pieces: Vec<_> = body.chunks(50_000).map(Bytes::copy_from_slice).collect();
    reqwest::Body::wrap_stream(stream::iter(pieces).map(Ok::<_, std::io::Error>))
}

#[tokio::test]
async fn only_the_models_value_changes_wherever_it_stands() {
    let upstream = MockUpstream::friendly().await;
    let (signalbox, key) = before(&[], &[&upstream]).await;
    for length in [0, 200, 3 << 20, 30 << 20] {
        let file = file(length);
        let model: (&str, &[u8]) = ("model", b"speech");
        for fields in [[model, ("file", &file)], [("file", &file), model]] {
            let sent = form(&fields);
            let expected = form(&fields.map(|(name, value)| match name {
                "model" => (name, b"whisper-1".as_slice()),
                _ => (name, value),
            }));
            for body in [reqwest::Body::from(sent.clone()), streamed(sent)] {
                let path = FORMS[upstream.count() % FORMS.len()];
                let answer = send(&signalbox, path, &key, body).send().await.unwrap();
                assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
                let received = upstream.received().pop().unwrap();
                assert_eq!(received.uri.path(), path);
                assert!(received.body == expected, "{length}");
                assert_eq!(
                    received.headers["content-type"],
                    "multipart/form-data; boundary=b0undary"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_form_is_sent_again_where_the_first_try_fails() {
    let failing =
        MockUpstream::start(|_| async { StatusCode::SERVICE_UNAVAILABLE.into_response() }).await;
    let well = MockUpstream::friendly().await;
    let (signalbox, key) = before(&[], &[&failing, &well]).await;
    for length in [200, 5 << 20] {
        let file = file(length);
        let sent = form(&[("model", b"speech"), ("file", &file)]);
        let mut tries = Vec::new();
        for _ in 0..2 {
            let answer = send(&signalbox, FORMS[2], &key, streamed(sent.clone()))
                .send()
                .await
                .unwrap();
            assert_eq!(answer.status(), 200);
            tries.push(
                answer.headers()["x-signalbox-attempts"]
                    .to_str()
                    .unwrap()
                    .to_owned(),
            );
        }
        tries.sort();
        assert_eq!(tries, ["1", "2"]);
        let expected = form(&[("model", b"whisper-1"), ("file", &file)]);
        assert!(failing.received().pop().unwrap().body == expected);
        assert!(well.received().pop().unwrap().body == expected);
    }
}

/// One that has seen enough before it has seen all.
#[tokio::test]
async fn a_form_is_sent_again_where_the_first_try_is_refused_half_way() {
    let app = axum::Router::new().fallback(async || StatusCode::SERVICE_UNAVAILABLE);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let well = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("busy", &[url], &["whisper-1"]).await;
    signalbox
        .provider("well", &[well.url()], &["whisper-1"])
        .await;
    let draft = serde_json::json!({
        "name": "speech", "targets": [{"provider": "busy", "model": "whisper-1"}],
        "fallbacks": [{"provider": "well", "model": "whisper-1"}],
    });
    signalbox.create("/routes", draft).await;
    let key = signalbox.key().await;
    let file = file(20 << 20);
    let sent = form(&[("model", b"speech"), ("file", &file)]);
    for _ in 0..5 {
        let answer = send(&signalbox, FORMS[2], &key, streamed(sent.clone()))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["x-signalbox-attempts"], "2");
        let expected = form(&[("model", b"whisper-1"), ("file", &file)]);
        assert!(well.received().pop().unwrap().body == expected);
    }
    server.abort();
}

/// The file reaches the upstream while the client still sends it.
#[tokio::test]
async fn a_form_flows_as_it_arrives() {
    let (seen, mut arrives) = tokio::sync::mpsc::unbounded_channel();
    let app = axum::Router::new().fallback(move |request: axum::extract::Request| {
        let seen = seen.clone();
        async move {
            let mut body = request.into_body().into_data_stream();
            while let Some(Ok(piece)) = body.next().await {
                seen.send(piece.len()).unwrap();
            }
            completion("hello")
        }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let signalbox = Signalbox::start().await;
    signalbox.provider("p", &[url], &["whisper-1"]).await;
    signalbox.route("speech", &[("p", "whisper-1", None)]).await;
    let key = signalbox.key().await;

    let body = form(&[("model", b"speech"), ("file", &file(100_000))]);
    let (first, rest) = body.split_at(50_000);
    let (pieces, receive) = tokio::sync::mpsc::unbounded_channel();
    pieces.send(Bytes::copy_from_slice(first)).unwrap();
    let receive = stream::unfold(receive, |mut receive| async move {
        receive
            .recv()
            .await
            .map(|piece| (Ok::<_, std::io::Error>(piece), receive))
    });
    let answer = tokio::spawn(
        send(
            &signalbox,
            FORMS[2],
            &key,
            reqwest::Body::wrap_stream(receive),
        )
        .send(),
    );
    let mut arrived = 0;
    while arrived < 49_000 {
        arrived += arrives.recv().await.unwrap();
    }
    pieces.send(Bytes::copy_from_slice(rest)).unwrap();
    drop(pieces);
    assert_eq!(answer.await.unwrap().unwrap().status(), 200);
    server.abort();
}

#[tokio::test]
async fn forms_that_are_none_are_refused_with_a_sentence() {
    let upstream = MockUpstream::friendly().await;
    let (signalbox, key) = before(&["--max-form-mib", "1"], &[&upstream]).await;
    let valid = form(&[("model", b"speech")]);
    let table: [(&str, Vec<u8>, u16, &str); 7] = [
        ("no model", form(&[("x", b"1")]), 400, "missing_model"),
        (
            "two",
            form(&[("model", b"speech"), ("file", b"x"), ("model", b"other")]),
            400,
            "invalid_form",
        ),
        (
            "cut",
            valid[..valid.len() - 6].to_vec(),
            400,
            "invalid_form",
        ),
        ("empty", Vec::new(), 400, "invalid_form"),
        (
            "nowhere",
            form(&[("model", b"nowhere")]),
            404,
            "model_not_found",
        ),
        (
            "large",
            form(&[("model", b"speech"), ("file", &file(1 << 20))]),
            413,
            "request_too_large",
        ),
        (
            "large before",
            form(&[("file", &file(1 << 20)), ("model", b"speech")]),
            413,
            "request_too_large",
        ),
    ];
    for (what, body, status, code) in table {
        for body in [reqwest::Body::from(body.clone()), streamed(body)] {
            let answer = send(&signalbox, FORMS[2], &key, body).send().await.unwrap();
            assert_eq!(answer.status().as_u16(), status, "{what}");
            let error: Value = answer.json().await.unwrap();
            assert_eq!(error["error"]["code"], code, "{what}: {error}");
        }
    }
    let answer = send(&signalbox, "/v1/chat/completions", &key, valid)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 415);
    let (_, instances) = signalbox.get("/instances").await;
    assert_eq!(
        instances["items"][0]["last_error"],
        Value::Null,
        "none of it is the upstream's fault"
    );
}
