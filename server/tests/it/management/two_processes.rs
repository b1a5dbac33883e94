//! Two gateways on one database: what one saves, the other serves within a second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Method;
use serde_json::Value;

use crate::support::{Database, MockUpstream, Signalbox};

async fn other_on_the_same(first: &Signalbox) -> Signalbox {
    let data = tempfile::tempdir().unwrap();
    std::fs::copy(
        first.data.path().join("secret.key"),
        data.path().join("secret.key"),
    )
    .unwrap();
    Signalbox::start_in(data, Arc::clone(&first.database), &[]).await
}

/// Until the other process answers so; fails after a second and a little.
async fn soon(other: &Signalbox, key: &str, status: u16) {
    let begun = Instant::now();
    loop {
        let answer = other
            .chat(key, r#"{"model":"qwen3"}"#)
            .send()
            .await
            .unwrap();
        if answer.status() == status {
            return;
        }
        assert!(
            begun.elapsed() < Duration::from_millis(1_500),
            "still {}",
            answer.status()
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn follows(database: Database) {
    let upstream = MockUpstream::friendly().await;
    let first = Signalbox::start_on(database, &[]).await;
    let other = other_on_the_same(&first).await;
    first.provider("local", &[upstream.url()], &["m"]).await;
    first.route("qwen3", &[("local", "m", None)]).await;
    let key = first.key().await;
    assert_eq!(
        first
            .chat(&key, r#"{"model":"qwen3"}"#)
            .send()
            .await
            .unwrap()
            .status(),
        200,
        "at once here"
    );
    soon(&other, &key, 200).await;

    let id = first.get("/keys").await.1["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        other
            .api(Method::DELETE, &format!("/keys/{id}"), Value::Null)
            .await
            .0,
        204
    );
    assert_eq!(
        other
            .chat(&key, r#"{"model":"qwen3"}"#)
            .send()
            .await
            .unwrap()
            .status(),
        401,
        "at once there"
    );
    soon(&first, &key, 401).await;
}

#[tokio::test]
async fn sqlite() {
    follows(Database::Sqlite).await;
}

#[tokio::test]
async fn postgres() {
    follows(Database::Postgres).await;
}
