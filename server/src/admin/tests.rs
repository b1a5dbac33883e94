//! The same tests on SQLite and Postgres.

mod failing;
mod keys;
mod pages;
mod provider_fields;
mod providers;
mod references;
mod route_fields;
mod routes;
mod secrets;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use app::api::key::KeyDraft;
use app::api::provider::{Provider, ProviderDraft};
use app::error::{ApiError, ErrorCode};
use async_trait::async_trait;
use routing::RouteDraft;
use serde_json::{Value, json};

use super::{Admin, Publish, Rules};
use crate::store::Store;
use crate::testing::TestDatabase;
use crate::vault::{SecretKey, Vault};

/// An `Admin` on a fresh database that counts how often it told the gateway.
struct Bench {
    admin: Admin,
    store: Store,
    vault: Vault,
    published: Arc<Counter>,
}

#[derive(Default)]
struct Counter(AtomicUsize);

#[async_trait]
impl Publish for Counter {
    async fn publish(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Bench {
    async fn new(database: &TestDatabase) -> Self {
        Self::on(Store::connect(database.url()).await.unwrap()).await
    }

    async fn on(store: Store) -> Self {
        let secret = SecretKey::parse(&"5a".repeat(32)).unwrap();
        let vault = Vault::open(&secret, &store).await.unwrap();
        let published = Arc::new(Counter::default());
        Self {
            admin: Admin::new(
                store.clone(),
                vault.clone(),
                published.clone(),
                Rules::default(),
            ),
            store,
            vault,
            published,
        }
    }

    fn published(&self) -> usize {
        self.published.0.load(Ordering::SeqCst)
    }

    /// A provider that lists `m1` and `m2`.
    async fn provider(&self, name: &str) -> Provider {
        self.admin.create_provider(provider(name)).await.unwrap()
    }

    async fn decision_service(&self, name: &str) -> Provider {
        let draft = changed(&provider(name), "/kind", json!("decision"));
        self.admin.create_provider(draft).await.unwrap()
    }
}

fn provider(name: &str) -> ProviderDraft {
    read(json!({
        "name": name,
        "kind": "openai",
        "instances": [{"url": "http://127.0.0.1:8000/v1"}],
        "models": [{"name": "m1"}, {"name": "m2", "category": "llm"}],
    }))
}

/// A route to `m1` of the provider.
fn route(name: &str, provider: &str) -> RouteDraft {
    read(json!({"name": name, "targets": [{"provider": provider, "model": "m1"}]}))
}

fn key(name: &str) -> KeyDraft {
    read(json!({"name": name}))
}

fn read<T: serde::de::DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("a draft")
}

/// The draft with the value at a JSON pointer set; the last step may be new.
fn changed<T, U>(draft: &T, pointer: &str, value: Value) -> U
where
    T: serde::Serialize,
    U: serde::de::DeserializeOwned,
{
    let mut json = serde_json::to_value(draft).unwrap();
    let (parent, last) = pointer.rsplit_once('/').unwrap();
    match json.pointer_mut(parent).expect(pointer) {
        Value::Object(members) => {
            members.insert(last.to_owned(), value);
        }
        Value::Array(items) => items[last.parse::<usize>().unwrap()] = value,
        other => panic!("{pointer}: {other}"),
    }
    read(json)
}

/// What a `PUT` of what `GET` gave would be.
fn put<T: serde::Serialize, U: serde::de::DeserializeOwned>(got: &T) -> U {
    read(serde_json::to_value(got).unwrap())
}

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, ApiError>, code: ErrorCode) -> ApiError {
    let error = outcome.expect_err("a refusal");
    assert_eq!(error.code, code, "{error:?}");
    assert!(error.message.ends_with('.'), "{error:?}");
    error
}

/// A 422 with exactly this field, whose sentence holds `part`.
#[track_caller]
fn refused_at<T: std::fmt::Debug>(outcome: Result<T, ApiError>, path: &str, part: &str) {
    let error = refused(outcome, ErrorCode::Invalid);
    let paths: Vec<_> = error.fields.keys().collect();
    assert_eq!(paths, [path], "{error:?}");
    let problem = &error.fields[path];
    assert!(problem.contains(part), "{path}: {problem}");
    assert!(problem.ends_with('.'), "{path}: {problem}");
}
