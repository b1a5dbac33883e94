//! Writing providers.

use std::collections::HashSet;

use sqlx::types::Json;
use uuid::Uuid;

use super::ProviderRecord;
use crate::store::Change;
use crate::store::change_log::Kind;
use crate::store::columns::Word;
use crate::store::dispatch::On;
use crate::store::error::StoreError;

impl Change {
    /// # Errors
    /// `Taken` when another provider has the name.
    pub async fn insert_provider(&mut self, provider: &ProviderRecord) -> Result<(), StoreError> {
        self.touch(Kind::Provider, provider.id).await?;
        execute!(
            &mut self.transaction,
            "INSERT INTO providers (id, revision, name, kind, enabled, credential_header, connect_ms,
                                    first_byte_ms, idle_ms, speaks, health_path, health_interval_s,
                                    include_usage, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
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
            health_path(provider),
            health_interval_s(provider),
            provider.include_usage,
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
        self.touch(Kind::Provider, provider.id).await?;
        let updated = execute!(
            &mut self.transaction,
            "UPDATE providers
                SET revision = $2, name = $3, kind = $4, enabled = $5, credential_header = $6,
                    connect_ms = $7, first_byte_ms = $8, idle_ms = $9, speaks = $10,
                    health_path = $11, health_interval_s = $12, include_usage = $13,
                    updated_at = $14
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
            health_path(provider),
            health_interval_s(provider),
            provider.include_usage,
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
        self.touch(Kind::Provider, id).await?;
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
                "INSERT INTO models (provider_id, name, position, category, price_input, price_output,
                                     price_cached)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)
                 ON CONFLICT (provider_id, name)
                 DO UPDATE SET position = excluded.position, category = excluded.category,
                               price_input = excluded.price_input,
                               price_output = excluded.price_output,
                               price_cached = excluded.price_cached",
                provider.id,
                &model.name,
                position,
                Word(model.category),
                model.price.map(|price| wide(price.input.millionths)),
                model.price.map(|price| wide(price.output.millionths)),
                model.price.and_then(|price| price.cached).map(|cached| wide(cached.millionths)),
            )?;
        }
        Ok(())
    }
}

fn name_of(provider: &ProviderRecord) -> String {
    format!("The provider name \"{}\"", provider.name)
}

fn health_path(provider: &ProviderRecord) -> Option<&str> {
    let check = provider.health_check.as_ref()?;
    Some(&check.path)
}

fn health_interval_s(provider: &ProviderRecord) -> Option<i64> {
    let check = provider.health_check.as_ref()?;
    Some(check.interval_s.into())
}

/// A number as both databases keep it; `admin` allows none that is too large for that.
fn wide(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}
