//! The version that gateways watch, and reading everything at once.

use std::io::Write;
use std::sync::{Arc, Mutex};

use super::*;
use crate::testing::on_both_databases;

on_both_databases! {
    async fn every_change_has_a_new_version(database: TestDatabase) {
        let store = open(&database).await;
        let other_process = open(&database).await;
        let mut local = provider("local");
        let mut qwen = route("qwen", &local);
        let key = key("key", &[]);
        let mut version = store.settings_version().await.unwrap();
        for step in 0..8 {
            let mut change = store.change().await.unwrap();
            match step {
                0 => change.insert_provider(&local).await,
                1 => change.insert_route(&qwen).await,
                2 => change.insert_key(&key).await,
                3 => { local.revision += 1; change.update_provider(&local).await }
                4 => { qwen.revision += 1; change.update_route(&qwen).await }
                5 => change.delete_key(key.id).await,
                6 => change.delete_route(qwen.id).await,
                _ => change.delete_provider(local.id).await,
            }.unwrap();
            change.commit().await.unwrap();
            let seen = other_process.settings_version().await.unwrap();
            assert_eq!(seen, version + 1, "step {step}");
            assert_eq!(other_process.load_settings().await.unwrap().version, seen);
            version = seen;
        }
    }

    async fn what_is_new_is_known_as_long_as_every_change_is_remembered(database: TestDatabase) {
        let store = open(&database).await;
        let (local, other) = (provider("local"), provider("other"));
        let (qwen, kept) = (route("qwen", &local), route("kept", &local));
        let key = key("key", &[&kept]);
        save(&store, &[&local, &other], &[&qwen, &kept], &[]).await.unwrap();
        let since = store.settings_since(0).await.unwrap();
        assert_eq!(since, store.load_settings().await.unwrap().into(), "the first version is no change");

        let version = since.version;
        save(&store, &[], &[], &[&key]).await.unwrap();
        let mut change = store.change().await.unwrap();
        change.delete_route(qwen.id).await.unwrap();
        change.commit().await.unwrap();
        let since = store.settings_since(version).await.unwrap();
        assert_eq!(since.version, version + 2);
        assert!(since.providers.outdated.is_empty() && since.providers.records.is_empty());
        assert_eq!(since.routes.outdated, Outdated::These([qwen.id].into()));
        assert!(since.routes.records.is_empty());
        assert_eq!(since.keys, Renewal { outdated: Outdated::These([key.id].into()), records: vec![key] });
        let since = store.settings_since(version + 2).await.unwrap();
        assert!(since.routes.outdated.is_empty() && since.keys.outdated.is_empty());

        let is_everything = |update: Update| update.routes.outdated == Outdated::All;
        let later = store.settings_since(version + 3).await.unwrap();
        assert!(is_everything(later), "an older state was restored");
        database.run("UPDATE settings_version SET version = version + 1").await;
        let by_hand = store.settings_since(version + 2).await.unwrap();
        assert!(is_everything(by_hand), "nobody knows what was changed");
    }

    async fn changes_are_remembered_for_a_while(database: TestDatabase) {
        let store = open(&database).await;
        let mut local = provider("local");
        save(&store, &[&local], &[], &[]).await.unwrap();
        let version = store.settings_version().await.unwrap();
        for _ in 0..=200 {
            local.revision += 1;
            let mut change = store.change().await.unwrap();
            change.update_provider(&local).await.unwrap();
            change.commit().await.unwrap();
        }
        let too_long_ago = store.settings_since(version).await.unwrap();
        assert_eq!(too_long_ago.routes.outdated, Outdated::All);
        let known = store.settings_since(version + 1).await.unwrap();
        assert_eq!(known.providers.outdated, Outdated::These([local.id].into()));
        assert_eq!(known.providers.records, [local]);
    }

    async fn a_change_that_is_not_committed_never_was(database: TestDatabase) {
        let store = open(&database).await;
        let before = store.load_settings().await.unwrap();
        let mut change = store.change().await.unwrap();
        change.insert_provider(&provider("local")).await.unwrap();
        drop(change);
        assert_eq!(store.load_settings().await.unwrap(), before);
        save(&store, &[&provider("local")], &[], &[]).await.unwrap();
    }

    async fn changes_wait_for_each_other_and_none_is_lost(database: TestDatabase) {
        let stores = [open(&database).await, open(&database).await];
        let before = stores[0].settings_version().await.unwrap();
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..40 {
            let store = stores[number % 2].clone();
            tasks.spawn(async move {
                save(&store, &[&provider(&format!("p{number}"))], &[], &[]).await
            });
        }
        while let Some(saved) = tasks.join_next().await {
            saved.unwrap().unwrap();
        }
        let settings = stores[1].load_settings().await.unwrap();
        assert_eq!((settings.version, settings.providers.len()), (before + 40, 40));
    }

    /// What was read first still counts, whatever another process saves meanwhile.
    async fn a_view_is_one_moment(database: TestDatabase) {
        let store = open(&database).await;
        let local = provider("local");
        save(&store, &[&local], &[], &[]).await.unwrap();
        let mut view = store.view().await.unwrap();
        assert_eq!(view.providers(&Slice::all()).await.unwrap().len(), 1);
        let other_process = open(&database).await;
        save(&other_process, &[&provider("second")], &[&route("qwen", &local)], &[]).await.unwrap();
        assert_eq!(view.providers(&Slice::all()).await.unwrap().len(), 1);
        assert_eq!(view.routes(&Slice::all()).await.unwrap().len(), 0);
    }

    async fn lists_go_on_where_a_page_ended(database: TestDatabase) {
        let store = open(&database).await;
        let local = provider("local");
        let names = ["A", "Z", "a", "a-b", "a.b", "b", "zz"];
        let routes: Vec<_> = names.iter().rev().map(|name| route(name, &local)).collect();
        let mut keys: Vec<_> = ["same", "same", "same", "other"].map(|name| key(name, &[])).to_vec();
        save(&store, &[&local], &routes.iter().collect::<Vec<_>>(), &keys.iter().collect::<Vec<_>>())
            .await
            .unwrap();

        let mut view = store.view().await.unwrap();
        let mut after = Cursor::default();
        let mut seen = Vec::new();
        loop {
            let page = view.routes(&Slice { after, limit: 3 }).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Cursor::parse(&Cursor::new(&*last.name, last.id).to_text()).unwrap();
            assert!(page.iter().all(|route| route.targets.len() == 1 && route.fallbacks.len() == 1));
            seen.extend(page.into_iter().map(|route| route.name));
        }
        assert_eq!(seen, names);

        keys.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        let mut after = Cursor::default();
        for key in &keys {
            let page = view.keys(&Slice { after, limit: 1 }).await.unwrap();
            assert_eq!(page, std::slice::from_ref(key));
            after = Cursor::new(&*key.name, key.id);
        }
        assert!(view.keys(&Slice { after, limit: 1 }).await.unwrap().is_empty());
    }

    async fn values_by_key_are_kept_once(database: TestDatabase) {
        let store = open(&database).await;
        assert_eq!(store.setting("a").await.unwrap(), None);
        assert_eq!(store.put_setting_if_absent("a", b"first").await.unwrap(), b"first");
        assert_eq!(store.put_setting_if_absent("a", b"second").await.unwrap(), b"first");
        assert_eq!(store.setting("a").await.unwrap().as_deref(), Some(&b"first"[..]));
    }
}

/// Counts the statements that the driver logs on this thread. Postgres only: SQLite logs them on threads of
/// its own, and the statements are the same.
#[tokio::test]
async fn loading_takes_as_many_queries_for_thousands_of_routes_as_for_one() {
    let database = TestDatabase::postgres().await;
    let store = open(&database).await;
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer({
            let log = log.clone();
            move || log.clone()
        })
        .finish();
    // With a single subscriber, tracing would ask whichever thread comes first whether it has one at all,
    // and remember the "no" of another test.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    let _guard = tracing::subscriber::set_default(subscriber);

    let local = provider("local");
    save(
        &store,
        &[&local],
        &[&route("first", &local)],
        &[&key("key", &[])],
    )
    .await
    .unwrap();
    log.queries();
    store.load_settings().await.unwrap();
    let for_one = log.queries();
    assert!((5..=15).contains(&for_one), "{for_one} queries");

    let routes: Vec<_> = (0..3_000)
        .map(|n| route(&format!("route-{n}"), &local))
        .collect();
    save(
        &store,
        &[],
        &routes.iter().collect::<Vec<_>>(),
        &[&key("other", &[&routes[0]])],
    )
    .await
    .unwrap();
    log.queries();
    let settings = store.load_settings().await.unwrap();
    assert_eq!(log.queries(), for_one);
    assert_eq!(settings.routes.len(), 3_001);
    assert!(settings.routes.iter().all(|route| route.targets.len() == 1));
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// How many queries were logged since it was asked last.
    fn queries(&self) -> usize {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap());
        String::from_utf8_lossy(&bytes)
            .matches("sqlx::query")
            .count()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
