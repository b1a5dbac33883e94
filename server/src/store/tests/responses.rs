//! Who made which response.

use chrono::TimeDelta;

use super::*;
use crate::testing::on_both_databases;

/// Made so many seconds ago.
fn made(id: &str, age: i64) -> ResponseRecord {
    ResponseRecord {
        id: id.to_owned(),
        key_id: Uuid::now_v7(),
        route_id: Uuid::now_v7(),
        provider_id: Uuid::now_v7(),
        instance: "http://h:8000/v1".to_owned(),
        model: "für alle/m".to_owned(),
        created_at: now() - TimeDelta::seconds(age),
    }
}

async fn known(store: &Store, ids: &[&str]) -> Vec<bool> {
    let mut known = Vec::new();
    for id in ids {
        known.push(store.response(id).await.unwrap().is_some());
    }
    known
}

on_both_databases! {
    async fn responses_are_kept_overwritten_and_forgotten(database: TestDatabase) {
        let store = open(&database).await;
        let version = store.settings_version().await.unwrap();
        let (first, second) = (made("resp_1", 9), made("resp_2", 8));
        store.note_responses(&[first.clone(), second.clone()]).await.unwrap();
        assert_eq!(store.response("resp_1").await.unwrap().as_ref(), Some(&first));
        assert_eq!(store.response("resp_2").await.unwrap().as_ref(), Some(&second));
        assert_eq!(store.response("RESP_1").await.unwrap(), None);

        let (before, after) = (made("resp_1", 7), made("resp_1", 6));
        store.note_responses(&[before, after.clone()]).await.unwrap();
        assert_eq!(store.response("resp_1").await.unwrap(), Some(after));

        store.forget_response("resp_1").await.unwrap();
        store.forget_response("resp_1").await.unwrap();
        store.note_responses(&[]).await.unwrap();
        assert_eq!(known(&store, &["resp_1", "resp_2"]).await, [false, true]);
        assert_eq!(store.settings_version().await.unwrap(), version);
    }

    /// Upstreams make ids up; one that cannot be kept does not take the others with it.
    async fn ids_that_cannot_be_kept_are_passed_over(database: TestDatabase) {
        let store = open(&database).await;
        let (long, endless) = ("\u{1f600}".repeat(250), "x".repeat(1_001));
        let noted = [made("a\0b", 1), made(&endless, 1), made(&long, 1), made("", 1)];
        store.note_responses(&noted).await.unwrap();
        assert_eq!(
            known(&store, &["a\0b", &endless, &long, ""]).await,
            [false, false, true, true]
        );
        store.forget_response("a\0b").await.unwrap();
        store.forget_response(&endless).await.unwrap();
    }

    async fn old_ones_and_those_too_many_are_pruned(database: TestDatabase) {
        let store = open(&database).await;
        let ids = ["a", "b", "c", "d"];
        let noted: Vec<_> = (1..).zip(ids).map(|(age, id)| made(id, 10 * age)).collect();
        store.note_responses(&noted).await.unwrap();
        let ago = |seconds| now() - TimeDelta::seconds(seconds);
        assert_eq!(store.prune_responses(4, ago(100)).await.unwrap(), 0);
        assert_eq!(store.prune_responses(4, ago(35)).await.unwrap(), 1);
        assert_eq!(known(&store, &ids).await, [true, true, true, false]);
        assert_eq!(store.prune_responses(1, ago(100)).await.unwrap(), 2);
        assert_eq!(known(&store, &ids).await, [true, false, false, false]);
        assert_eq!(store.prune_responses(0, ago(100)).await.unwrap(), 1);
        assert_eq!(store.prune_responses(0, ago(0)).await.unwrap(), 0);
    }

    async fn thousands_are_pruned_in_steps(database: TestDatabase) {
        let store = open(&database).await;
        let many: Vec<_> = (0..2_500).map(|n| made(&format!("r{n}"), n)).collect();
        store.note_responses(&many).await.unwrap();
        let year_ago = now() - TimeDelta::days(365);
        assert_eq!(store.prune_responses(10, year_ago).await.unwrap(), 2_490);
        assert_eq!(known(&store, &["r0", "r9", "r10"]).await, [true, true, false]);
        store.note_responses(&many).await.unwrap();
        assert_eq!(store.prune_responses(u32::MAX, now()).await.unwrap(), 2_500);
    }
}
