//! What routes hold on to cannot go, nor change its kind; what keys are limited to cannot go.

use super::*;
use crate::testing::on_both_databases;

on_both_databases! {
    async fn a_provider_in_use_stays(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let target = bench.provider("target").await;
        let fallback = bench.provider("fallback").await;
        let jev = bench.decision_service("jev").await;
        for number in 0..5 {
            let mut draft = route(&format!("r{number}"), "target");
            draft.fallbacks = read(json!([{"provider": "fallback", "model": "m1"}]));
            draft.policy = read(json!({"decision_service": {"enabled": false, "provider": "jev"}}));
            bench.admin.create_route(draft).await.unwrap();
        }
        for (id, name) in [(target.id, "target"), (fallback.id, "fallback"), (jev.id, "jev")] {
            let error = refused(bench.admin.delete_provider(id).await, ErrorCode::Conflict);
            assert!(
                error.message.contains("still used by the routes r0, r1, r2 and 2 more."),
                "{name}: {error:?}"
            );
            bench.admin.get_provider(id).await.unwrap();
            let users = bench.admin.users_of_provider(id).await.unwrap();
            assert_eq!(users, ["r0", "r1", "r2", "r3", "r4"]);
            assert_eq!(bench.admin.users_of_providers().await.unwrap()[&id], users);
        }
    }

    async fn a_model_in_use_stays(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let target = bench.provider("target").await;
        let jev = bench.decision_service("jev").await;
        let mut draft = route("r", "target");
        draft.policy = read(json!({"decision_service": {"enabled": false, "provider": "jev", "model": "m2"}}));
        bench.admin.create_route(draft).await.unwrap();

        let without = |provider: &Provider, model: &str| {
            let mut draft: ProviderDraft = put(provider);
            draft.models.retain(|other| other.name != model);
            draft
        };
        let outcome = bench.admin.update_provider(target.id, without(&target, "m1")).await;
        let error = refused(outcome, ErrorCode::Conflict);
        assert!(error.message.contains("The model m1 is still used by the route r."), "{error:?}");
        let outcome = bench.admin.update_provider(jev.id, without(&jev, "m2")).await;
        refused(outcome, ErrorCode::Conflict);
        // What no route uses may go, and all else may change.
        let target = bench.admin.update_provider(target.id, without(&target, "m2")).await.unwrap();
        bench.admin.update_provider(jev.id, without(&jev, "m1")).await.unwrap();
        let renamed = changed(&put::<_, ProviderDraft>(&target), "/name", json!("renamed"));
        bench.admin.update_provider(target.id, renamed).await.unwrap();
        let routes = bench.admin.list_routes(Default::default()).await.unwrap();
        assert_eq!(routes.items[0].targets[0].provider, "renamed");
    }

    async fn a_kind_in_use_stays(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let target = bench.provider("target").await;
        let jev = bench.decision_service("jev").await;
        let free = bench.provider("free").await;
        let mut draft = route("r", "target");
        draft.policy = read(json!({"decision_service": {"enabled": false, "provider": "jev"}}));
        bench.admin.create_route(draft).await.unwrap();
        let as_kind = |provider: &Provider, kind| -> ProviderDraft {
            changed(&put::<_, ProviderDraft>(provider), "/kind", json!(kind))
        };
        let outcome = bench.admin.update_provider(target.id, as_kind(&target, "decision")).await;
        let error = refused(outcome, ErrorCode::Conflict);
        assert!(error.message.contains("route r."), "{error:?}");
        let outcome = bench.admin.update_provider(jev.id, as_kind(&jev, "openai")).await;
        refused(outcome, ErrorCode::Conflict);
        bench.admin.update_provider(target.id, as_kind(&target, "anthropic")).await.unwrap();
        bench.admin.update_provider(free.id, as_kind(&free, "decision")).await.unwrap();
    }

    /// A key whose only route went would otherwise be limited to nothing, which means all.
    async fn a_route_that_keys_are_limited_to_stays(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        bench.provider("p").await;
        let made = bench.admin.create_route(route("r", "p")).await.unwrap();
        let mut ids = Vec::new();
        for name in ["laptop", "ci"] {
            let draft = changed(&key(name), "/routes", json!(["r"]));
            ids.push(bench.admin.create_key(draft).await.unwrap().about.id);
        }
        bench.admin.create_key(key("free")).await.unwrap();
        let error = refused(bench.admin.delete_route(made.id).await, ErrorCode::Conflict);
        assert!(error.message.contains("API keys ci and laptop."), "{error:?}");
        for id in ids {
            bench.admin.delete_key(id).await.unwrap();
        }
        bench.admin.delete_route(made.id).await.unwrap();
    }

    /// Whichever comes first, a route never points to what is gone.
    async fn a_route_and_the_end_of_its_provider_exclude_each_other(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        for round in 0..10 {
            let name = format!("p{round}");
            let made = bench.provider(&name).await;
            let (saved, deleted) = tokio::join!(
                bench.admin.create_route(route(&format!("r{round}"), &name)),
                bench.admin.delete_provider(made.id),
            );
            match (saved, deleted) {
                (Ok(_), Err(error)) => assert_eq!(error.code, ErrorCode::Conflict),
                (Err(error), Ok(())) => assert!(error.fields.contains_key("targets[0].provider")),
                other => panic!("{other:?}"),
            }
        }
    }
}
