//! API keys from their making to their end.

use app::api::key::Scope;
use chrono::TimeDelta;

use super::*;
use crate::testing::on_both_databases;

on_both_databases! {
    async fn a_key_is_shown_once_and_kept_as_a_hash(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        bench.provider("p").await;
        let r = bench.admin.create_route(route("r", "p")).await.unwrap();
        let s = bench.admin.create_route(route("s", "p")).await.unwrap();
        let draft: KeyDraft = read(json!({
            "name": " laptop ", "scopes": ["inference", "management"],
            "routes": [s.id, "r"], "expires_in_s": 60,
        }));
        let made = bench.admin.create_key(draft).await.unwrap();
        let about = made.about;
        assert_eq!((&*about.name, &about.routes), ("laptop", &vec!["r".to_owned(), "s".to_owned()]));
        assert_eq!(about.scopes, [Scope::Inference, Scope::Management]);
        assert_eq!(about.expires_at, Some(about.created_at + TimeDelta::seconds(60)));
        assert_eq!(about.last_used_at, None);
        assert_eq!(bench.published(), 4);
        let (prefix, secret) = made.key.rsplit_once('_').unwrap();
        assert_eq!(prefix, about.prefix);

        let record = bench.store.load_settings().await.unwrap().keys.remove(0);
        assert_eq!(format!("sb_{}", record.public), prefix);
        assert_eq!(record.hash, bench.vault.hash_api_key_secret(secret));
        let mut routes = record.routes.clone();
        routes.sort();
        assert_eq!(routes, [r.id, s.id]);
        let listed = bench.admin.list_keys(Default::default()).await.unwrap();
        assert_eq!(listed.items, std::slice::from_ref(&about));

        // A renamed route keeps its keys.
        let renamed = changed(&put::<_, RouteDraft>(&r), "/name", json!("z"));
        bench.admin.update_route(r.id, renamed).await.unwrap();
        let listed = bench.admin.list_keys(Default::default()).await.unwrap();
        assert_eq!(listed.items[0].routes, ["s", "z"]);

        bench.admin.delete_key(about.id).await.unwrap();
        assert!(bench.store.load_settings().await.unwrap().keys.is_empty());
        refused(bench.admin.delete_key(about.id).await, ErrorCode::NotFound);
    }

    async fn defaults_are_inference_on_all_routes_for_ever(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let made = bench.admin.create_key(key("k")).await.unwrap().about;
        assert_eq!(made.scopes, [Scope::Inference]);
        assert!(made.routes.is_empty() && made.expires_at.is_none());
        bench.admin.create_key(key("k")).await.unwrap();
        assert_eq!(bench.admin.list_keys(Default::default()).await.unwrap().items.len(), 2);
    }

    async fn each_wrong_field_is_named(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        bench.provider("p").await;
        let r = bench.admin.create_route(route("r", "p")).await.unwrap();
        let many: Vec<_> = (0..1_001).map(|n| n.to_string()).collect();
        let table = [
            ("/name", json!(" "), "name", "Give the key a name"),
            ("/name", json!("a\0"), "name", "control characters"),
            ("/name", json!("x".repeat(256)), "name", "at most 255"),
            ("/scopes", json!([]), "scopes", "can do nothing"),
            ("/scopes", json!(["inference", "inference"]), "scopes[1]", "named twice"),
            ("/routes", json!(["nobody"]), "routes[0]", "no route \"nobody\""),
            ("/routes", json!(["r", ""]), "routes[1]", "no route"),
            ("/routes", json!(["a\0"]), "routes[0]", "no route"),
            ("/routes", json!(["x".repeat(256)]), "routes[0]", "so long a name"),
            ("/routes", json!(["r", r.id]), "routes[1]", "repeats entry 1"),
            ("/routes", json!(many), "routes", "at most 1000"),
            ("/expires_in_s", json!(0), "expires_in_s", "1 to 315,360,000"),
            ("/expires_in_s", json!(-1), "expires_in_s", "ten years"),
            ("/expires_in_s", json!(315_360_001), "expires_in_s", "ten years"),
            ("/expires_in_s", json!(i64::MAX), "expires_in_s", "ten years"),
        ];
        for (pointer, value, path, part) in table {
            println!("{pointer}");
            let draft = changed(&key("k"), pointer, value);
            refused_at(bench.admin.create_key(draft).await.map(drop), path, part);
        }
        let longest = changed(&key("k"), "/expires_in_s", json!(315_360_000));
        bench.admin.create_key(longest).await.unwrap();
    }
}
