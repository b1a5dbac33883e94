//! When upstreams fail: down the ranking, through the fallbacks, and what the client gets in the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::{MockUpstream, Signalbox, completion};

const BODY: &str = r#"{"model":"qwen3","messages":[]}"#;

fn status(status: u16, headers: &[(&'static str, &'static str)]) -> Response {
    let mut response = (
        StatusCode::from_u16(status).unwrap(),
        format!("{{\"answer\":{status}}}"),
    )
        .into_response();
    for (name, value) in headers {
        response.headers_mut().insert(*name, value.parse().unwrap());
    }
    response
}

async fn answering(code: u16) -> MockUpstream {
    MockUpstream::start(move |_| async move { status(code, &[]) }).await
}

/// An address where nobody listens.
async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}

/// A route over providers p0, p1, … with one instance each; the rest of the route as given.
async fn over(signalbox: &Signalbox, urls: &[String], rest: Value) -> String {
    let mut targets = Vec::new();
    for (number, url) in urls.iter().enumerate() {
        let name = format!("p{number}");
        signalbox
            .provider(&name, std::slice::from_ref(url), &["m"])
            .await;
        targets.push(json!({"provider": name, "model": "m"}));
    }
    let mut draft = json!({"name": "qwen3", "targets": targets});
    draft
        .as_object_mut()
        .unwrap()
        .extend(rest.as_object().unwrap().clone());
    signalbox.create("/routes", draft).await;
    signalbox.key().await
}

async fn last_request(signalbox: &Signalbox) -> Value {
    let (code, list) = signalbox.get("/requests?limit=1").await;
    assert_eq!(code, 200, "{list}");
    list["items"][0].clone()
}

fn attempts(answer: &reqwest::Response) -> &str {
    answer.headers()["x-signalbox-attempts"].to_str().unwrap()
}

#[tokio::test]
async fn each_retried_status_goes_on_and_every_other_is_the_answer() {
    for code in [429, 502, 503, 504, 400, 404, 409, 418, 500, 501] {
        let (failing, well) = (answering(code).await, MockUpstream::friendly().await);
        let signalbox = Signalbox::start().await;
        let key = over(&signalbox, &[failing.url(), well.url()], json!({})).await;
        let answer = signalbox.chat(&key, BODY).send().await.unwrap();
        let goes_on = [429, 502, 503, 504].contains(&code);
        let expected = if goes_on {
            (200, "2", 1)
        } else {
            (code, "1", 0)
        };
        let got = (answer.status().as_u16(), attempts(&answer), well.count());
        assert_eq!(got, expected, "{code}");
        let record = last_request(&signalbox).await;
        let tries = record["attempts"].as_array().unwrap();
        assert_eq!(tries.len().to_string(), expected.1);
        assert_eq!(tries[0]["status"], code);
        assert_eq!(record["status"], expected.0);
    }
}

#[tokio::test]
async fn a_route_says_what_is_retried_and_how_often() {
    let failing = [
        answering(500).await,
        answering(500).await,
        answering(500).await,
    ];
    let urls: Vec<String> = failing.iter().map(MockUpstream::url).collect();
    let signalbox = Signalbox::start().await;
    let retry = json!({"retry": {"attempts": 3, "statuses": [500]}});
    let key = over(&signalbox, &urls, retry).await;
    let answer = signalbox.chat(&key, BODY).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), attempts(&answer)), (500, "3"));
    assert!(failing.iter().all(|upstream| upstream.count() == 1));
}

#[tokio::test]
async fn the_last_answer_comes_back_as_it_was() {
    let limited = |after: &'static str| async move {
        MockUpstream::start(move |_| async move {
            status(429, &[("retry-after", after), ("x-request-id", after)])
        })
        .await
    };
    let (first, last) = (limited("3").await, limited("9").await);
    let signalbox = Signalbox::start().await;
    let key = over(&signalbox, &[first.url(), last.url()], json!({})).await;
    let answer = signalbox.chat(&key, BODY).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), attempts(&answer)), (429, "2"));
    assert_eq!(answer.headers()["retry-after"], "9");
    assert_eq!(answer.headers()["x-request-id"], "9");
    assert_eq!(answer.headers()["x-signalbox-target"], "p1/m");
    assert_eq!(answer.text().await.unwrap(), r#"{"answer":429}"#);
}

/// Whoever answered tells more than whoever did not.
#[tokio::test]
async fn an_answer_before_a_failure_is_still_the_last_answer() {
    let limited = answering(503).await;
    let signalbox = Signalbox::start().await;
    let key = over(&signalbox, &[limited.url(), nobody().await], json!({})).await;
    let answer = signalbox.chat(&key, BODY).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), attempts(&answer)), (503, "2"));
    assert_eq!(answer.headers()["x-signalbox-target"], "p0/m");
}

#[tokio::test]
async fn when_nobody_answers_the_error_says_so_and_counts() {
    let signalbox = Signalbox::start().await;
    let key = over(&signalbox, &[nobody().await, nobody().await], json!({})).await;
    let answer = signalbox.chat(&key, BODY).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), attempts(&answer)), (502, "2"));
    let error: Value = answer.json().await.unwrap();
    assert_eq!(error["error"]["code"], "upstream_unreachable");
    let record = last_request(&signalbox).await;
    assert_eq!(record["attempts"][1]["error"], "could not be reached");
    assert_eq!(record["error"], "upstream_unreachable");
}

#[tokio::test]
async fn fallbacks_go_in_their_order_once_each_and_never_to_a_target_twice() {
    let failing = [
        answering(503).await,
        answering(503).await,
        answering(503).await,
    ];
    let well = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    for (name, upstream) in [("f0", &failing[1]), ("f1", &failing[2]), ("f2", &well)] {
        signalbox.provider(name, &[upstream.url()], &["m"]).await;
    }
    let fallback = |provider: &str| json!({"provider": provider, "model": "m"});
    let fallbacks = json!({"fallbacks": [
        fallback("p0"), fallback("f0"), fallback("f1"), fallback("f2"),
    ]});
    let key = over(&signalbox, &[failing[0].url()], fallbacks).await;
    let answer = signalbox.chat(&key, BODY).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), attempts(&answer)), (200, "4"));
    assert_eq!(answer.headers()["x-signalbox-target"], "f2/m");
    assert!(failing.iter().all(|upstream| upstream.count() == 1));
    let record = last_request(&signalbox).await;
    let fell_back: Vec<&Value> = record["attempts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attempt| &attempt["fallback"])
        .collect();
    assert_eq!(fell_back, [false, true, true, true]);
}

/// Two routes that fall back to each other's targets: there is nothing that could go round.
#[tokio::test]
async fn fallback_cycles_end() {
    let (a, b) = (answering(503).await, answering(503).await);
    let signalbox = Signalbox::start().await;
    signalbox.provider("a", &[a.url()], &["m"]).await;
    signalbox.provider("b", &[b.url()], &["m"]).await;
    for (name, target, other) in [("ab", "a", "b"), ("ba", "b", "a")] {
        let pair = |provider: &str| json!([{"provider": provider, "model": "m"}]);
        let draft = json!({"name": name, "targets": pair(target), "fallbacks": pair(other)});
        signalbox.create("/routes", draft).await;
    }
    let key = signalbox.key().await;
    for model in ["ab", "ba"] {
        let body = json!({"model": model}).to_string();
        let answer = signalbox.chat(&key, body).send().await.unwrap();
        assert_eq!((answer.status().as_u16(), attempts(&answer)), (503, "2"));
    }
    assert_eq!((a.count(), b.count()), (2, 2));
}

#[tokio::test]
async fn fallbacks_saved_in_the_editor_count_with_the_next_request() {
    let (failing, well) = (answering(503).await, MockUpstream::friendly().await);
    let signalbox = Signalbox::start().await;
    signalbox.provider("spare", &[well.url()], &["m"]).await;
    let key = over(&signalbox, &[failing.url()], json!({})).await;
    assert_eq!(
        signalbox.chat(&key, BODY).send().await.unwrap().status(),
        503
    );
    let (_, routes) = signalbox.get("/routes").await;
    let mut route = routes["items"][0].clone();
    route["fallbacks"] = json!([{"provider": "spare", "model": "m"}]);
    let path = format!("/routes/{}", route["id"].as_str().unwrap());
    let (code, saved) = signalbox.api(Method::PUT, &path, route).await;
    assert_eq!(code, 200, "{saved}");
    assert_eq!(
        signalbox.chat(&key, BODY).send().await.unwrap().status(),
        200
    );
}

#[tokio::test]
async fn the_owner_of_a_session_that_fails_is_not_tried_again_in_the_same_request() {
    let failing = [answering(503).await, answering(503).await];
    let urls: Vec<String> = failing.iter().map(MockUpstream::url).collect();
    let signalbox = Signalbox::start().await;
    let sticky = json!({"policy": {"session_affinity": {}}, "retry": {"attempts": 10}});
    let key = over(&signalbox, &urls, sticky).await;
    let sent = signalbox.chat(&key, BODY).header("session-id", "s").send();
    assert_eq!(attempts(&sent.await.unwrap()), "2");
    assert!(failing.iter().all(|upstream| upstream.count() == 1));
}

#[tokio::test]
async fn a_refused_credential_rests_and_the_next_one_is_no_attempt() {
    for (code, retry_after) in [(401, None), (403, None), (429, Some("60"))] {
        let upstream = MockUpstream::start(move |received| async move {
            match received.headers["authorization"].to_str().unwrap() {
                "Bearer good-secret" => completion("hello"),
                _ => match retry_after {
                    Some(after) => status(code, &[("retry-after", after)]),
                    None => status(code, &[]),
                },
            }
        })
        .await;
        let signalbox = Signalbox::start().await;
        let draft = json!({
            "name": "p", "kind": "openai", "instances": [{"url": upstream.url()}],
            "models": [{"name": "m"}],
            "credentials": [{"secret": "bad-secret-0001"}, {"secret": "bad-secret-0002"}, {"secret": "good-secret"}],
        });
        signalbox.create("/providers", draft).await;
        signalbox.route("qwen3", &[("p", "m", None)]).await;
        let key = signalbox.key().await;
        let answer = signalbox.chat(&key, BODY).send().await.unwrap();
        assert_eq!((answer.status().as_u16(), attempts(&answer)), (200, "1"));
        let record = last_request(&signalbox).await;
        assert_eq!(record["attempts"].as_array().unwrap().len(), 1);
        let refused = record["attempts"][0]["refused_credentials"].clone();
        assert_eq!(refused[0]["hint"], "0001");
        assert_eq!(refused[1]["status"], code);
        assert_eq!(upstream.count(), 3);

        signalbox.chat(&key, BODY).send().await.unwrap();
        assert_eq!(upstream.count(), 4, "the others rest");
    }
}

#[tokio::test]
async fn when_every_credential_is_refused_that_is_the_answer_or_429_goes_on() {
    let refusing = answering(401).await;
    let (limited, well) = (answering(429).await, MockUpstream::friendly().await);
    let signalbox = Signalbox::start().await;
    signalbox
        .provider("refusing", &[refusing.url()], &["m"])
        .await;
    signalbox.route("closed", &[("refusing", "m", None)]).await;
    let key = over(&signalbox, &[limited.url(), well.url()], json!({})).await;
    let closed = signalbox
        .chat(&key, r#"{"model":"closed"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!((closed.status().as_u16(), attempts(&closed)), (401, "1"));
    let answer = signalbox.chat(&key, BODY).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), attempts(&answer)), (200, "2"));
}

/// What full instances and failing ones come to together.
#[tokio::test]
async fn some_full_and_others_failing_is_the_failure() {
    let busy = MockUpstream::start(|_| async {
        let body = axum::body::Body::from_stream(futures_util::stream::pending::<
            Result<bytes::Bytes, std::convert::Infallible>,
        >());
        body.into_response()
    })
    .await;
    let failing = answering(503).await;
    let signalbox = Signalbox::start().await;
    let instances = json!([{"url": busy.url(), "max_inflight": 1}]);
    let draft = json!({"name": "busy", "kind": "openai", "instances": instances, "models": [{"name": "m"}]});
    signalbox.create("/providers", draft).await;
    signalbox
        .provider("failing", &[failing.url()], &["m"])
        .await;
    signalbox.route("hold", &[("busy", "m", None)]).await;
    signalbox
        .route("qwen3", &[("busy", "m", None), ("failing", "m", None)])
        .await;
    let key = signalbox.key().await;
    let _held = signalbox
        .chat(&key, r#"{"model":"hold"}"#)
        .send()
        .await
        .unwrap();
    for _ in 0..4 {
        let answer = signalbox.chat(&key, BODY).send().await.unwrap();
        assert_eq!((answer.status().as_u16(), attempts(&answer)), (503, "1"));
    }
    let full = signalbox
        .chat(&key, r#"{"model":"hold"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(full.status(), 429);
}

/// A server that answers the first request of a connection and cuts the second off.
async fn cutting_kept_connections() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    tokio::spawn({
        let connections = Arc::clone(&connections);
        async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    let mut buffer = [0; 4096];
                    assert!(stream.read(&mut buffer).await.unwrap() > 0);
                    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
                    stream.write_all(answer.as_bytes()).await.unwrap();
                    // The next request is read, so that it was sent for certain.
                    let _ = stream.read(&mut buffer).await;
                });
            }
        }
    });
    (url, connections)
}

#[tokio::test]
async fn a_kept_connection_that_broke_is_no_attempt_and_no_failure() {
    let (url, connections) = cutting_kept_connections().await;
    let signalbox = Signalbox::start().await;
    let key = over(&signalbox, &[url], json!({})).await;
    for number in 1..=5 {
        let answer = signalbox.chat(&key, BODY).send().await.unwrap();
        assert_eq!((answer.status().as_u16(), attempts(&answer)), (200, "1"));
        answer.bytes().await.unwrap();
        assert!(connections.load(Ordering::SeqCst) >= number);
    }
    let (_, instances) = signalbox.get("/instances").await;
    assert_eq!(instances["items"][0]["last_error"], Value::Null);
    assert_eq!(instances["items"][0]["health"], "ok");
}

#[tokio::test]
async fn one_that_answers_too_late_is_504_and_nobody_else_is_asked() {
    let slow = MockUpstream::start(|_| async {
        tokio::time::sleep(std::time::Duration::from_secs(30)).await;
        completion("late")
    })
    .await;
    let well = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    let draft = json!({
        "name": "slow", "kind": "openai", "instances": [{"url": slow.url()}],
        "models": [{"name": "m"}], "timeouts": {"first_byte_ms": 200},
    });
    signalbox.create("/providers", draft).await;
    signalbox.provider("well", &[well.url()], &["m"]).await;
    signalbox
        .route("qwen3", &[("slow", "m", None), ("well", "m", None)])
        .await;
    let key = signalbox.key().await;
    let answer = signalbox.chat(&key, BODY).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), well.count()), (504, 0));
    let (_, instances) = signalbox.get("/instances").await;
    assert_eq!(instances["items"][0]["health"], "ok");
}
