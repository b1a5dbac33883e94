//! Providers with all that belongs to them.

use std::collections::{HashMap, HashSet};

use app::api::provider::{Category, Model, ProviderKind, Timeouts};
use chrono::{DateTime, Utc};
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

use super::columns::{Small, Word};
use super::dispatch::On;
use super::error::StoreError;
use super::paging::Slice;
use super::{Change, View, is_text};

#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct ProviderRecord {
    pub id: Uuid,
    pub revision: i64,
    pub name: String,
    #[sqlx(try_from = "Word<ProviderKind>")]
    pub kind: ProviderKind,
    pub enabled: bool,
    #[sqlx(skip)]
    pub instances: Vec<InstanceRecord>,
    #[sqlx(skip)]
    pub credentials: Vec<CredentialRecord>,
    pub credential_header: Option<String>,
    #[sqlx(skip)]
    pub models: Vec<Model>,
    #[sqlx(skip)]
    pub headers: Vec<HeaderRecord>,
    #[sqlx(flatten, try_from = "TimeoutsRow")]
    pub timeouts: Timeouts,
    #[sqlx(json(nullable))]
    pub speaks: Option<Vec<String>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct InstanceRecord {
    pub id: Uuid,
    /// As it was typed; `BaseUrl::parse` gives the normal form.
    pub url: String,
    #[sqlx(try_from = "Small")]
    pub max_inflight: Option<u32>,
}

/// A credential that only the vault can open, for the row of this id.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct CredentialRecord {
    pub id: Uuid,
    pub sealed: Vec<u8>,
    /// The secret's last four characters.
    pub hint: String,
}

/// An extra header; its value is sealed like a credential.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct HeaderRecord {
    pub id: Uuid,
    pub name: String,
    pub sealed: Vec<u8>,
}

/// What a route may choose of a provider.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ProviderChoice {
    pub id: Uuid,
    pub name: String,
    #[sqlx(try_from = "Word<ProviderKind>")]
    pub kind: ProviderKind,
    #[sqlx(skip)]
    pub models: HashSet<String>,
}

/// That a route uses a provider, and which of its models.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ProviderUse {
    pub route: String,
    /// None when the route has chosen the decision service but no model of it.
    pub model: Option<String>,
    /// As its decision service; else as a target or fallback.
    pub decides: bool,
}

#[derive(FromRow)]
struct TimeoutsRow {
    connect_ms: i64,
    first_byte_ms: i64,
    idle_ms: i64,
}

impl TryFrom<TimeoutsRow> for Timeouts {
    type Error = std::num::TryFromIntError;

    fn try_from(row: TimeoutsRow) -> Result<Self, Self::Error> {
        Ok(Self {
            connect_ms: row.connect_ms.try_into()?,
            first_byte_ms: row.first_byte_ms.try_into()?,
            idle_ms: row.idle_ms.try_into()?,
        })
    }
}

#[derive(FromRow)]
struct ModelRow {
    name: String,
    #[sqlx(try_from = "Word<Category>")]
    category: Category,
}

impl From<ModelRow> for Model {
    fn from(row: ModelRow) -> Self {
        Self {
            name: row.name,
            category: row.category,
        }
    }
}

/// A row with the row it belongs to.
#[derive(FromRow)]
pub(super) struct Of<T> {
    pub(super) parent: Uuid,
    #[sqlx(flatten)]
    pub(super) child: T,
}

/// Gathers rows by what they belong to, in the order they came in.
pub(super) fn by_parent<T>(rows: Vec<Of<T>>) -> HashMap<Uuid, Vec<T>> {
    let mut families: HashMap<Uuid, Vec<T>> = HashMap::new();
    for row in rows {
        families.entry(row.parent).or_default().push(row.child);
    }
    families
}

macro_rules! select_providers {
    ($rest:literal) => {
        concat!(
            "SELECT id, revision, name, kind, enabled, credential_header, connect_ms, \
             first_byte_ms, idle_ms, speaks, created_at, updated_at FROM providers ",
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
            "SELECT m.provider_id AS parent, m.name, m.category
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

impl Change {
    /// # Errors
    /// `Taken` when another provider has the name.
    pub async fn insert_provider(&mut self, provider: &ProviderRecord) -> Result<(), StoreError> {
        execute!(
            &mut self.transaction,
            "INSERT INTO providers (id, revision, name, kind, enabled, credential_header, connect_ms,
                                    first_byte_ms, idle_ms, speaks, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            provider.id,
            provider.revision,
            &provider.name,
            Word(provider.kind),
            provider.enabled,
            &provider.credential_header,
            wide(provider.timeouts.connect_ms),
            wide(provider.timeouts.first_byte_ms),
            wide(provider.timeouts.idle_ms),
            provider.speaks.as_ref().map(Json),
            provider.created_at,
            provider.updated_at,
        )
        .map_err(|error| error.or_taken(|| name_of(provider)))?;
        self.insert_belongings(provider).await
    }

    /// Writes the provider over the one of its id and of the revision before its own.
    ///
    /// # Errors
    /// `Stale` when the stored revision is another, `Taken` when another provider has the name, `InUse`
    /// when a route uses a model that is gone.
    pub async fn update_provider(&mut self, provider: &ProviderRecord) -> Result<(), StoreError> {
        let updated = execute!(
            &mut self.transaction,
            "UPDATE providers
                SET revision = $2, name = $3, kind = $4, enabled = $5, credential_header = $6,
                    connect_ms = $7, first_byte_ms = $8, idle_ms = $9, speaks = $10, updated_at = $11
              WHERE id = $1 AND revision = $2 - 1",
            provider.id,
            provider.revision,
            &provider.name,
            Word(provider.kind),
            provider.enabled,
            &provider.credential_header,
            wide(provider.timeouts.connect_ms),
            wide(provider.timeouts.first_byte_ms),
            wide(provider.timeouts.idle_ms),
            provider.speaks.as_ref().map(Json),
            provider.updated_at,
        )
        .map_err(|error| error.or_taken(|| name_of(provider)))?;
        if updated == 0 {
            return Err(StoreError::Stale);
        }
        let db = &mut self.transaction;
        execute!(
            &mut *db,
            "DELETE FROM instances WHERE provider_id = $1",
            provider.id
        )?;
        execute!(
            &mut *db,
            "DELETE FROM credentials WHERE provider_id = $1",
            provider.id
        )?;
        execute!(
            &mut *db,
            "DELETE FROM provider_headers WHERE provider_id = $1",
            provider.id
        )?;
        self.delete_models_not_in(provider).await?;
        self.insert_belongings(provider).await
    }

    /// # Errors
    /// `NotFound`, or `InUse` by the routes that use it.
    pub async fn delete_provider(&mut self, id: Uuid) -> Result<(), StoreError> {
        let mut by: Vec<String> = self
            .uses_of_provider(id)
            .await?
            .into_iter()
            .map(|usage| usage.route)
            .collect();
        by.dedup();
        if !by.is_empty() {
            return Err(StoreError::InUse { by });
        }
        match execute!(
            &mut self.transaction,
            "DELETE FROM providers WHERE id = $1",
            id
        )? {
            0 => Err(StoreError::NotFound),
            _ => Ok(()),
        }
    }

    /// Targets hold on to their models by foreign key, so only what is gone is deleted.
    async fn delete_models_not_in(&mut self, provider: &ProviderRecord) -> Result<(), StoreError> {
        let db = &mut self.transaction;
        let stored = fetch_all!(
            &mut *db,
            (String,),
            "SELECT name FROM models WHERE provider_id = $1",
            provider.id,
        )?;
        let kept: HashSet<&str> = provider.models.iter().map(|model| &*model.name).collect();
        for (gone,) in stored.iter().filter(|(name,)| !kept.contains(&**name)) {
            execute!(
                &mut *db,
                "DELETE FROM models WHERE provider_id = $1 AND name = $2",
                provider.id,
                gone,
            )?;
        }
        Ok(())
    }

    async fn insert_belongings(&mut self, provider: &ProviderRecord) -> Result<(), StoreError> {
        let db = &mut self.transaction;
        for (position, instance) in (0_i64..).zip(&provider.instances) {
            execute!(
                &mut *db,
                "INSERT INTO instances (id, provider_id, position, url, max_inflight)
                 VALUES ($1, $2, $3, $4, $5)",
                instance.id,
                provider.id,
                position,
                &instance.url,
                instance.max_inflight.map(i64::from),
            )
            .map_err(|error| error.or_taken(|| format!("The instance {}", instance.url)))?;
        }
        for (position, credential) in (0_i64..).zip(&provider.credentials) {
            execute!(
                &mut *db,
                "INSERT INTO credentials (id, provider_id, position, sealed, hint)
                 VALUES ($1, $2, $3, $4, $5)",
                credential.id,
                provider.id,
                position,
                &credential.sealed,
                &credential.hint,
            )?;
        }
        for header in &provider.headers {
            execute!(
                &mut *db,
                "INSERT INTO provider_headers (id, provider_id, name, sealed)
                 VALUES ($1, $2, $3, $4)",
                header.id,
                provider.id,
                &header.name,
                &header.sealed,
            )?;
        }
        for (position, model) in (0_i64..).zip(&provider.models) {
            execute!(
                &mut *db,
                "INSERT INTO models (provider_id, name, position, category) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (provider_id, name)
                 DO UPDATE SET position = excluded.position, category = excluded.category",
                provider.id,
                &model.name,
                position,
                Word(model.category),
            )?;
        }
        Ok(())
    }
}

fn name_of(provider: &ProviderRecord) -> String {
    format!("The provider name \"{}\"", provider.name)
}

/// Milliseconds as both databases keep them; `admin` allows no more than a day.
fn wide(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}
