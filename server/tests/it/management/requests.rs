//! The latest requests: where each went, and why.

use std::sync::Arc;

use axum::response::IntoResponse;
use serde_json::{Value, json};

use crate::support::{Database, MockUpstream, Signalbox};

async fn list(signalbox: &Signalbox, query: &str) -> Vec<Value> {
    let (status, list) = signalbox.get(&format!("/requests{query}")).await;
    assert_eq!(status, 200, "{list}");
    list["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_record_says_what_the_answer_said_and_why() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox
        .provider("local", &[upstream.url()], &["small", "large"])
        .await;
    let targets =
        json!([{"provider": "local", "model": "small"}, {"provider": "local", "model": "large"}]);
    let policy = json!({"session_affinity": {}, "least_inflight": {"weight": 2}});
    signalbox
        .create(
            "/routes",
            json!({"name": "qwen3", "targets": targets, "policy": policy}),
        )
        .await;
    let key = signalbox.key().await;
    let answer = signalbox
        .chat(
            &key,
            r#"{"model":"qwen3","messages":[{"role":"user","content":"a secret of mine"}]}"#,
        )
        .header("session-id", "s")
        .send()
        .await
        .unwrap();
    let headers = answer.headers().clone();
    let length = answer.bytes().await.unwrap().len();
    let record = list(&signalbox, "").await.remove(0);
    assert_eq!(
        record["id"],
        headers["x-signalbox-request-id"].to_str().unwrap()
    );
    assert_eq!(
        record["target"],
        headers["x-signalbox-target"].to_str().unwrap()
    );
    assert_eq!(
        (&record["route"], &record["path"]),
        (&json!("qwen3"), &json!("/v1/chat/completions"))
    );
    assert_eq!(
        (&record["status"], &record["bytes"]),
        (&json!(200), &json!(length))
    );
    assert_eq!(
        (&record["key"]["name"], &record["error"]),
        (&json!("test"), &Value::Null)
    );
    assert!(record["ttfb_ms"].as_u64().unwrap() <= record["duration_ms"].as_u64().unwrap());
    assert_eq!(record["attempts"][0]["instance"], upstream.url());
    let best = &record["ranking"][0];
    assert_eq!(best["target"], record["target"]);
    let scorers = &best["scorers"];
    let total = scorers["session_affinity"]["share"].as_f64().unwrap()
        + 2.0 * scorers["least_inflight"]["share"].as_f64().unwrap();
    assert!((best["total"].as_f64().unwrap() - total).abs() < 1e-12);
    assert!(!record.to_string().contains("a secret of mine"));
    assert!(!record.to_string().contains(&key));
}

#[tokio::test]
async fn newest_first_by_route_and_page_by_page() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    let a = signalbox.route("a", &[("local", "m", None)]).await;
    signalbox.route("b", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    for model in ["a", "b", "a", "nowhere", "a", "b"] {
        let answer = signalbox
            .chat(&key, json!({"model": model}).to_string())
            .send()
            .await
            .unwrap();
        answer.bytes().await.unwrap();
    }
    signalbox.chat("sb_nobody", "{}").send().await.unwrap();
    let routes = |records: &[Value]| -> Vec<Value> {
        records
            .iter()
            .map(|record| record["route"].clone())
            .collect()
    };
    let all = list(&signalbox, "").await;
    assert_eq!(json!(routes(&all)), json!(["b", "a", null, "a", "b", "a"]));
    assert_eq!(
        (&all[2]["status"], &all[2]["error"]),
        (&json!(404), &json!("model_not_found"))
    );
    assert_eq!(list(&signalbox, "?route=a").await.len(), 3);
    let by_id = format!("?route={}", a["id"].as_str().unwrap());
    assert_eq!(list(&signalbox, &by_id).await.len(), 3);

    let (_, first) = signalbox.get("/requests?limit=4").await;
    let next = first["next"].as_str().unwrap();
    let (_, rest) = signalbox
        .get(&format!("/requests?limit=4&before={next}"))
        .await;
    assert_eq!(
        json!(routes(rest["items"].as_array().unwrap())),
        json!(["b", "a"])
    );
    assert_eq!(rest["next"], Value::Null);
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=x", "limit"),
        ("limit=1001", "limit"),
        ("before=x", "before"),
    ] {
        let (status, error) = signalbox.get(&format!("/requests?{query}")).await;
        assert_eq!(status, 422);
        assert!(error["error"]["fields"][field].is_string(), "{error}");
    }
}

/// Streamed and compressed, in three dialects.
#[tokio::test]
async fn tokens_are_what_the_upstream_says() {
    let upstream = MockUpstream::start(|received| async move {
        match received.uri.path() {
            "/v1/chat/completions" => {
                let usage = r#"{"prompt_tokens":7,"completion_tokens":5}"#;
                let frames = format!(
                    "data: {{\"choices\":[]}}\n\ndata: {{\"usage\":{usage}}}\n\ndata: [DONE]\n\n"
                );
                ([("content-type", "text/event-stream")], frames).into_response()
            }
            "/v1/messages" => {
                let body =
                    r#"{"usage":{"input_tokens":4,"cache_read_input_tokens":3,"output_tokens":5}}"#;
                let mut encoder =
                    async_compression::tokio::bufread::GzipEncoder::new(body.as_bytes());
                let mut bytes = Vec::new();
                tokio::io::AsyncReadExt::read_to_end(&mut encoder, &mut bytes)
                    .await
                    .unwrap();
                ([("content-encoding", "gzip")], bytes).into_response()
            }
            _ => axum::Json(json!({"data": []})).into_response(),
        }
    })
    .await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("a", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    for path in ["/v1/chat/completions", "/v1/messages", "/v1/embeddings"] {
        let answer = signalbox
            .post_v1(path, &key, r#"{"model":"a"}"#)
            .send()
            .await
            .unwrap();
        answer.bytes().await.unwrap();
    }
    // What is compressed is read a moment later.
    let mut records = list(&signalbox, "").await;
    while records.len() < 3 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        records = list(&signalbox, "").await;
    }
    assert_eq!(records[0]["tokens"], Value::Null);
    let messages = json!({"input": 7, "output": 5, "cached": 3, "reasoning": null});
    assert_eq!(records[1]["tokens"], messages);
    let chat = json!({"input": 7, "output": 5, "cached": null, "reasoning": null});
    assert_eq!(records[2]["tokens"], chat);
}

/// A restart, and the next process knows what the one before did.
async fn records_outlive_the_process(database: Database) {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start_on(database, &[]).await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("a", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    for _ in 0..3 {
        ask(&signalbox, &key, "a").await;
    }
    let database = Arc::clone(&signalbox.database);
    let data = signalbox.stop().await;
    let signalbox = Signalbox::start_in(data, database, &[]).await;
    ask(&signalbox, &key, "a").await;
    let records = list(&signalbox, "").await;
    assert_eq!(records.len(), 4);
    for record in &records {
        assert_eq!(
            (&record["route"], &record["target"]),
            (&json!("a"), &json!("local/m"))
        );
        assert_eq!(record["decided_by"], "only_candidate");
        assert_eq!(record["route_by"], "round_robin");
    }
    let (_, usage) = signalbox
        .get("/usage?since=2020-01-01T00:00:00Z&step=day")
        .await;
    assert_eq!(
        usage["error"]["fields"]["since"].as_str().map(|_| ()),
        Some(()),
        "{usage}"
    );
    let since = chrono::Utc::now() - chrono::TimeDelta::hours(2);
    let since = since.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    for (by, name) in [("route", "a"), ("target", "local/m"), ("key", "test")] {
        let (status, usage) = signalbox
            .get(&format!("/usage?since={since}&by={by}"))
            .await;
        assert_eq!(status, 200, "{usage}");
        let rows = usage["rows"].as_array().unwrap();
        assert_eq!((rows.len(), &rows[0]["name"]), (1, &json!(name)));
        assert_eq!(rows[0]["total"]["requests"], 4);
        assert_eq!(rows[0]["total"]["uncounted"], 4);
        assert_eq!(
            rows[0]["steps"].as_array().unwrap().len(),
            usage["steps"].as_array().unwrap().len()
        );
    }
}

#[tokio::test]
async fn records_outlive_the_process_on_sqlite() {
    records_outlive_the_process(Database::Sqlite).await;
}

#[tokio::test]
async fn records_outlive_the_process_on_postgres() {
    records_outlive_the_process(Database::Postgres).await;
}

#[tokio::test]
async fn lists_are_filtered_by_all_that_is_given() {
    let upstream = MockUpstream::start(|received| async move {
        match received.headers.get("x-fail") {
            Some(_) => (http::StatusCode::SERVICE_UNAVAILABLE, "no").into_response(),
            None => axum::Json(json!({})).into_response(),
        }
    })
    .await;
    let signalbox = Signalbox::start().await;
    signalbox
        .provider("local", &[upstream.url()], &["small", "large"])
        .await;
    let targets =
        json!([{"provider": "local", "model": "small"}, {"provider": "local", "model": "large"}]);
    let policy = json!({"least_inflight": {}});
    let fallbacks = json!([{"provider": "local", "model": "small"}]);
    for (name, route) in [
        ("scored", json!({"targets": targets, "policy": policy})),
        (
            "turns",
            json!({"targets": [targets[1]], "fallbacks": fallbacks}),
        ),
    ] {
        let mut route = route;
        route["name"] = json!(name);
        signalbox.create("/routes", route).await;
    }
    let key = signalbox.key().await;
    ask(&signalbox, &key, "scored").await;
    ask(&signalbox, &key, "turns").await;
    let failing = signalbox
        .chat(&key, r#"{"model":"turns"}"#)
        .header("x-fail", "1")
        .send()
        .await
        .unwrap();
    assert_eq!(failing.status(), 503);
    failing.bytes().await.unwrap();
    ask(&signalbox, &key, "nowhere").await;

    let key_id = list(&signalbox, "?limit=1").await[0]["key"]["id"].clone();
    let key_id = key_id.as_str().unwrap();
    let now = chrono::Utc::now();
    let hour_ago =
        (now - chrono::TimeDelta::hours(1)).to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    let soon =
        (now + chrono::TimeDelta::hours(1)).to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    for (query, count) in [
        ("", 4),
        ("route=turns", 2),
        ("route=never-heard-of", 0),
        ("target=local/large&route=turns", 1),
        ("key=test", 4),
        (&format!("key={key_id}"), 4),
        ("key=another", 0),
        ("status=2xx", 2),
        ("status=503", 1),
        ("status=4xx", 1),
        ("path=/v1/chat/completions", 4),
        ("path=/v1/messages", 0),
        (&format!("since={hour_ago}&until={soon}"), 4),
        (&format!("until={hour_ago}"), 0),
        (&format!("since={soon}"), 0),
        ("slow_ms=60000", 0),
        ("slow_ms=0", 4),
        ("decided_by=chance", 1),
        ("decided_by=only_candidate", 2),
        ("tie=true", 1),
        ("tie=false", 3),
        ("fallback=true&route=turns", 1),
        ("fallback=false", 3),
    ] {
        let found = list(&signalbox, &format!("?{query}")).await;
        assert_eq!(found.len(), count, "{query}");
    }
    for (query, field) in [
        ("status=ok", "status"),
        ("since=now", "since"),
        ("tie=1", "tie"),
        ("slow_ms=x", "slow_ms"),
        ("decided_by=me", "decided_by"),
    ] {
        let (status, error) = signalbox.get(&format!("/requests?{query}")).await;
        assert_eq!(status, 422, "{query}");
        assert!(error["error"]["fields"][field].is_string(), "{error}");
    }

    let one = list(&signalbox, "?tie=true").await.remove(0);
    let (status, same) = signalbox
        .get(&format!("/requests/{}", one["id"].as_str().unwrap()))
        .await;
    assert_eq!((status.as_u16(), same), (200, one));
    let (status, _) = signalbox
        .get(&format!("/requests/{}", uuid::Uuid::now_v7()))
        .await;
    assert_eq!(status, 404);

    let csv = export(&signalbox, "format=csv&route=turns", "text/csv").await;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 3, "{csv}");
    assert!(lines[0].starts_with("id,at,route,"), "{csv}");
    assert!(lines[1].contains(",turns,"), "{csv}");
    let jsonl = export(&signalbox, "format=jsonl&limit=1", "application/jsonl").await;
    let exported: Vec<Value> = jsonl
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(exported, list(&signalbox, "").await);
    let names = signalbox.inspector.request_names().await.unwrap();
    assert_eq!(names.routes, ["scored", "turns"]);
    assert_eq!(names.targets, ["local/large", "local/small"]);
    assert_eq!(
        (names.paths.len(), names.keys.len(), names.dropped),
        (1, 1, 0)
    );
}

async fn export(signalbox: &Signalbox, query: &str, content_type: &str) -> String {
    let answer = signalbox
        .client
        .get(signalbox.url(&format!("/api/v1/requests/export?{query}")))
        .header("cookie", &signalbox.cookie)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    assert!(
        answer.headers()["content-type"]
            .to_str()
            .unwrap()
            .starts_with(content_type)
    );
    let disposition = answer.headers()["content-disposition"].to_str().unwrap();
    assert!(disposition.starts_with("attachment; filename=\"signalbox-requests."));
    answer.text().await.unwrap()
}

/// With the weights that the route had, nothing moves; with others it goes where requests under those
/// weights did go.
#[tokio::test]
async fn what_if_agrees_with_asking_again() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox
        .provider("local", &[upstream.url()], &["a", "b", "c"])
        .await;
    let targets: Vec<Value> = ["a", "b", "c"]
        .map(|model| json!({"provider": "local", "model": model}))
        .to_vec();
    let policy = |affinity: f64, load: f64| json!({"session_affinity": {"weight": affinity}, "least_inflight": {"weight": load}});
    let route = signalbox
        .create(
            "/routes",
            json!({"name": "r", "targets": targets, "policy": policy(1.0, 4.0)}),
        )
        .await;
    let key = signalbox.key().await;
    let sessions: Vec<String> = (0..60).map(|number| format!("s-{number}")).collect();
    for session in &sessions {
        let answer = signalbox
            .chat(&key, r#"{"model":"r"}"#)
            .header("session-id", session)
            .send()
            .await
            .unwrap();
        answer.bytes().await.unwrap();
    }
    let path = format!("/routes/{}/what-if", route["id"].as_str().unwrap());
    let what_if = async |weights: Value| {
        let (status, answer) = signalbox
            .api(http::Method::POST, &path, json!({"weights": weights}))
            .await;
        assert_eq!(status, 200, "{answer}");
        answer
    };
    let same = what_if(json!({"session_affinity": 1.0, "least_inflight": 4.0})).await;
    assert_eq!(
        (&same["looked_at"], &same["replayed"]),
        (&json!(60), &json!(60))
    );
    assert_eq!(same["moved"], 0);

    // All were idle: by load alone chance would have decided, by the ticket that each had drawn.
    let by_load = what_if(json!({"least_inflight": 1.0})).await;
    assert_eq!(by_load["replayed"], 60);
    let moved = by_load["moved"].as_u64().unwrap();
    assert!(
        (15..=55).contains(&moved),
        "two thirds of 60, more or less: {moved}"
    );
    assert_eq!(
        by_load["examples"].as_array().unwrap().len(),
        usize::try_from(moved).unwrap()
    );
    let before: u64 = by_load["targets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|target| target["before"].as_u64().unwrap())
        .sum();
    assert_eq!(before, 60);

    for (body, field) in [
        (json!({"weights": {}}), "weights"),
        (
            json!({"weights": {"least_inflight": 0}}),
            "weights.least_inflight",
        ),
        (json!({"weights": {"luck": 1}}), "weights.luck"),
        (json!({"weights": {"least_inflight": 1}, "last": 0}), "last"),
    ] {
        let (status, error) = signalbox.api(http::Method::POST, &path, body).await;
        assert_eq!(status, 422, "{error}");
        assert!(error["error"]["fields"][field].is_string(), "{error}");
    }
}

/// A database that stalls holds up no request, and what it missed comes later.
async fn a_locked_database_holds_nobody_up(database: Database) {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start_on(database, &[]).await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("a", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    ask(&signalbox, &key, "a").await;
    assert_eq!(list(&signalbox, "").await.len(), 1);

    let lock = signalbox.database.lock().await;
    for _ in 0..100 {
        ask(&signalbox, &key, "a").await;
    }
    // What is there already can be read meanwhile.
    assert_eq!(list(&signalbox, "").await.len(), 1);
    drop(lock);
    while list(&signalbox, "?limit=1000").await.len() < 101 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(
        signalbox.inspector.request_names().await.unwrap().dropped,
        0
    );
}

#[tokio::test]
async fn a_locked_database_holds_nobody_up_on_sqlite() {
    a_locked_database_holds_nobody_up(Database::Sqlite).await;
}

#[tokio::test]
async fn a_locked_database_holds_nobody_up_on_postgres() {
    a_locked_database_holds_nobody_up(Database::Postgres).await;
}

/// Only on routes that are set to keep it, and in no file in clear.
#[tokio::test]
async fn what_is_asked_and_answered_is_kept_where_it_is_wanted() {
    let upstream = MockUpstream::start(|_| async {
        axum::Json(json!({"choices": [], "said": "an answer nobody else may read"})).into_response()
    })
    .await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    let target = json!([{"provider": "local", "model": "m"}]);
    for keep in [true, false] {
        let route =
            json!({"name": format!("keeps-{keep}"), "targets": target, "keep_bodies": keep});
        let made = signalbox.create("/routes", route).await;
        assert_eq!(made["keep_bodies"], keep);
    }
    let key = signalbox.key().await;
    for model in ["keeps-true", "keeps-false"] {
        let body = json!({"model": model, "messages": "a question of mine"}).to_string();
        let answer = signalbox.chat(&key, body).send().await.unwrap();
        answer.bytes().await.unwrap();
    }
    let records = list(&signalbox, "").await;
    let bodies_of = async |record: &Value| {
        let path = format!("/requests/{}/bodies", record["id"].as_str().unwrap());
        signalbox.get(&path).await
    };
    assert_eq!(
        (&records[0]["bodies"], &records[1]["bodies"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(bodies_of(&records[0]).await.0, 404);
    let (status, bodies) = bodies_of(&records[1]).await;
    assert_eq!(status, 200);
    let text = |part: &str| bodies[part]["text"].as_str().unwrap().to_owned();
    assert!(text("asked").contains("a question of mine") && text("asked").contains("keeps-true"));
    assert!(text("answered").contains("an answer nobody else may read"));
    assert_eq!(bodies["asked"]["cut"], false);
    let dump = signalbox.database.dump().await;
    assert!(!dump.contains("question of mine") && !dump.contains("nobody else"));
}

async fn ask(signalbox: &Signalbox, key: &str, model: &str) {
    let answer = signalbox
        .chat(key, json!({"model": model}).to_string())
        .send()
        .await
        .unwrap();
    answer.bytes().await.unwrap();
}
