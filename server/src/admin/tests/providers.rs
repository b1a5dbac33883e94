//! Making, reading, changing and removing providers.

use super::*;
use crate::testing::on_both_databases;
use crate::vault::Row;

on_both_databases! {
    async fn what_is_made_reads_back_with_defaults(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let draft: ProviderDraft = read(json!({
            "name": " local-a ",
            "kind": "openai",
            "instances": [{"url": " http://h:8000/v1/ "}, {"url": "https://h/api/v3", "max_inflight": 8}],
            "credentials": [{"secret": " sk-0123456789 "}, {"secret": "short"}],
            "models": [{"name": " qwen3 ", "category": "embedding", "price": {"input": 0.15, "output": 1}},
                       {"name": "a/b:c"}],
            "headers": {"X-Team": "red"},
        }));
        let made = bench.admin.create_provider(draft).await.unwrap();
        assert_eq!(bench.published(), 1);
        assert_eq!(bench.admin.get_provider(made.id).await.unwrap(), made);
        let mut json = serde_json::to_value(&made).unwrap();
        for field in ["id", "created_at", "updated_at"] {
            json[field].take();
        }
        json["credentials"][0]["id"].take();
        json["credentials"][1]["id"].take();
        assert_eq!(json, json!({
            "id": null, "revision": 1, "name": "local-a", "kind": "openai", "enabled": true,
            "instances": [{"url": "http://h:8000/v1/", "max_inflight": null},
                          {"url": "https://h/api/v3", "max_inflight": 8}],
            "credentials": [{"id": null, "hint": "6789"}, {"id": null, "hint": "****"}],
            "credential_header": null,
            "models": [{"name": "qwen3", "category": "embedding",
                        "price": {"input": 0.15, "output": 1.0, "cached": null}},
                       {"name": "a/b:c", "category": "unknown"}],
            "headers": {"x-team": null},
            "timeouts": {"connect_ms": 5000, "first_byte_ms": 600000, "idle_ms": 300000},
            "speaks": null, "health_check": null, "include_usage": false, "created_at": null, "updated_at": null,
        }));
        assert_eq!(made.created_at.timestamp_subsec_nanos() % 1_000, 0);
    }

    async fn a_put_of_what_get_gave_changes_nothing_but_the_revision(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let draft: ProviderDraft = read(json!({
            "name": "p", "kind": "anthropic", "enabled": false,
            "instances": [{"url": "http://h", "max_inflight": 1}],
            "credentials": [{"secret": "sk-0123456789"}],
            "credential_header": "Api-Key",
            "models": [{"name": "m", "category": "llm"}],
            "headers": {"x-a": "1", "x-b": "2"},
            "speaks": ["messages"],
            "health_check": {"path": " /health?deep=1 ", "interval_s": 10},
        }));
        let made = bench.admin.create_provider(draft).await.unwrap();
        let health_check = serde_json::to_value(&made.health_check).unwrap();
        assert_eq!(health_check, json!({"path": "/health?deep=1", "interval_s": 10}));
        let before = bench.store.load_settings().await.unwrap();
        let mut saved = bench.admin.update_provider(made.id, put(&made)).await.unwrap();
        assert_eq!(saved.revision, 2);
        assert!(saved.updated_at > made.updated_at);
        saved.revision = 1;
        saved.updated_at = made.updated_at;
        assert_eq!(saved, made);
        let mut after = bench.store.load_settings().await.unwrap();
        assert_eq!(after.version, before.version + 1);
        after.version = before.version;
        after.providers[0].revision = 1;
        after.providers[0].updated_at = made.updated_at;
        assert_eq!(after, before, "sealed values and the ids of instances too");
    }

    async fn secrets_are_kept_replaced_and_removed(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let draft: ProviderDraft = read(json!({
            "name": "p", "kind": "openai", "instances": [{"url": "http://h"}],
            "credentials": [{"secret": "first-secret"}, {"secret": "second-secret"}],
            "headers": {"x-a": "one", "x-b": "two"},
        }));
        let made = bench.admin.create_provider(draft).await.unwrap();
        let opened = async || {
            let provider = bench.store.load_settings().await.unwrap().providers.remove(0);
            let credentials: Vec<_> = provider
                .credentials
                .iter()
                .map(|c| bench.vault.unseal(Row::Credential(c.id), &c.sealed).unwrap())
                .collect();
            let headers: Vec<_> = provider
                .headers
                .iter()
                .map(|h| format!("{}={}", h.name, bench.vault.unseal(Row::Header(h.id), &h.sealed).unwrap()))
                .collect();
            (credentials.join(" "), headers.join(" "))
        };
        assert_eq!(opened().await, ("first-secret second-secret".into(), "x-a=one x-b=two".into()));

        let mut edit: ProviderDraft = put(&made);
        edit.credentials = Some(vec![
            read(json!({"id": made.credentials[1].id})),
            read(json!({"secret": "third-secret"})),
        ]);
        edit.headers = Some(read(json!({"X-A": "uno", "x-b": null, "x-c": "tres"})));
        let made = bench.admin.update_provider(made.id, edit).await.unwrap();
        assert_eq!(
            opened().await,
            ("second-secret third-secret".into(), "x-a=uno x-b=two x-c=tres".into())
        );

        let mut omitted: ProviderDraft = put(&made);
        (omitted.credentials, omitted.headers) = (None, None);
        let made = bench.admin.update_provider(made.id, omitted).await.unwrap();
        assert_eq!(
            opened().await,
            ("second-secret third-secret".into(), "x-a=uno x-b=two x-c=tres".into())
        );

        let id = made.credentials[0].id;
        let twice = changed(&put::<_, ProviderDraft>(&made), "/credentials", json!([{"id": id}, {"id": id}]));
        refused_at(bench.admin.update_provider(made.id, twice).await, "credentials[1].id", "named twice");

        let mut none: ProviderDraft = put(&made);
        (none.credentials, none.headers) = (Some(Vec::new()), Some(Default::default()));
        bench.admin.update_provider(made.id, none).await.unwrap();
        assert_eq!(opened().await, (String::new(), String::new()));
    }

    async fn another_providers_credential_is_not_known_here(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let with_secret = |name| changed(&provider(name), "/credentials", json!([{"secret": "sk-0123456789"}]));
        let one = bench.admin.create_provider(with_secret("one")).await.unwrap();
        let other = bench.admin.create_provider(with_secret("other")).await.unwrap();
        let stolen = changed(
            &put::<_, ProviderDraft>(&one),
            "/credentials",
            json!([{"id": other.credentials[0].id}]),
        );
        refused_at(bench.admin.update_provider(one.id, stolen).await, "credentials[0].id", "no credential");
    }

    async fn one_header_does_not_carry_two_values(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        for (kind, header) in [("openai", "authorization"), ("anthropic", "x-api-key")] {
            let draft: ProviderDraft = read(json!({
                "name": "p", "kind": kind, "instances": [{"url": "http://h"}],
                "credentials": [{"secret": "s"}], "headers": {header: "x"},
            }));
            let path = format!("headers.{header}");
            refused_at(bench.admin.create_provider(draft.clone()).await, &path, "credential already");
            let draft: ProviderDraft = changed(&draft, "/credentials", json!([]));
            bench.admin.create_provider(changed(&draft, "/name", json!(kind))).await.unwrap();
        }
    }

    async fn a_name_is_taken_once(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        bench.provider("one").await;
        let other = bench.provider("other").await;
        let error = refused(bench.admin.create_provider(provider("one")).await, ErrorCode::Conflict);
        assert!(error.message.contains("\"one\" is taken"), "{error:?}");
        assert!(error.fields.contains_key("name"));
        let renamed = changed(&put::<_, ProviderDraft>(&other), "/name", json!("one"));
        refused(bench.admin.update_provider(other.id, renamed).await, ErrorCode::Conflict);
        assert_eq!(bench.published(), 2);
    }

    async fn of_two_edits_one_wins_and_one_is_stale(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let made = bench.provider("p").await;
        let edit: ProviderDraft = put(&made);
        let (one, other) = tokio::join!(
            bench.admin.update_provider(made.id, edit.clone()),
            bench.admin.update_provider(made.id, edit.clone()),
        );
        let (won, lost) = if one.is_ok() { (one, other) } else { (other, one) };
        assert_eq!(won.unwrap().revision, 2);
        let error = refused(lost, ErrorCode::Stale);
        assert!(error.message.contains("revision 2"), "{error:?}");

        let mut absent = edit.clone();
        absent.revision = None;
        refused_at(bench.admin.update_provider(made.id, absent).await, "revision", "Send the revision");
        let mut unknown = edit;
        unknown.revision = Some(99);
        refused(bench.admin.update_provider(made.id, unknown).await, ErrorCode::Stale);
    }

    async fn what_is_not_there_is_404(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let id = uuid::Uuid::now_v7();
        let draft = changed(&provider("p"), "/revision", json!(1));
        refused(bench.admin.get_provider(id).await, ErrorCode::NotFound);
        refused(bench.admin.update_provider(id, draft).await, ErrorCode::NotFound);
        refused(bench.admin.delete_provider(id).await, ErrorCode::NotFound);
        let made = bench.provider("p").await;
        bench.admin.delete_provider(made.id).await.unwrap();
        refused(bench.admin.get_provider(made.id).await, ErrorCode::NotFound);
        refused(bench.admin.delete_provider(made.id).await, ErrorCode::NotFound);
        assert_eq!(bench.published(), 2);
    }
}
