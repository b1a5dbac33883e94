//! Making, reading, changing and removing routes.

use routing::RouteBy;

use super::*;
use crate::testing::on_both_databases;

on_both_databases! {
    async fn what_is_made_reads_back_whole(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let p = bench.provider("p").await;
        bench.provider("q").await;
        let jev = bench.decision_service("jev").await;
        let draft: RouteDraft = read(json!({
            "name": "Qwen/Qwen3-32B",
            "description": "für alle\nund jeden",
            "targets": [{"provider": p.id, "model": "m2"}, {"provider": "q", "model": "m1", "enabled": false}],
            "fallbacks": [{"provider": "q", "model": "m2"}, {"provider": "p", "model": "m1"}],
            "policy": {
                "session_affinity": {"weight": 0.30000000000000004, "keys": [{"header": "Session-Id"}]},
                "decision_service": {"provider": jev.id, "model": "m1", "instructions": "\u{1f600} \"?\"",
                                     "criteria": {"m1": "small", "m2": "large"}},
            },
            "retry": {"attempts": 3.0, "statuses": [500, 429]}, "keep_alive": false,
        }));
        let made = bench.admin.create_route(draft).await.unwrap();
        assert_eq!((made.revision, made.route_by), (1, RouteBy::Policy));
        assert_eq!(made.targets[0].provider, "p");
        assert!(made.targets[0].enabled && !made.targets[1].enabled);
        assert_eq!(made.fallbacks[1].provider, "p");
        let policy = &made.policy;
        assert_eq!(policy.session_affinity.weight, 0.1 + 0.2);
        assert_eq!(policy.session_affinity.keys[0].header.as_deref(), Some("session-id"));
        assert!(!policy.least_inflight.enabled);
        assert_eq!(policy.least_inflight.weight, 1.0);
        assert_eq!(policy.decision_service.provider.as_deref(), Some("jev"));
        assert_eq!((policy.decision_service.weight, policy.decision_service.timeout_ms), (10.0, 3_000));
        assert_eq!((made.retry.attempts(), made.retry.statuses()), (3, &[500, 429][..]));
        assert!(!made.keep_alive);
        assert_eq!(bench.admin.get_route(made.id).await.unwrap(), made);
        assert_eq!(bench.published(), 4);

        let record = bench.store.load_settings().await.unwrap().routes.remove(0);
        assert_eq!(record.policy.decision_service.provider, Some(jev.id.to_string()));
        assert_eq!(record.decision_provider(), Some(jev.id));
    }

    async fn route_by_follows_from_weights_and_scorers(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        bench.provider("p").await;
        let weighted = changed(&route("weighted", "p"), "/targets/0/weight", json!(100.0));
        let policy = changed(&route("policy", "p"), "/policy", json!({"least_inflight": {}}));
        for (draft, route_by) in [
            (route("plain", "p"), RouteBy::RoundRobin),
            (weighted, RouteBy::TargetWeight),
            (policy, RouteBy::Policy),
        ] {
            let made = bench.admin.create_route(draft).await.unwrap();
            assert_eq!(made.route_by, route_by, "{}", made.name);
            assert_eq!(bench.admin.get_route(made.id).await.unwrap().route_by, route_by);
        }
    }

    async fn a_put_of_what_get_gave_changes_nothing_but_the_revision(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        bench.provider("p").await;
        bench.decision_service("jev").await;
        let draft: RouteDraft = read(json!({
            "name": "r",
            "targets": [{"provider": "p", "model": "m1"}, {"provider": "p", "model": "m2"}],
            "fallbacks": [{"provider": "p", "model": "m2"}],
            "policy": {"decision_service": {"provider": "jev", "model": "m2",
                                            "criteria": {"m1": "a", "m2": "b"}}},
            "retry": {"attempts": 1, "statuses": []}, "keep_alive": false,
        }));
        let made = bench.admin.create_route(draft).await.unwrap();
        let mut saved = bench.admin.update_route(made.id, put(&made)).await.unwrap();
        assert_eq!(saved.revision, 2);
        assert!(saved.updated_at > made.updated_at);
        assert_eq!(bench.admin.get_route(made.id).await.unwrap(), saved);
        (saved.revision, saved.updated_at) = (1, made.updated_at);
        assert_eq!(saved, made);
    }

    async fn targets_keep_their_identity(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        bench.provider("p").await;
        let q = bench.provider("q").await;
        let mut draft = route("r", "p");
        draft.targets.push(read(json!({"provider": "q", "model": "m1"})));
        let made = bench.admin.create_route(draft).await.unwrap();
        let other = bench.admin.create_route(route("other", "p")).await.unwrap();
        let [first, second] = [made.targets[0].id, made.targets[1].id];
        assert_ne!(first, second);

        // Without ids: by provider and model, in whatever order.
        let mut edit: RouteDraft = put(&made);
        edit.targets = read(json!([
            {"provider": q.id, "model": "m1"}, {"provider": "q", "model": "m2"}, {"provider": "p", "model": "m1"},
        ]));
        let saved = bench.admin.update_route(made.id, edit).await.unwrap();
        assert_eq!((saved.targets[0].id, saved.targets[2].id), (second, first));
        let third = saved.targets[1].id;
        assert!(![first, second].contains(&third));

        // With ids: the id counts, also when the model changes; a foreign id does not.
        let mut edit: RouteDraft = put(&saved);
        edit.targets = read(json!([
            {"id": first, "provider": "q", "model": "m1"},
            {"id": other.targets[0].id, "provider": "p", "model": "m1"},
        ]));
        let saved = bench.admin.update_route(made.id, edit).await.unwrap();
        assert_eq!(saved.targets[0].id, first);
        assert!(![first, second, third, other.targets[0].id].contains(&saved.targets[1].id));
        assert_eq!(bench.admin.get_route(other.id).await.unwrap(), other);
    }

    async fn a_name_is_taken_once(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        bench.provider("p").await;
        let made = bench.admin.create_route(route("r", "p")).await.unwrap();
        let error = refused(bench.admin.create_route(route("r", "p")).await, ErrorCode::Conflict);
        assert!(error.message.contains("route name \"r\" is taken"), "{error:?}");
        let other = bench.admin.create_route(route("s", "p")).await.unwrap();
        let renamed = changed(&put::<_, RouteDraft>(&other), "/name", json!("r"));
        refused(bench.admin.update_route(other.id, renamed).await, ErrorCode::Conflict);
        bench.admin.delete_route(made.id).await.unwrap();
        let renamed = changed(&put::<_, RouteDraft>(&other), "/name", json!("r"));
        bench.admin.update_route(other.id, renamed).await.unwrap();
    }

    async fn of_many_edits_one_wins_and_the_others_are_stale(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        bench.provider("p").await;
        let made = bench.admin.create_route(route("r", "p")).await.unwrap();
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..8 {
            let admin = bench.admin.clone();
            let edit = changed(&put::<_, RouteDraft>(&made), "/description", json!(number.to_string()));
            tasks.spawn(async move { admin.update_route(made.id, edit).await });
        }
        let outcomes = tasks.join_all().await;
        let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1);
        for outcome in lost {
            refused(outcome, ErrorCode::Stale);
        }
        let stored = bench.admin.get_route(made.id).await.unwrap();
        assert_eq!(Ok(stored), won.into_iter().next().unwrap());
    }

    async fn what_is_not_there_is_404(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        bench.provider("p").await;
        let id = uuid::Uuid::now_v7();
        let draft = changed(&route("r", "p"), "/revision", json!(1));
        refused(bench.admin.get_route(id).await, ErrorCode::NotFound);
        refused(bench.admin.update_route(id, draft).await, ErrorCode::NotFound);
        refused(bench.admin.delete_route(id).await, ErrorCode::NotFound);
        let made = bench.admin.create_route(route("r", "p")).await.unwrap();
        bench.admin.delete_route(made.id).await.unwrap();
        refused(bench.admin.delete_route(made.id).await, ErrorCode::NotFound);
    }
}
