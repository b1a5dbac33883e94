//! Routes with their targets and fallbacks.

use chrono::{DateTime, Utc};
use routing::{PolicySettings, Retry};
use sqlx::types::Json;
use uuid::Uuid;

use super::change_log::Kind;
use super::columns::Small;
use super::dispatch::On;
use super::error::StoreError;
use super::families::{Of, by_parent};
use super::paging::Slice;
use super::{Change, View, is_text};

#[derive(Clone, Debug, PartialEq)]
pub struct RouteRecord {
    pub id: Uuid,
    pub revision: i64,
    pub name: String,
    pub description: String,
    pub enabled: bool,
    pub targets: Vec<TargetRecord>,
    pub fallbacks: Vec<FallbackRecord>,
    /// The decision provider is named by its id, as text.
    pub policy: PolicySettings,
    pub retry: Retry,
    pub keep_alive: bool,
    pub keep_bodies: bool,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

from_row!(
    RouteRecord: id, revision, name, description, enabled, policy as Json, retry as Json, keep_alive,
        keep_bodies, created_at, updated_at;
    with row { targets: Vec::new(), fallbacks: Vec::new() }
);

impl RouteRecord {
    /// The id of the decision provider, where one is chosen.
    pub fn decision_provider(&self) -> Option<Uuid> {
        let reference = self.policy.decision_service.provider.as_deref()?;
        Uuid::try_parse(reference).ok()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct TargetRecord {
    pub id: Uuid,
    pub provider_id: Uuid,
    pub model: String,
    pub weight: Option<u32>,
    pub enabled: bool,
}

from_row!(TargetRecord: id, provider_id, model, weight as Small, enabled);

#[derive(Clone, Debug, PartialEq)]
pub struct FallbackRecord {
    pub provider_id: Uuid,
    pub model: String,
}

from_row!(FallbackRecord: provider_id, model);

macro_rules! select_routes {
    ($rest:literal) => {
        concat!(
            "SELECT id, revision, name, description, enabled, policy, retry, keep_alive, \
             keep_bodies, created_at, updated_at FROM routes ",
            $rest
        )
    };
}

impl View {
    pub async fn route(&mut self, id: Uuid) -> Result<Option<RouteRecord>, StoreError> {
        let found = fetch_optional!(
            &mut self.transaction,
            RouteRecord,
            select_routes!("WHERE id = $1"),
            id,
        )?;
        let mut found: Vec<_> = found.into_iter().collect();
        self.complete_routes(&mut found).await?;
        Ok(found.pop())
    }

    pub async fn routes(&mut self, slice: &Slice) -> Result<Vec<RouteRecord>, StoreError> {
        let mut found = fetch_all!(
            &mut self.transaction,
            RouteRecord,
            select_routes!("WHERE (name, id) > ($1, $2) ORDER BY name LIMIT $3"),
            &slice.after.name,
            slice.after.id,
            i64::from(slice.limit),
        )?;
        self.complete_routes(&mut found).await?;
        Ok(found)
    }

    /// Id and name of the route of this name or, if there is none, of this id.
    pub async fn route_by_reference(
        &mut self,
        reference: &str,
    ) -> Result<Option<(Uuid, String)>, StoreError> {
        if !is_text(reference) {
            return Ok(None);
        }
        fetch_optional!(
            &mut self.transaction,
            (Uuid, String),
            "SELECT id, name FROM routes WHERE name = $1 OR id = $2 ORDER BY (name = $1) DESC LIMIT 1",
            reference,
            Uuid::try_parse(reference).ok(),
        )
    }

    /// Adds targets and fallbacks to the routes, which are in the order of their names: two queries,
    /// however many they are.
    async fn complete_routes(&mut self, routes: &mut [RouteRecord]) -> Result<(), StoreError> {
        let (Some(first), Some(last)) = (routes.first(), routes.last()) else {
            return Ok(());
        };
        let (first, last) = (&first.name, &last.name);
        let db = &mut self.transaction;
        let mut targets = by_parent(fetch_all!(
            &mut *db,
            Of<TargetRecord>,
            "SELECT t.route_id AS parent, t.id, t.provider_id, t.model, t.weight, t.enabled
               FROM targets t JOIN routes r ON r.id = t.route_id
              WHERE r.name >= $1 AND r.name <= $2 ORDER BY t.position",
            first,
            last,
        )?);
        let mut fallbacks = by_parent(fetch_all!(
            &mut *db,
            Of<FallbackRecord>,
            "SELECT f.route_id AS parent, f.provider_id, f.model
               FROM fallbacks f JOIN routes r ON r.id = f.route_id
              WHERE r.name >= $1 AND r.name <= $2 ORDER BY f.position",
            first,
            last,
        )?);
        for route in routes {
            route.targets = targets.remove(&route.id).unwrap_or_default();
            route.fallbacks = fallbacks.remove(&route.id).unwrap_or_default();
        }
        Ok(())
    }
}

impl Change {
    /// # Errors
    /// `Taken` when another route has the name, `InUse` when a provider or model it names is gone.
    pub async fn insert_route(&mut self, route: &RouteRecord) -> Result<(), StoreError> {
        self.touch(Kind::Route, route.id).await?;
        execute!(
            &mut self.transaction,
            "INSERT INTO routes (id, revision, name, description, enabled, policy, retry, keep_alive,
                                 keep_bodies, decision_provider_id, decision_model, created_at,
                                 updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
            route.id,
            route.revision,
            &route.name,
            &route.description,
            route.enabled,
            Json(&route.policy),
            Json(&route.retry),
            route.keep_alive,
            route.keep_bodies,
            route.decision_provider(),
            decision_model(route),
            route.created_at,
            route.updated_at,
        )
        .map_err(|error| error.or_taken(|| name_of(route)))?;
        self.insert_targets(route).await
    }

    /// Writes the route over the one of its id and of the revision before its own.
    ///
    /// # Errors
    /// `Stale` when the stored revision is another; otherwise like [`Change::insert_route`].
    pub async fn update_route(&mut self, route: &RouteRecord) -> Result<(), StoreError> {
        self.touch(Kind::Route, route.id).await?;
        let updated = execute!(
            &mut self.transaction,
            "UPDATE routes
                SET revision = $2, name = $3, description = $4, enabled = $5, policy = $6, retry = $7,
                    keep_alive = $8, keep_bodies = $9, decision_provider_id = $10, decision_model = $11,
                    updated_at = $12
              WHERE id = $1 AND revision = $2 - 1",
            route.id,
            route.revision,
            &route.name,
            &route.description,
            route.enabled,
            Json(&route.policy),
            Json(&route.retry),
            route.keep_alive,
            route.keep_bodies,
            route.decision_provider(),
            decision_model(route),
            route.updated_at,
        )
        .map_err(|error| error.or_taken(|| name_of(route)))?;
        if updated == 0 {
            return Err(StoreError::Stale);
        }
        let db = &mut self.transaction;
        execute!(
            &mut *db,
            "DELETE FROM targets WHERE route_id = $1",
            route.id
        )?;
        execute!(
            &mut *db,
            "DELETE FROM fallbacks WHERE route_id = $1",
            route.id
        )?;
        self.insert_targets(route).await
    }

    /// # Errors
    /// `NotFound`, or `InUse` by the keys that are limited to it.
    pub async fn delete_route(&mut self, id: Uuid) -> Result<(), StoreError> {
        self.touch(Kind::Route, id).await?;
        let keys = fetch_all!(
            &mut self.transaction,
            (String,),
            "SELECT k.name FROM api_keys k JOIN api_key_routes l ON l.key_id = k.id
              WHERE l.route_id = $1 ORDER BY k.name",
            id,
        )?;
        if !keys.is_empty() {
            let by = keys.into_iter().map(|(name,)| name).collect();
            return Err(StoreError::InUse { by });
        }
        match execute!(
            &mut self.transaction,
            "DELETE FROM routes WHERE id = $1",
            id
        )? {
            0 => Err(StoreError::NotFound),
            _ => Ok(()),
        }
    }

    async fn insert_targets(&mut self, route: &RouteRecord) -> Result<(), StoreError> {
        let db = &mut self.transaction;
        for (position, target) in (0_i64..).zip(&route.targets) {
            execute!(
                &mut *db,
                "INSERT INTO targets (id, route_id, position, provider_id, model, weight, enabled)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                target.id,
                route.id,
                position,
                target.provider_id,
                &target.model,
                target.weight.map(i64::from),
                target.enabled,
            )
            .map_err(|error| error.or_taken(|| format!("The target {}", target.model)))?;
        }
        for (position, fallback) in (0_i64..).zip(&route.fallbacks) {
            execute!(
                &mut *db,
                "INSERT INTO fallbacks (route_id, position, provider_id, model)
                 VALUES ($1, $2, $3, $4)",
                route.id,
                position,
                fallback.provider_id,
                &fallback.model,
            )
            .map_err(|error| error.or_taken(|| format!("The fallback {}", fallback.model)))?;
        }
        Ok(())
    }
}

/// The model that the foreign key holds: one of a chosen provider.
fn decision_model(route: &RouteRecord) -> Option<&str> {
    route.decision_provider()?;
    route.policy.decision_service.model.as_deref()
}

fn name_of(route: &RouteRecord) -> String {
    format!("The route name \"{}\"", route.name)
}
