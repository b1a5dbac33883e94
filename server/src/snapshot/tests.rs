//! Snapshots that are brought up to date are as if made anew, and share what was not touched.

use app::api::key::KeyDraft;
use app::api::provider::{Provider, ProviderDraft};
use app::api::route::Route;
use app::error::{ApiError, ErrorCode};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use routing::RouteDraft;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::admin::{Admin, Rules};
use crate::gateway::upstream::Upstreams;
use crate::testing::{TestDatabase, on_both_databases};
use crate::vault::SecretKey;

on_both_databases! {
    async fn whatever_is_saved_it_is_as_if_compiled_from_nothing(database: TestDatabase) {
        let mut dice = Dice(TestRunner::deterministic());
        let mut bench = Bench::new(&database).await;
        let other_process = bench.opened().await;
        for step in 0..200 {
            let what = bench.save_something(&mut dice).await;
            let anew = described(&bench.opened().await);
            assert_eq!(described(&bench.snapshots), anew, "step {step}: {what}");
            bench.are_found_by_name_and_id();
            if dice.once_in(8) {
                if dice.once_in(4) {
                    database.run("DELETE FROM settings_changes").await;
                }
                other_process.rebuild().await.unwrap();
                assert_eq!(described(&other_process), anew, "step {step}: {what}, in another process");
            }
            if dice.once_in(20) {
                database
                    .run("UPDATE routes SET enabled = NOT enabled;
                          UPDATE settings_version SET version = version + 1")
                    .await;
                bench.snapshots.rebuild().await.unwrap();
                assert_eq!(described(&bench.snapshots), described(&bench.opened().await));
            }
        }
        let [saved, refused] = [bench.saved, bench.refused];
        assert!(saved > 120, "{saved} saved, {refused} refused");
    }

    async fn what_a_save_does_not_touch_is_shared(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let [p, _] = [bench.provider("p").await, bench.provider("q").await];
        let [of_p, of_q] = [bench.route("of-p", "p").await, bench.route("of-q", "q").await];
        bench.admin.create_key(key("first", &[])).await.unwrap();
        let before = bench.snapshots.load();
        let route = |snapshot: &Snapshot, id| Arc::clone(snapshot.routes.by_id(id).unwrap());
        let is_shared = |after: &Snapshot, id| Arc::ptr_eq(&route(&before, id), &route(after, id));

        let renamed = edited(&of_p, json!({"name": "renamed"}));
        let of_p = bench.admin.update_route(of_p.id, renamed).await.unwrap();
        let after = bench.snapshots.load();
        assert!(is_shared(&after, of_q.id) && !is_shared(&after, of_p.id));
        assert!(Arc::ptr_eq(&route(&before, of_p.id).rotation, &route(&after, of_p.id).rotation));
        assert!(before.providers.iter().zip(&after.providers).all(|(a, b)| Arc::ptr_eq(a, b)));
        assert!(Arc::ptr_eq(&before.keys, &after.keys));

        let off = edited(&p, json!({"enabled": false}));
        bench.admin.update_provider(p.id, off).await.unwrap();
        let after = bench.snapshots.load();
        assert!(is_shared(&after, of_q.id) && !is_shared(&after, of_p.id));
        assert!(Arc::ptr_eq(&route(&before, of_p.id).rotation, &route(&after, of_p.id).rotation));
        assert!(!Arc::ptr_eq(&before.providers[0], &after.providers[0]));
        assert!(Arc::ptr_eq(&before.providers[1], &after.providers[1]));

        bench.admin.create_key(key("second", &[])).await.unwrap();
        let last = bench.snapshots.load();
        assert!(Arc::ptr_eq(&after.routes, &last.routes));
        assert!(!Arc::ptr_eq(&after.keys, &last.keys));
    }

    /// Also where everything is read again.
    async fn the_last_use_of_a_key_outlives_snapshots(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let made = bench.admin.create_key(key("k", &[])).await.unwrap();
        bench.use_key(&made.key);
        bench.admin.create_key(key("other", &[])).await.unwrap();
        database.run("UPDATE settings_version SET version = version + 1").await;
        bench.snapshots.rebuild().await.unwrap();
        let uses = bench.snapshots.load().keys.take_uses();
        assert_eq!(uses.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [made.about.id]);
        assert!(bench.snapshots.load().keys.take_uses().is_empty());
    }
}

/// A process that serves and saves.
struct Bench {
    store: Store,
    vault: Vault,
    lasting: Arc<Lasting>,
    snapshots: Arc<Snapshots>,
    admin: Admin,
    made: Vec<Uuid>,
    saved: usize,
    refused: usize,
}

impl Bench {
    async fn new(database: &TestDatabase) -> Self {
        let store = Store::connect(database.url()).await.unwrap();
        let secret = SecretKey::parse(&"5a".repeat(32)).unwrap();
        let vault = Vault::open(&secret, &store).await.unwrap();
        let lasting = Arc::new(Lasting::new(Upstreams::new(None, false).unwrap()));
        let opened = Snapshots::open(store.clone(), vault.clone(), Arc::clone(&lasting)).await;
        let snapshots = Arc::new(opened.unwrap());
        let (publisher, rules) = (Arc::clone(&snapshots), Rules::default());
        Self {
            admin: Admin::new(store.clone(), vault.clone(), publisher, rules),
            store,
            vault,
            lasting,
            snapshots,
            made: Vec::new(),
            saved: 0,
            refused: 0,
        }
    }

    /// All settings compiled from nothing.
    async fn opened(&self) -> Snapshots {
        let (store, vault) = (self.store.clone(), self.vault.clone());
        let opened = Snapshots::open(store, vault, Arc::clone(&self.lasting)).await;
        opened.unwrap()
    }

    async fn provider(&self, name: &str) -> Provider {
        let draft = json!({"name": name, "kind": "openai", "instances": [{"url": "http://h/v1"}],
                           "models": [{"name": "m1"}]});
        self.admin.create_provider(read(draft)).await.unwrap()
    }

    async fn route(&self, name: &str, provider: &str) -> Route {
        let draft = json!({"name": name, "targets": [{"provider": provider, "model": "m1"}]});
        self.admin.create_route(read(draft)).await.unwrap()
    }

    fn use_key(&self, text: &str) {
        let presented = crate::auth::api_key::PresentedKey::parse(text).unwrap();
        let snapshot = self.snapshots.load();
        let now = crate::store::now();
        snapshot.keys.verify(presented, now).unwrap().used(now);
    }

    /// Tells what.
    async fn save_something(&mut self, dice: &mut Dice) -> String {
        let list = Default::default;
        let providers = self.admin.list_providers(list()).await.unwrap().items;
        let routes = self.admin.list_routes(list()).await.unwrap().items;
        let keys = self.admin.list_keys(list()).await.unwrap().items;
        let provider = dice.one_of(&providers);
        let route = dice.one_of(&routes);
        match (dice.roll(16), provider, route, dice.one_of(&keys)) {
            (0, Some(provider), ..) => {
                let outcome = self.admin.delete_provider(provider.id).await;
                self.count("deleting a provider", outcome.map(|()| provider.id))
            }
            (1..=4, Some(provider), ..) => {
                let draft = edited(provider, provider_fields(dice, Some(provider)));
                let outcome = self.admin.update_provider(provider.id, draft).await;
                self.count("a provider", outcome.map(|saved| saved.id))
            }
            (5, _, Some(route), _) => {
                let outcome = self.admin.delete_route(route.id).await;
                self.count("deleting a route", outcome.map(|()| route.id))
            }
            (6..=9, _, Some(route), _) => {
                let draft = edited(route, route_fields(dice, &providers));
                let outcome = self.admin.update_route(route.id, draft).await;
                self.count("a route", outcome.map(|saved| saved.id))
            }
            (10, _, _, Some(key)) => {
                let outcome = self.admin.delete_key(key.id).await;
                self.count("deleting a key", outcome.map(|()| key.id))
            }
            (11, _, Some(route), _) => {
                let limits = if dice.once_in(2) {
                    vec![&*route.name]
                } else {
                    vec![]
                };
                let outcome = self.admin.create_key(key("k", &limits)).await;
                self.count("a new key", outcome.map(|made| made.about.id))
            }
            (12..=14, Some(_), ..) => {
                let name = format!("r{}", dice.roll(12));
                let targets = targets(dice, &providers);
                let draft: RouteDraft = read(json!({"name": name, "targets": targets}));
                let draft = edited(&draft, route_fields(dice, &providers));
                let outcome = self.admin.create_route(draft).await;
                self.count("a new route", outcome.map(|made| made.id))
            }
            _ => {
                let models = json!([{"name": "m1"}, {"name": "m2"}, {"name": "m3"}]);
                let kind = ["openai", "anthropic", "decision"][dice.roll(3)];
                let draft: ProviderDraft = read(json!({
                    "name": format!("p{}", dice.roll(6)), "kind": kind, "models": models,
                    "instances": [{"url": "http://a:8000/v1"}],
                }));
                let draft = edited(&draft, provider_fields(dice, None));
                let outcome = self.admin.create_provider(draft).await;
                self.count("a new provider", outcome.map(|made| made.id))
            }
        }
    }

    fn count(&mut self, what: &str, outcome: Result<Uuid, ApiError>) -> String {
        match outcome {
            Ok(id) => {
                self.saved += 1;
                self.made.push(id);
            }
            // A name that is taken, a provider in use, a criterion of no target.
            Err(error) => {
                let may_be = [ErrorCode::Conflict, ErrorCode::Invalid];
                assert!(may_be.contains(&error.code), "{what}: {error:?}");
                self.refused += 1;
            }
        }
        what.to_owned()
    }

    fn are_found_by_name_and_id(&self) {
        let snapshot = self.snapshots.load();
        let routes = &snapshot.routes;
        for id in &self.made {
            assert_eq!(
                routes.by_id(*id).is_some(),
                routes.iter().any(|route| route.id == *id)
            );
        }
        for name in (0..12).map(|number| format!("r{number}")) {
            assert_eq!(
                routes.get(&name).is_some(),
                routes.iter().any(|route| route.name == name)
            );
        }
        for route in routes.iter() {
            assert!(Arc::ptr_eq(routes.get(&route.name).unwrap(), route));
            assert!(Arc::ptr_eq(routes.by_id(route.id).unwrap(), route));
            let targets = route
                .targets()
                .chain(&route.fallbacks)
                .map(|target| &target.provider);
            for used in targets.chain(route.decision.iter().map(|decision| &decision.provider)) {
                assert!(
                    snapshot
                        .providers
                        .iter()
                        .any(|provider| Arc::ptr_eq(provider, used))
                );
            }
        }
    }
}

/// Everything in it, down to the providers of each route. Sets in it have one member at most, as others
/// have no order.
fn described(snapshots: &Snapshots) -> String {
    let snapshot = snapshots.load();
    let mut keys: Vec<_> = snapshot.keys.iter().map(|key| format!("{key:?}")).collect();
    keys.sort();
    let routes: Vec<_> = snapshot.routes.iter().collect();
    let Snapshot {
        version, providers, ..
    } = &*snapshot;
    format!("{version}\n{providers:#?}\n{routes:#?}\n{keys:#?}")
}

/// Some fields of a provider, or of an edit of one.
fn provider_fields(dice: &mut Dice, stored: Option<&Provider>) -> Value {
    let mut fields = json!({});
    for _ in 0..=dice.roll(3) {
        let (name, value) = match dice.roll(10) {
            0 => ("name", json!(format!("p{}", dice.roll(6)))),
            1 => ("enabled", json!(dice.once_in(2))),
            2 => ("instances", {
                let mut urls = vec![
                    json!({"url": "http://a:8000/v1", "max_inflight": 1 + dice.roll(3)}),
                    json!({"url": "http://b:8000/v1"}),
                ];
                urls.rotate_left(dice.roll(2));
                urls.truncate(1 + dice.roll(2));
                json!(urls)
            }),
            3 => ("models", {
                let mut models: Vec<_> = ["m1", "m2", "m3"]
                    .map(|name| json!({"name": name}))
                    .to_vec();
                models[0]["price"] = json!({"input": dice.roll(9), "output": 1});
                models.rotate_left(dice.roll(3));
                models.truncate(3 - dice.roll(8) / 7);
                json!(models)
            }),
            4 => ("credentials", {
                let kept = stored
                    .iter()
                    .flat_map(|provider| &provider.credentials)
                    .rev();
                let mut credentials: Vec<_> = kept.map(|kept| json!({"id": kept.id})).collect();
                credentials.truncate(2);
                credentials.push(json!({"secret": format!("sk-{:04}", dice.roll(10_000))}));
                json!(credentials)
            }),
            5 => ("headers", json!({format!("x-{}", dice.roll(3)): "v"})),
            6 => (
                "timeouts",
                json!({"connect_ms": 1_000, "first_byte_ms": 1_000 + dice.roll(9)}),
            ),
            7 => (
                "speaks",
                if dice.once_in(2) {
                    json!(["chat"])
                } else {
                    Value::Null
                },
            ),
            8 => (
                "health_check",
                json!({"path": "/health", "interval_s": 1 + dice.roll(9)}),
            ),
            _ => ("include_usage", json!(dice.once_in(2))),
        };
        fields[name] = value;
    }
    fields
}

/// Some fields of a route.
fn route_fields(dice: &mut Dice, providers: &[Provider]) -> Value {
    let mut fields = json!({});
    for _ in 0..=dice.roll(3) {
        let (name, value) = match dice.roll(9) {
            0 => ("name", json!(format!("r{}", dice.roll(12)))),
            1 => ("enabled", json!(dice.once_in(2))),
            2 => ("targets", targets(dice, providers)),
            3 => ("fallbacks", targets(dice, providers)),
            4 => (
                "policy",
                json!({"least_inflight": {"weight": 1 + dice.roll(5)}, "session_affinity": {}}),
            ),
            5 => {
                let deciders: Vec<_> = providers
                    .iter()
                    .filter(|provider| decides(provider))
                    .collect();
                let Some(decider) = dice.one_of(&deciders) else {
                    continue;
                };
                fields["targets"] = targets(dice, providers);
                let targets = fields["targets"].as_array().unwrap();
                let models = targets
                    .iter()
                    .map(|target| target["model"].as_str().unwrap());
                let criteria: std::collections::BTreeMap<_, _> =
                    models.map(|name| (name, "c")).collect();
                (
                    "policy",
                    json!({"decision_service": {"provider": decider.name, "model": "m1",
                                                       "criteria": criteria}}),
                )
            }
            6 => ("policy", json!({})),
            7 => (
                "retry",
                json!({"attempts": 1 + dice.roll(3), "statuses": [500]}),
            ),
            _ => ("keep_alive", json!(dice.once_in(2))),
        };
        fields[name] = value;
    }
    fields
}

/// Up to three, each another.
fn targets(dice: &mut Dice, providers: &[Provider]) -> Value {
    let answering = providers.iter().filter(|provider| !decides(provider));
    let mut all: Vec<_> = answering
        .flat_map(|provider| {
            provider
                .models
                .iter()
                .map(|model| (&provider.name, &model.name))
        })
        .collect();
    let mut targets = Vec::new();
    while targets.len() < 3 && !all.is_empty() && (targets.is_empty() || !dice.once_in(3)) {
        let (provider, model) = all.swap_remove(dice.roll(all.len()));
        targets.push(json!({"provider": provider, "model": model}));
    }
    json!(targets)
}

fn decides(provider: &Provider) -> bool {
    provider.kind == app::api::provider::ProviderKind::Decision
}

fn key(name: &str, routes: &[&str]) -> KeyDraft {
    read(json!({"name": name, "routes": routes}))
}

/// What there is, with some fields set.
fn edited<T: DeserializeOwned>(there: &impl Serialize, fields: Value) -> T {
    let mut json = serde_json::to_value(there).unwrap();
    for (name, value) in fields.as_object().unwrap() {
        json[name] = value.clone();
    }
    read(json)
}

fn read<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("a draft")
}

/// The same numbers each time.
struct Dice(TestRunner);

impl Dice {
    /// Below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        (0..sides).new_tree(&mut self.0).unwrap().current()
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.roll(times) == 0
    }

    fn one_of<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        (!items.is_empty()).then(|| &items[self.roll(items.len())])
    }
}
