//! A restart or a second process moves no session.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::*;

const SESSIONS: usize = 60;

/// Where each session's requests go.
async fn owners(signalbox: &Signalbox, key: &str) -> BTreeMap<usize, String> {
    let mut owners = BTreeMap::new();
    for session in 0..SESSIONS {
        let request = signalbox
            .chat(key, BODY)
            .header("session-id", format!("s-{session}"));
        owners.insert(session, target(&request.send().await.unwrap()));
    }
    owners
}

#[tokio::test]
async fn no_session_moves() {
    let signalbox = Signalbox::start().await;
    let _upstreams = providers(&signalbox, 4).await;
    let targets = [("p0", "m"), ("p1", "m"), ("p2", "m"), ("p3", "m")];
    route(
        &signalbox,
        "qwen3",
        &targets,
        json!({"session_affinity": {}}),
    )
    .await;
    let key = signalbox.key().await;
    let before = owners(&signalbox, &key).await;
    let different: std::collections::BTreeSet<_> = before.values().collect();
    assert_eq!(different.len(), 4);

    let database = Arc::clone(&signalbox.database);
    let second = tempfile::tempdir().unwrap();
    let secret = "secret.key";
    std::fs::copy(
        signalbox.data.path().join(secret),
        second.path().join(secret),
    )
    .unwrap();
    let beside = Signalbox::start_in(second, Arc::clone(&database), &[]).await;
    assert_eq!(
        owners(&beside, &key).await,
        before,
        "a second process on the same database"
    );

    let data = signalbox.stop().await;
    let again = Signalbox::start_in(data, database, &[]).await;
    assert_eq!(owners(&again, &key).await, before, "after a restart");
}
