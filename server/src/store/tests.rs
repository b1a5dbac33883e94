//! The same tests on SQLite and Postgres.

mod accounts;
mod failing;
mod opening;
mod records;
mod requests;
mod responses;
mod settings;

use app::api::key::Scope;
use app::api::price::{Amount, Price};
use app::api::provider::{Category, HealthCheck, Model, ProviderKind, Timeouts};
use routing::{PolicySettings, Retry};
use uuid::Uuid;

use super::*;
use crate::testing::TestDatabase;

async fn open(database: &TestDatabase) -> Store {
    Store::connect(database.url()).await.expect("the store")
}

/// A provider with one of everything and models `small` and `large`.
fn provider(name: &str) -> ProviderRecord {
    let now = now();
    ProviderRecord {
        id: Uuid::now_v7(),
        revision: 1,
        name: name.to_owned(),
        kind: ProviderKind::Openai,
        enabled: true,
        instances: vec![
            instance("http://b:8000/v1", Some(4)),
            instance("http://a:8000/v1", None),
        ],
        credentials: vec![CredentialRecord {
            id: Uuid::now_v7(),
            sealed: vec![1, 2, 3],
            hint: "wxyz".to_owned(),
        }],
        credential_header: Some("api-key".to_owned()),
        models: vec![model("small"), model("large")],
        headers: vec![HeaderRecord {
            id: Uuid::now_v7(),
            name: "x-team".to_owned(),
            sealed: vec![4, 5, 6],
        }],
        timeouts: Timeouts::default(),
        speaks: Some(vec!["chat".to_owned(), "embeddings".to_owned()]),
        health_check: Some(HealthCheck {
            path: "/health?deep=1".to_owned(),
            interval_s: 3_600,
        }),
        include_usage: true,
        created_at: now,
        updated_at: now,
    }
}

fn instance(url: &str, max_inflight: Option<u32>) -> InstanceRecord {
    InstanceRecord {
        id: Uuid::now_v7(),
        url: url.to_owned(),
        max_inflight,
    }
}

fn model(name: &str) -> Model {
    Model {
        name: name.to_owned(),
        category: Category::SpeechToText,
        price: (name == "small").then_some(Price {
            input: Amount::new(150_000),
            output: Amount::new(600_000),
            cached: Some(Amount::new(1)),
        }),
    }
}

/// A route to the provider's first model, with its last as fallback.
fn route(name: &str, provider: &ProviderRecord) -> RouteRecord {
    let now = now();
    RouteRecord {
        id: Uuid::now_v7(),
        revision: 1,
        name: name.to_owned(),
        description: "für alle".to_owned(),
        enabled: true,
        targets: vec![target(provider, "small")],
        fallbacks: vec![FallbackRecord {
            provider_id: provider.id,
            model: "large".to_owned(),
        }],
        policy: PolicySettings::default(),
        retry: retry(10, &[401, 500]),
        keep_alive: false,
        keep_bodies: true,
        created_at: now,
        updated_at: now,
    }
}

/// As it is stored, for only a checked route makes one.
fn retry(attempts: u32, statuses: &[u16]) -> Retry {
    let json = serde_json::json!({"attempts": attempts, "statuses": statuses});
    serde_json::from_value(json).expect("a retry")
}

fn target(provider: &ProviderRecord, model: &str) -> TargetRecord {
    TargetRecord {
        id: Uuid::now_v7(),
        provider_id: provider.id,
        model: model.to_owned(),
        weight: Some(1_000_000),
        enabled: false,
    }
}

fn key(name: &str, routes: &[&RouteRecord]) -> KeyRecord {
    let id = Uuid::now_v7();
    KeyRecord {
        id,
        name: name.to_owned(),
        public: id.simple().to_string()[24..].to_owned(),
        hash: [7; 32],
        scopes: vec![Scope::Inference, Scope::Management],
        routes: routes.iter().map(|route| route.id).collect(),
        created_at: now(),
        expires_at: Some(now() + chrono::TimeDelta::days(1)),
        last_used_at: None,
    }
}

/// Saves what it is given, as one change.
async fn save(
    store: &Store,
    providers: &[&ProviderRecord],
    routes: &[&RouteRecord],
    keys: &[&KeyRecord],
) -> Result<(), StoreError> {
    let mut change = store.change().await?;
    for provider in providers {
        change.insert_provider(provider).await?;
    }
    for route in routes {
        change.insert_route(route).await?;
    }
    for key in keys {
        change.insert_key(key).await?;
    }
    change.commit().await
}

/// A store on one SQLite connection with a pragma, to make it fail on purpose.
pub(crate) async fn hampered(
    database: &TestDatabase,
    pragma: &'static str,
    value: &'static str,
) -> Store {
    let options: sqlx::sqlite::SqliteConnectOptions = database.url().parse().expect("a URL");
    let pool = connect::sqlite_pool(1)
        .connect_with(options.pragma(pragma, value))
        .await
        .expect("a pool");
    Store {
        database: On::Sqlite(pool),
    }
}
