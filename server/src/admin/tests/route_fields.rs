//! Every 422 of a route that needs the database, with its field, and that the others come through.

use super::*;
use crate::testing::on_both_databases;

on_both_databases! {
    async fn each_wrong_reference_is_named(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let p = bench.provider("p").await;
        bench.provider("q").await;
        bench.decision_service("jev").await;
        let deciding = |service: Value| {
            let mut settings = json!({"criteria": {"m1": "small", "m2": "large"}});
            settings.as_object_mut().unwrap().extend(service.as_object().unwrap().clone());
            json!({"decision_service": settings})
        };
        let table = [
            ("/targets/0/provider", json!("nobody"), "targets[0].provider", "no provider \"nobody\""),
            ("/targets/0/provider", json!("jev"), "targets[0].provider", "decision service"),
            ("/targets/0/model", json!("m3"), "targets[0].model", "\"p\" does not list the model \"m3\""),
            (
                "/targets",
                json!([{"provider": "q", "model": "m1"}, {"provider": "p", "model": "m1"},
                       {"provider": p.id, "model": "m1"}, {"provider": "p", "model": "m2"}]),
                "targets[2].model",
                "Entry 2 is already",
            ),
            ("/fallbacks", json!([{"provider": "x", "model": "m1"}]), "fallbacks[0].provider", "\"x\""),
            ("/fallbacks", json!([{"provider": "jev", "model": "m1"}]), "fallbacks[0].provider", "decision"),
            ("/fallbacks", json!([{"provider": "p", "model": "x"}]), "fallbacks[0].model", "does not list"),
            (
                "/fallbacks",
                json!([{"provider": p.id, "model": "m2"}, {"provider": "p", "model": "m2"}]),
                "fallbacks[1].model",
                "Entry 1 is already",
            ),
            (
                "/policy",
                deciding(json!({"provider": "nobody", "model": "m1"})),
                "policy.decision_service.provider",
                "no provider \"nobody\"",
            ),
            (
                "/policy",
                deciding(json!({"provider": "p", "model": "m1"})),
                "policy.decision_service.provider",
                "kind decision",
            ),
            (
                "/policy",
                deciding(json!({"provider": "jev", "model": "jev-latest"})),
                "policy.decision_service.model",
                "does not list the model",
            ),
            ("/description", json!("a\0b"), "description", "U+0000"),
            (
                "/policy",
                json!({"decision_service": {"enabled": false, "criteria": {"a\0b": "c"}}}),
                "policy.decision_service.criteria",
                "U+0000",
            ),
            (
                "/policy",
                json!({"session_affinity": {"enabled": false, "keys": [{"header": "a"}, {"body": "\0"}]}}),
                "policy.session_affinity.keys[1].body",
                "U+0000",
            ),
        ];
        for (pointer, value, path, part) in table {
            println!("{pointer} {value}");
            let mut draft = route("r", "p");
            if pointer == "/policy" {
                draft.targets.push(read(json!({"provider": "p", "model": "m2"})));
            }
            let draft: RouteDraft = changed(&draft, pointer, value);
            refused_at(bench.admin.create_route(draft).await, path, part);
        }
        assert!(bench.admin.list_routes(Default::default()).await.unwrap().items.is_empty());
    }

    async fn what_routing_refuses_comes_through_by_field(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let made = bench.provider("p").await;
        let draft: RouteDraft = read(json!({
            "name": "-", "description": "\0",
            "targets": [{"provider": "p", "model": "m1", "weight": 0}, {"provider": made.id, "model": "m2"}],
            "retry": {"attempts": 11, "statuses": [503, 422]},
        }));
        let error = refused(bench.admin.create_route(draft.clone()).await, ErrorCode::Invalid);
        let expected = [
            "description", "name", "retry.attempts", "retry.statuses[1]", "targets[0].weight",
            "targets[1].weight",
        ];
        assert!(error.fields.keys().eq(expected), "{error:?}");
        let error = refused(bench.admin.update_route(made.id, draft).await, ErrorCode::Invalid);
        assert!(error.fields.contains_key("revision") && error.fields.contains_key("name"));
        let draft = changed(&route("r", "p"), "/targets", json!([]));
        let error = refused(bench.admin.create_route(draft).await, ErrorCode::Invalid);
        assert!(error.fields.contains_key("targets"));
        let many: Vec<_> = (0..1_001).map(|n| json!({"provider": "p", "model": format!("m{n}")})).collect();
        let draft = changed(&route("r", "p"), "/targets", json!(many));
        refused_at(bench.admin.create_route(draft).await, "targets", "1000");
    }
}
