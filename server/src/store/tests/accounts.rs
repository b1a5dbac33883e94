//! Users and their sessions.

use chrono::TimeDelta;

use super::*;
use crate::testing::on_both_databases;

async fn admin(store: &Store) -> UserRecord {
    store
        .user_by_name("admin")
        .await
        .unwrap()
        .expect("the administrator")
}

fn session(user: &UserRecord, token: u8, minutes: i64) -> SessionRecord {
    SessionRecord {
        token_hash: vec![token; 32],
        user_id: user.id,
        created_at: now(),
        last_seen_at: now(),
        expires_at: now() + TimeDelta::minutes(minutes),
        address: "2001:db8::1".to_owned(),
        user_agent: "Mozilla/5.0".to_owned(),
    }
}

on_both_databases! {
    async fn only_one_of_many_makes_the_first_user(database: TestDatabase) {
        let store = open(&database).await;
        assert!(store.user_by_name("admin").await.unwrap().is_none());
        assert!(store.user_by_name("a\0b").await.unwrap().is_none());
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..8 {
            let store = store.clone();
            tasks.spawn(async move {
                store.create_first_user(&format!("user{number}"), "hash").await.unwrap()
            });
        }
        let made = tasks.join_all().await.into_iter().filter(|made| *made).count();
        assert_eq!(made, 1);
        assert!(!store.create_first_user("admin", "hash").await.unwrap());
    }

    async fn a_new_password_ends_all_sessions(database: TestDatabase) {
        let store = open(&database).await;
        store.create_first_user("admin", "first").await.unwrap();
        let user = admin(&store).await;
        assert_eq!(user.password_hash, "first");
        store.create_session(session(&user, 1, 5)).await.unwrap();
        store.set_password_hash(user.id, "second").await.unwrap();
        assert_eq!(admin(&store).await.password_hash, "second");
        assert!(store.sessions_of_user(user.id).await.unwrap().is_empty());
        let error = store.set_password_hash(Uuid::nil(), "x").await.unwrap_err();
        assert!(matches!(error, StoreError::NotFound));
    }

    async fn sessions_live_and_end(database: TestDatabase) {
        let store = open(&database).await;
        store.create_first_user("admin", "hash").await.unwrap();
        let user = admin(&store).await;
        let one = session(&user, 1, 5);
        store.create_session(one.clone()).await.unwrap();
        let (found, whose) = store.session_by_hash(&[1; 32]).await.unwrap().unwrap();
        assert_eq!(found, one);
        assert!(whose == user);
        assert!(store.session_by_hash(&[9; 32]).await.unwrap().is_none());

        let later = now() + TimeDelta::seconds(90);
        store.touch_session(&[1; 32], later).await.unwrap();
        store.touch_session(&[1; 32], one.created_at).await.unwrap();
        let (found, _) = store.session_by_hash(&[1; 32]).await.unwrap().unwrap();
        assert_eq!(found.last_seen_at, later);

        for token in 2..=4 {
            store.create_session(session(&user, token, i64::from(token))).await.unwrap();
        }
        assert_eq!(store.sessions_of_user(user.id).await.unwrap().len(), 4);
        assert_eq!(store.sessions_of_user(user.id).await.unwrap()[0].token_hash, [1; 32]);
        assert_eq!(store.delete_expired_sessions(now()).await.unwrap(), 0);
        let after = now() + TimeDelta::seconds(150);
        assert_eq!(store.delete_expired_sessions(after).await.unwrap(), 1);
        store.delete_session(&[4; 32]).await.unwrap();
        store.delete_session(&[4; 32]).await.unwrap();
        assert_eq!(store.delete_sessions_of_user(user.id, Some(&[3; 32])).await.unwrap(), 1);
        assert_eq!(store.sessions_of_user(user.id).await.unwrap()[0].token_hash, [3; 32]);
        assert_eq!(store.delete_sessions_of_user(user.id, None).await.unwrap(), 1);
    }

    /// SQLite compares moments as text, so their texts must sort like the moments.
    async fn moments_compare_to_the_microsecond(database: TestDatabase) {
        let store = open(&database).await;
        store.create_first_user("admin", "hash").await.unwrap();
        let user = admin(&store).await;
        let whole: chrono::DateTime<chrono::Utc> = "2026-11-29T15:00:00Z".parse().unwrap();
        for (token, micros) in [(1, 0), (2, 1), (3, 100), (4, 1_000), (5, 500_000), (6, 999_999)] {
            let mut session = session(&user, token, 5);
            session.expires_at = whole + TimeDelta::microseconds(micros);
            store.create_session(session).await.unwrap();
        }
        for micros in [0, 1, 100, 1_000, 500_000, 999_999] {
            let moment = whole + TimeDelta::microseconds(micros);
            assert_eq!(store.delete_expired_sessions(moment).await.unwrap(), 1, "{moment}");
        }
    }
}
