//! No secret is in the database in clear, and none opens outside its row.

use super::*;
use crate::testing::on_both_databases;
use crate::vault::{Row, VaultError};

fn in_hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

on_both_databases! {
    async fn no_secret_is_in_the_database_in_clear(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let draft: ProviderDraft = read(json!({
            "name": "findme-name", "kind": "openai", "instances": [{"url": "http://h"}],
            "credentials": [{"secret": "sk-credential-0123456789"}],
            "headers": {"x-a": "header-value-0123456789"},
            "models": [{"name": "m1"}],
        }));
        let made = bench.admin.create_provider(draft).await.unwrap();
        let edit = changed(
            &put::<_, ProviderDraft>(&made),
            "/credentials",
            json!([{"id": made.credentials[0].id}, {"secret": "sk-second-9876543210"}]),
        );
        let made = bench.admin.update_provider(made.id, edit).await.unwrap();
        let key = bench.admin.create_key(changed(&key("k"), "/name", json!("k"))).await.unwrap();
        let dump = database.dump().await;
        assert!(dump.contains("findme-name"), "the search finds what is there");
        let key_secret = key.key.rsplit('_').next().unwrap();
        for secret in [
            "sk-credential-0123456789", "header-value-0123456789", "sk-second-9876543210", key_secret,
            &"5a".repeat(32),
        ] {
            assert!(!dump.contains(secret), "{secret}");
            assert!(!dump.contains(&in_hex(secret)), "{secret}");
        }
        let answers = format!("{} {made:?}", serde_json::to_string(&made).unwrap());
        for secret in ["sk-credential", "header-value", "sk-second"] {
            assert!(!answers.contains(secret), "{answers}");
        }
        let listed = serde_json::to_string(&bench.admin.list_keys(Default::default()).await.unwrap()).unwrap();
        assert!(!listed.contains(key_secret));
    }

    /// Whoever can write to the database still cannot make a provider send another's credential.
    async fn swapped_rows_do_not_open(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        for name in ["one", "other"] {
            let draft = changed(&provider(name), "/credentials", json!([{"secret": format!("sk-of-{name}")}]));
            bench.admin.create_provider(draft).await.unwrap();
        }
        let providers = bench.store.load_settings().await.unwrap().providers;
        let [one, other] = [&providers[0].credentials[0], &providers[1].credentials[0]];
        assert_eq!(bench.vault.unseal(Row::Credential(one.id), &one.sealed).unwrap(), "sk-of-one");
        let swapped = bench.vault.unseal(Row::Credential(one.id), &other.sealed);
        assert!(matches!(swapped, Err(VaultError::Damaged)));
        let elsewhere = bench.vault.unseal(Row::Header(one.id), &one.sealed);
        assert!(matches!(elsewhere, Err(VaultError::Damaged)));
    }
}
