//! A full disk, a read-only database, a busy one, a lost one.

use super::*;
use crate::testing::on_both_databases;

/// Larger than what a SQLite file has left in its last pages.
fn large_provider() -> ProviderRecord {
    let mut large = provider("large");
    large.models = (0..300)
        .map(|n| model(&format!("model-{n:0>200}")))
        .collect();
    large
}

/// Both databases say what is wrong, keep what they had, and recover.
async fn fails_with(store: &Store, expected: fn(&StoreError) -> bool, sentence: &str) {
    let before = store.load_settings().await.unwrap();
    let error = save(store, &[&large_provider()], &[], &[])
        .await
        .unwrap_err();
    assert!(expected(&error), "{error:?}");
    assert!(error.to_string().contains(sentence), "{error}");
    assert!(std::error::Error::source(&error).is_some());
    assert_eq!(store.load_settings().await.unwrap(), before);
}

#[tokio::test]
async fn a_full_disk_under_sqlite() {
    let database = TestDatabase::sqlite();
    let store = open(&database).await;
    save(&store, &[&provider("local")], &[], &[]).await.unwrap();
    store.close().await;
    let store = hampered(&database, "max_page_count", "1").await;
    fails_with(&store, |error| matches!(error, StoreError::Full(_)), "disk").await;
    // A connection on which a change failed sees what another process saves later.
    let other_process = open(&database).await;
    save(&other_process, &[&large_provider()], &[], &[])
        .await
        .unwrap();
    assert_eq!(store.load_settings().await.unwrap().providers.len(), 2);
}

#[tokio::test]
async fn a_full_disk_under_postgres() {
    let database = TestDatabase::postgres().await;
    let store = open(&database).await;
    save(&store, &[&provider("local")], &[], &[]).await.unwrap();
    database
        .run(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
             CREATE TRIGGER full_disk BEFORE INSERT ON models EXECUTE FUNCTION full_disk()",
        )
        .await;
    fails_with(&store, |error| matches!(error, StoreError::Full(_)), "disk").await;
    database.run("DROP TRIGGER full_disk ON models").await;
    save(&store, &[&large_provider()], &[], &[]).await.unwrap();
}

#[tokio::test]
async fn a_read_only_sqlite() {
    let database = TestDatabase::sqlite();
    open(&database).await.close().await;
    let store = hampered(&database, "query_only", "ON").await;
    fails_with(
        &store,
        |error| matches!(error, StoreError::ReadOnly(_)),
        "read-only",
    )
    .await;
}

#[tokio::test]
async fn a_read_only_postgres() {
    let database = TestDatabase::postgres().await;
    let store = open(&database).await;
    save(&store, &[&provider("local")], &[], &[]).await.unwrap();
    database
        .run(
            "DO $$ BEGIN EXECUTE format(
                 'ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$",
        )
        .await;
    // Connections that are open already keep what they began with; new ones come by themselves.
    database.cut_connections().await;
    fails_with(
        &store,
        |error| matches!(error, StoreError::ReadOnly(_)),
        "read-only",
    )
    .await;
}

#[tokio::test]
async fn a_connection_lost_before_the_commit_was_answered() {
    let database = TestDatabase::postgres().await;
    let store = open(&database).await;
    let mut change = store.change().await.unwrap();
    change.insert_provider(&provider("local")).await.unwrap();
    database.cut_connections().await;
    let error = change.commit().await.unwrap_err();
    assert!(matches!(error, StoreError::Unsure(_)), "{error:?}");

    let mut change = store.change().await.unwrap();
    database.cut_connections().await;
    let error = change
        .insert_provider(&provider("local"))
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error:?}");
    drop(change);
    save(&store, &[&provider("local")], &[], &[]).await.unwrap();
}

on_both_databases! {
    async fn a_change_that_does_not_end_makes_the_next_one_busy(database: TestDatabase) {
        let store = open(&database).await;
        let endless = store.change().await.unwrap();
        let other_process = open(&database).await;
        let error = other_process.change().await.unwrap_err();
        assert!(matches!(error, StoreError::Busy(_)), "{error:?}");
        // Readers do not wait.
        other_process.load_settings().await.unwrap();
        drop(endless);
        other_process.change().await.unwrap();
    }
}
