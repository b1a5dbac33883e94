//! What is written reads back, and references hold.

use super::*;
use crate::testing::on_both_databases;

on_both_databases! {
    async fn everything_reads_back_as_it_was_written(database: TestDatabase) {
        let store = open(&database).await;
        let local = provider("local");
        let mut jev = provider("jev");
        jev.kind = ProviderKind::Decision;
        let mut qwen = route("Qwen/Qwen3-32B", &local);
        qwen.policy.decision_service.provider = Some(jev.id.to_string());
        qwen.policy.decision_service.model = Some("large".to_owned());
        qwen.policy.decision_service.criteria =
            [("small".to_owned(), "schnell \u{1f600} \"x\"".to_owned())].into();
        qwen.policy.session_affinity.weight = 0.1 + 0.2;
        let limited = key("limited", &[&qwen]);
        let free = key("free", &[]);
        save(&store, &[&local, &jev], &[&qwen], &[&limited, &free]).await.unwrap();

        let mut view = store.view().await.unwrap();
        assert_eq!(view.provider(local.id).await.unwrap().as_ref(), Some(&local));
        assert_eq!(view.route(qwen.id).await.unwrap().as_ref(), Some(&qwen));
        assert_eq!(view.provider(Uuid::nil()).await.unwrap(), None);
        assert_eq!(view.route(Uuid::nil()).await.unwrap(), None);
        drop(view);
        let settings = store.load_settings().await.unwrap();
        assert_eq!(settings.providers, [jev, local]);
        assert_eq!(settings.routes, [qwen]);
        assert_eq!(settings.keys, [free, limited]);
    }

    async fn an_update_replaces_everything(database: TestDatabase) {
        let store = open(&database).await;
        let mut local = provider("local");
        let mut qwen = route("qwen", &local);
        save(&store, &[&local], &[&qwen], &[]).await.unwrap();

        local.revision = 2;
        local.name = "renamed".to_owned();
        local.kind = ProviderKind::Anthropic;
        local.enabled = false;
        local.instances = vec![instance("https://c/api/v3", Some(u32::MAX))];
        local.credentials.insert(0, CredentialRecord {
            id: Uuid::now_v7(), sealed: vec![0], hint: String::new(),
        });
        local.credential_header = None;
        local.models = vec![model("large"), model("new"), model("small")];
        local.headers = Vec::new();
        local.timeouts.idle_ms = 1;
        local.speaks = None;
        local.health_check = None;
        local.updated_at = now();
        qwen.revision = 2;
        qwen.targets = vec![target(&local, "new"), qwen.targets.remove(0)];
        qwen.targets[0].weight = None;
        qwen.fallbacks.clear();
        qwen.policy.least_inflight.enabled = true;
        qwen.retry = retry(1, &[]);
        qwen.keep_alive = true;
        let mut change = store.change().await.unwrap();
        change.update_provider(&local).await.unwrap();
        change.update_route(&qwen).await.unwrap();
        change.commit().await.unwrap();

        let settings = store.load_settings().await.unwrap();
        assert_eq!(settings.providers, [local]);
        assert_eq!(settings.routes, [qwen]);
    }

    async fn a_stale_revision_changes_nothing(database: TestDatabase) {
        let store = open(&database).await;
        let mut local = provider("local");
        let mut qwen = route("qwen", &local);
        save(&store, &[&local], &[&qwen], &[]).await.unwrap();
        let before = store.load_settings().await.unwrap();
        for revision in [1, 3] {
            local.revision = revision;
            qwen.revision = revision;
            let mut change = store.change().await.unwrap();
            assert!(matches!(change.update_provider(&local).await, Err(StoreError::Stale)));
            assert!(matches!(change.update_route(&qwen).await, Err(StoreError::Stale)));
        }
        assert_eq!(store.load_settings().await.unwrap(), before);
    }

    async fn names_and_public_parts_are_unique(database: TestDatabase) {
        let store = open(&database).await;
        let local = provider("local");
        let qwen = route("qwen", &local);
        let first = key("twice", &[]);
        save(&store, &[&local], &[&qwen], &[&first]).await.unwrap();

        let error = save(&store, &[&provider("local")], &[], &[]).await.unwrap_err();
        assert_eq!(error.to_string(), "The provider name \"local\" is taken.");
        let error = save(&store, &[], &[&route("qwen", &local)], &[]).await.unwrap_err();
        assert_eq!(error.to_string(), "The route name \"qwen\" is taken.");
        let mut same = key("other", &[]);
        same.public = first.public.clone();
        let error = save(&store, &[], &[], &[&same]).await.unwrap_err();
        assert_eq!(error.to_string(), "The public part of the new key is taken.");
        // Names differ by case, and two keys may share one.
        save(&store, &[&provider("Local")], &[&route("Qwen", &local)], &[&key("twice", &[])])
            .await
            .unwrap();
    }

    async fn what_is_in_use_stays(database: TestDatabase) {
        let store = open(&database).await;
        let local = provider("local");
        let mut jev = provider("jev");
        jev.kind = ProviderKind::Decision;
        let mut qwen = route("qwen", &local);
        qwen.policy.decision_service.provider = Some(jev.id.to_string());
        let limited = key("limited", &[&qwen]);
        save(&store, &[&local, &jev], &[&qwen], &[&limited]).await.unwrap();

        let mut change = store.change().await.unwrap();
        for id in [local.id, jev.id] {
            let error = change.delete_provider(id).await.unwrap_err();
            assert_eq!(error.to_string(), "It is still in use by qwen.");
        }
        let error = change.delete_route(qwen.id).await.unwrap_err();
        assert_eq!(error.to_string(), "It is still in use by limited.");
        change.delete_key(limited.id).await.unwrap();
        change.delete_route(qwen.id).await.unwrap();
        change.delete_provider(local.id).await.unwrap();
        change.delete_provider(jev.id).await.unwrap();
        for gone in [
            change.delete_key(limited.id).await,
            change.delete_route(qwen.id).await,
            change.delete_provider(local.id).await,
        ] {
            assert!(matches!(gone, Err(StoreError::NotFound)));
        }
        change.commit().await.unwrap();
        let settings = store.load_settings().await.unwrap();
        assert!(settings.providers.is_empty() && settings.routes.is_empty() && settings.keys.is_empty());
    }

    /// The last line of defence, should a check above the store be missing.
    async fn foreign_keys_hold_by_themselves(database: TestDatabase) {
        let store = open(&database).await;
        let mut local = provider("local");
        let qwen = route("qwen", &local);
        save(&store, &[&local], &[&qwen], &[]).await.unwrap();

        local.revision = 2;
        local.models = vec![model("large")];
        let mut change = store.change().await.unwrap();
        let error = change.update_provider(&local).await.unwrap_err();
        assert!(matches!(error, StoreError::InUse { .. }), "{error:?}");
        drop(change);
        let mut strange = route("strange", &local);
        strange.targets[0].model = "unlisted".to_owned();
        let error = save(&store, &[], &[&strange], &[]).await.unwrap_err();
        assert!(matches!(error, StoreError::InUse { .. }), "{error:?}");
        let error = save(&store, &[], &[], &[&key("k", &[&strange])]).await.unwrap_err();
        assert!(matches!(error, StoreError::InUse { .. }), "{error:?}");
    }

    async fn a_name_is_found_before_an_id(database: TestDatabase) {
        let store = open(&database).await;
        let local = provider("local");
        let shadow = provider(&local.id.to_string());
        let qwen = route("qwen", &local);
        save(&store, &[&local, &shadow], &[&qwen], &[]).await.unwrap();
        let mut view = store.view().await.unwrap();
        let choice = view.provider_choice("local").await.unwrap().unwrap();
        assert_eq!((choice.id, choice.kind), (local.id, ProviderKind::Openai));
        assert_eq!(choice.models, ["small".to_owned(), "large".to_owned()].into());
        let choice = view.provider_choice(&local.id.to_string()).await.unwrap().unwrap();
        assert_eq!(choice.id, shadow.id);
        let choice = view.provider_choice(&shadow.id.to_string()).await.unwrap().unwrap();
        assert_eq!(choice.id, shadow.id);
        for unknown in ["", "LOCAL", "lo\0cal", "00000000-0000-0000-0000-000000000000"] {
            assert_eq!(view.provider_choice(unknown).await.unwrap(), None);
            assert_eq!(view.route_by_reference(unknown).await.unwrap(), None);
        }
        let found = (qwen.id, "qwen".to_owned());
        assert_eq!(view.route_by_reference("qwen").await.unwrap().as_ref(), Some(&found));
        assert_eq!(view.route_by_reference(&qwen.id.to_string()).await.unwrap(), Some(found));
    }

    async fn the_last_use_of_keys_only_moves_forward(database: TestDatabase) {
        let store = open(&database).await;
        let used = key("used", &[]);
        save(&store, &[], &[], &[&used]).await.unwrap();
        let version = store.settings_version().await.unwrap();
        let late = now();
        let early = late - chrono::TimeDelta::seconds(5);
        store.note_key_uses(&[(used.id, late), (Uuid::now_v7(), late)]).await.unwrap();
        store.note_key_uses(&[(used.id, early)]).await.unwrap();
        let settings = store.load_settings().await.unwrap();
        assert_eq!(settings.keys[0].last_used_at, Some(late));
        assert_eq!(settings.version, version);
    }
}
