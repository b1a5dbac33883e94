//! Providers with all that belongs to them.

mod changes;

use std::collections::{HashMap, HashSet};

use app::api::price::{Amount, Price};
use app::api::provider::{Category, HealthCheck, Model, ProviderKind, Timeouts};
use chrono::{DateTime, Utc};
use sqlx::types::Json;
use uuid::Uuid;

use super::columns::{Small, Word};
use super::dispatch::On;
use super::error::StoreError;
use super::families::{Of, by_parent};
use super::paging::Slice;
use super::{View, is_text};

#[derive(Clone, Debug, PartialEq)]
pub struct ProviderRecord {
    pub id: Uuid,
    pub revision: i64,
    pub name: String,
    pub kind: ProviderKind,
    pub enabled: bool,
    pub instances: Vec<InstanceRecord>,
    pub credentials: Vec<CredentialRecord>,
    pub credential_header: Option<String>,
    pub models: Vec<Model>,
    pub headers: Vec<HeaderRecord>,
    pub timeouts: Timeouts,
    pub speaks: Option<Vec<String>>,
    pub health_check: Option<HealthCheck>,
    pub include_usage: bool,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

from_row!(
    ProviderRecord: id, revision, name, kind as Word, enabled, credential_header, include_usage,
        created_at, updated_at;
    with row {
        timeouts: TimeoutsRow::from_row(row)?.try_into()?,
        speaks: row.try_get::<Option<Json<_>>, _>("speaks")?.and_then(|Json(speaks)| speaks),
        health_check: HealthCheckRow::from_row(row)?.into(),
        instances: Vec::new(),
        credentials: Vec::new(),
        models: Vec::new(),
        headers: Vec::new(),
    }
);

#[derive(Clone, Debug, PartialEq)]
pub struct InstanceRecord {
    pub id: Uuid,
    /// As it was typed; `BaseUrl::parse` gives the normal form.
    pub url: String,
    pub max_inflight: Option<u32>,
}

from_row!(InstanceRecord: id, url, max_inflight as Small);

/// A credential that only the vault can open, for the row of this id.
#[derive(Clone, Debug, PartialEq)]
pub struct CredentialRecord {
    pub id: Uuid,
    pub sealed: Vec<u8>,
    /// The secret's last four characters.
    pub hint: String,
}

from_row!(CredentialRecord: id, sealed, hint);

/// An extra header; its value is sealed like a credential.
#[derive(Clone, Debug, PartialEq)]
pub struct HeaderRecord {
    pub id: Uuid,
    pub name: String,
    pub sealed: Vec<u8>,
}

from_row!(HeaderRecord: id, name, sealed);

/// What a route may choose of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderChoice {
    pub id: Uuid,
    pub name: String,
    pub kind: ProviderKind,
    pub models: HashSet<String>,
}

from_row!(ProviderChoice: id, name, kind as Word; with row { models: HashSet::new() });

/// That a route uses a provider, and which of its models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderUse {
    pub route: String,
    /// None when the route has chosen the decision service but no model of it.
    pub model: Option<String>,
    /// As its decision service; else as a target or fallback.
    pub decides: bool,
}

from_row!(ProviderUse: route, model, decides);

struct TimeoutsRow {
    connect_ms: i64,
    first_byte_ms: i64,
    idle_ms: i64,
}

from_row!(TimeoutsRow: connect_ms, first_byte_ms, idle_ms);

impl TryFrom<TimeoutsRow> for Timeouts {
    type Error = sqlx::Error;

    fn try_from(row: TimeoutsRow) -> Result<Self, Self::Error> {
        let limit = |ms: i64| {
            u64::try_from(ms).map_err(|error| sqlx::Error::ColumnDecode {
                index: String::from("timeouts"),
                source: error.into(),
            })
        };
        Ok(Self {
            connect_ms: limit(row.connect_ms)?,
            first_byte_ms: limit(row.first_byte_ms)?,
            idle_ms: limit(row.idle_ms)?,
        })
    }
}

struct HealthCheckRow {
    health_path: Option<String>,
    health_interval_s: Option<u32>,
}

from_row!(HealthCheckRow: health_path, health_interval_s as Small);

impl From<HealthCheckRow> for Option<HealthCheck> {
    fn from(row: HealthCheckRow) -> Self {
        let (path, interval_s) = row.health_path.zip(row.health_interval_s)?;
        Some(HealthCheck { path, interval_s })
    }
}

struct ModelRow {
    name: String,
    category: Category,
    price_input: Option<i64>,
    price_output: Option<i64>,
    price_cached: Option<i64>,
}

from_row!(ModelRow: name, category as Word, price_input, price_output, price_cached);

impl From<ModelRow> for Model {
    fn from(row: ModelRow) -> Self {
        let amount = |millionths| Amount::new(u64::try_from(millionths).unwrap_or_default());
        let price = row.price_input.zip(row.price_output);
        Self {
            name: row.name,
            category: row.category,
            price: price.map(|(input, output)| Price {
                input: amount(input),
                output: amount(output),
                cached: row.price_cached.map(amount),
            }),
        }
    }
}

macro_rules! select_providers {
    ($rest:literal) => {
        concat!(
            "SELECT id, revision, name, kind, enabled, credential_header, connect_ms, \
             first_byte_ms, idle_ms, speaks, health_path, health_interval_s, include_usage, \
             created_at, updated_at \
             FROM providers ",
            $rest
        )
    };
}

impl View {
    pub async fn provider(&mut self, id: Uuid) -> Result<Option<ProviderRecord>, StoreError> {
        let found = fetch_optional!(
            &mut self.transaction,
            ProviderRecord,
            select_providers!("WHERE id = $1"),
            id,
        )?;
        let mut found: Vec<_> = found.into_iter().collect();
        self.complete_providers(&mut found).await?;
        Ok(found.pop())
    }

    /// What a route may choose of the provider of this name or, if there is none, of this id.
    pub async fn provider_choice(
        &mut self,
        reference: &str,
    ) -> Result<Option<ProviderChoice>, StoreError> {
        if !is_text(reference) {
            return Ok(None);
        }
        let db = &mut self.transaction;
        let found = fetch_optional!(
            &mut *db,
            ProviderChoice,
            "SELECT id, name, kind FROM providers
              WHERE name = $1 OR id = $2 ORDER BY (name = $1) DESC LIMIT 1",
            reference,
            Uuid::try_parse(reference).ok(),
        )?;
        let Some(mut choice) = found else {
            return Ok(None);
        };
        let models = fetch_all!(
            &mut *db,
            (String,),
            "SELECT name FROM models WHERE provider_id = $1",
            choice.id,
        )?;
        choice.models = models.into_iter().map(|(name,)| name).collect();
        Ok(Some(choice))
    }

    pub async fn providers(&mut self, slice: &Slice) -> Result<Vec<ProviderRecord>, StoreError> {
        let mut found = fetch_all!(
            &mut self.transaction,
            ProviderRecord,
            select_providers!("WHERE (name, id) > ($1, $2) ORDER BY name LIMIT $3"),
            &slice.after.name,
            slice.after.id,
            i64::from(slice.limit),
        )?;
        self.complete_providers(&mut found).await?;
        Ok(found)
    }

    pub async fn provider_names(&mut self) -> Result<HashMap<Uuid, String>, StoreError> {
        let rows = fetch_all!(
            &mut self.transaction,
            (Uuid, String),
            "SELECT id, name FROM providers",
        )?;
        Ok(rows.into_iter().collect())
    }

    /// Which routes use the provider, by name.
    pub async fn uses_of_provider(&mut self, id: Uuid) -> Result<Vec<ProviderUse>, StoreError> {
        fetch_all!(
            &mut self.transaction,
            ProviderUse,
            "SELECT r.name AS route, t.model AS model, FALSE AS decides
               FROM targets t JOIN routes r ON r.id = t.route_id WHERE t.provider_id = $1
             UNION SELECT r.name, f.model, FALSE
               FROM fallbacks f JOIN routes r ON r.id = f.route_id WHERE f.provider_id = $1
             UNION SELECT name, decision_model, TRUE
               FROM routes WHERE decision_provider_id = $1
             ORDER BY 1, 2",
            id,
        )
    }

    /// The names of the routes that use each provider.
    pub async fn users_of_providers(&mut self) -> Result<HashMap<Uuid, Vec<String>>, StoreError> {
        let rows = fetch_all!(
            &mut self.transaction,
            (Uuid, String),
            "SELECT t.provider_id, r.name FROM targets t JOIN routes r ON r.id = t.route_id
             UNION SELECT f.provider_id, r.name
               FROM fallbacks f JOIN routes r ON r.id = f.route_id
             UNION SELECT decision_provider_id, name
               FROM routes WHERE decision_provider_id IS NOT NULL
             ORDER BY 2",
        )?;
        let mut users: HashMap<Uuid, Vec<String>> = HashMap::new();
        for (provider, route) in rows {
            users.entry(provider).or_default().push(route);
        }
        Ok(users)
    }

    /// Adds what belongs to the providers, which are in the order of their names: four queries, however
    /// many they are.
    async fn complete_providers(
        &mut self,
        providers: &mut [ProviderRecord],
    ) -> Result<(), StoreError> {
        let (Some(first), Some(last)) = (providers.first(), providers.last()) else {
            return Ok(());
        };
        let (first, last) = (&first.name, &last.name);
        let db = &mut self.transaction;
        let mut instances = by_parent(fetch_all!(
            &mut *db,
            Of<InstanceRecord>,
            "SELECT i.provider_id AS parent, i.id, i.url, i.max_inflight
               FROM instances i JOIN providers p ON p.id = i.provider_id
              WHERE p.name >= $1 AND p.name <= $2 ORDER BY i.position",
            first,
            last,
        )?);
        let mut credentials = by_parent(fetch_all!(
            &mut *db,
            Of<CredentialRecord>,
            "SELECT c.provider_id AS parent, c.id, c.sealed, c.hint
               FROM credentials c JOIN providers p ON p.id = c.provider_id
              WHERE p.name >= $1 AND p.name <= $2 ORDER BY c.position",
            first,
            last,
        )?);
        let mut headers = by_parent(fetch_all!(
            &mut *db,
            Of<HeaderRecord>,
            "SELECT h.provider_id AS parent, h.id, h.name, h.sealed
               FROM provider_headers h JOIN providers p ON p.id = h.provider_id
              WHERE p.name >= $1 AND p.name <= $2 ORDER BY h.name",
            first,
            last,
        )?);
        let mut models = by_parent(fetch_all!(
            &mut *db,
            Of<ModelRow>,
            "SELECT m.provider_id AS parent, m.name, m.category, m.price_input, m.price_output,
                    m.price_cached
               FROM models m JOIN providers p ON p.id = m.provider_id
              WHERE p.name >= $1 AND p.name <= $2 ORDER BY m.position",
            first,
            last,
        )?);
        for provider in providers {
            let id = &provider.id;
            provider.instances = instances.remove(id).unwrap_or_default();
            provider.credentials = credentials.remove(id).unwrap_or_default();
            provider.headers = headers.remove(id).unwrap_or_default();
            let rows = models.remove(id).unwrap_or_default();
            provider.models = rows.into_iter().map(Model::from).collect();
        }
        Ok(())
    }
}
