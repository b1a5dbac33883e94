//! Responses that upstreams keep: each is asked for where it was made, by whom it was made for.

use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{MockUpstream, Signalbox};

/// Makes responses whose ids begin with its name, and knows only those.
async fn keeper(name: &'static str) -> MockUpstream {
    let made = std::sync::atomic::AtomicUsize::new(0);
    MockUpstream::start(move |received| {
        let number = made.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        async move {
            answer(
                name,
                number,
                &received.method,
                received.uri.path(),
                &received.body,
            )
        }
    })
    .await
}

fn answer(name: &str, number: usize, method: &Method, path: &str, body: &[u8]) -> Response {
    let known = path.starts_with(&format!("/v1/responses/resp_{name}_"));
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    if method == Method::POST && path == "/v1/responses" {
        let previous = body["previous_response_id"].as_str();
        if previous.is_some_and(|id| !id.starts_with(&format!("resp_{name}_"))) {
            return StatusCode::NOT_FOUND.into_response();
        }
        let response = json!({"id": format!("resp_{name}_{number}"), "object": "response"});
        if body["stream"] == true {
            let event = json!({"type": "response.created", "response": response});
            let frames = format!("event: response.created\ndata: {event}\n\n");
            return ([("content-type", "text/event-stream")], frames).into_response();
        }
        return axum::Json(response).into_response();
    }
    match known {
        true => {
            axum::Json(json!({"by": name, "method": method.as_str(), "path": path})).into_response()
        }
        false => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn create(signalbox: &Signalbox, key: &str, body: Value) -> String {
    let answer = signalbox
        .post_v1("/v1/responses", key, body.to_string())
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    let text = answer.text().await.unwrap();
    let start = text.find("resp_").unwrap();
    text[start..].split('"').next().unwrap().to_owned()
}

async fn ask(signalbox: &Signalbox, key: &str, method: Method, path: &str) -> (u16, Value) {
    let url = signalbox.url(&format!("/v1/responses/{path}"));
    let answer = signalbox
        .client
        .request(method, url)
        .bearer_auth(key)
        .send()
        .await
        .unwrap();
    (
        answer.status().as_u16(),
        answer.json().await.unwrap_or_default(),
    )
}

crate::on_both_databases! {
    async fn each_response_is_asked_for_where_it_was_made(signalbox) {
        let (a, b) = (keeper("a").await, keeper("b").await);
        signalbox.provider("pa", &[a.url()], &["m"]).await;
        signalbox.provider("pb", &[b.url()], &["m"]).await;
        signalbox.route("qwen3", &[("pa", "m", None), ("pb", "m", None)]).await;
        let (key, other) = (signalbox.key().await, signalbox.key().await);
        let mut ids = Vec::new();
        for number in 0..6 {
            let body = json!({"model": "qwen3", "stream": number % 3 == 0});
            ids.push(create(&signalbox, &key, body).await);
        }
        assert!(a.count() == 3 && b.count() == 3);
        for id in &ids {
            let by = id.split('_').nth(1).unwrap();
            let (status, got) = ask(&signalbox, &key, Method::GET, id).await;
            assert_eq!((status, got["by"].as_str()), (200, Some(by)));
            let (_, items) = ask(&signalbox, &key, Method::GET, &format!("{id}/input_items?limit=2")).await;
            assert_eq!(items["path"], format!("/v1/responses/{id}/input_items"));
            let (_, cancelled) = ask(&signalbox, &key, Method::POST, &format!("{id}/cancel")).await;
            assert_eq!((&cancelled["method"], &cancelled["by"]), (&json!("POST"), &json!(by)));

            let body = json!({"model": "qwen3", "previous_response_id": id});
            let next = create(&signalbox, &key, body.clone()).await;
            assert_eq!(next.split('_').nth(1).unwrap(), by, "goes on where it was made");

            let (status, error) = ask(&signalbox, &other, Method::GET, id).await;
            assert_eq!((status, &error["error"]["code"]), (404, &json!("response_not_found")));
            let refused = signalbox.post_v1("/v1/responses", &other, body.to_string()).send().await.unwrap();
            assert_eq!(refused.status(), 404);
        }
        let (status, _) = ask(&signalbox, &key, Method::DELETE, &ids[0]).await;
        assert_eq!(status, 200);
        let (status, error) = ask(&signalbox, &key, Method::GET, &ids[0]).await;
        assert_eq!((status, &error["error"]["code"]), (404, &json!("response_not_found")));
        for id in ["resp_a_99", "..%2f..%2fmodels", "..", "%2e%2e", "a%2fb"] {
            assert_eq!(ask(&signalbox, &key, Method::GET, id).await.0, 404, "{id}");
        }
        let last = a.received().pop().unwrap();
        assert!(last.uri.path().starts_with("/v1/responses"), "{}", last.uri);

        // Through another process on the same database, and after a restart.
        let database = std::sync::Arc::clone(&signalbox.database);
        let data = signalbox.stop().await;
        let again = Signalbox::start_in(data, database, &[]).await;
        let (status, got) = ask(&again, &key, Method::GET, &ids[1]).await;
        assert_eq!((status, got["path"].as_str().is_some()), (200, true));
        assert_eq!(ask(&again, &key, Method::GET, &ids[0]).await.0, 404);
    }
}

#[tokio::test]
async fn a_bound_request_is_recorded_as_such_and_goes_nowhere_else() {
    let a = keeper("a").await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("pa", &[a.url()], &["m"]).await;
    let spare = MockUpstream::friendly().await;
    signalbox.provider("spare", &[spare.url()], &["m"]).await;
    let draft = json!({
        "name": "qwen3", "targets": [{"provider": "pa", "model": "m"}],
        "fallbacks": [{"provider": "spare", "model": "m"}],
    });
    signalbox.create("/routes", draft).await;
    let key = signalbox.key().await;
    let id = create(&signalbox, &key, json!({"model": "qwen3"})).await;
    drop(a);
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let (status, _) = ask(&signalbox, &key, Method::GET, &id).await;
    assert_eq!((status, spare.count()), (502, 0));
    let (_, requests) = signalbox.get("/requests?limit=1&route=qwen3").await;
    let record = &requests["items"][0];
    assert_eq!(record["path"], format!("/v1/responses/{id}"));
    assert_eq!(
        (&record["ranking"], &record["target"]),
        (&json!([]), &json!("pa/m"))
    );
}
