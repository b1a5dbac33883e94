//! API keys: a public part to find them by, and the hash of the secret part.

use std::collections::HashMap;

use app::api::key::Scope;
use chrono::{DateTime, Utc};
use sqlx::types::Json;
use uuid::Uuid;

use super::change_log::Kind;
use super::columns::Hash;
use super::dispatch::On;
use super::error::StoreError;
use super::families::{Of, by_parent};
use super::paging::Slice;
use super::{Change, Store, View};

#[derive(Clone, Debug, PartialEq)]
pub struct KeyRecord {
    pub id: Uuid,
    pub name: String,
    /// The eight characters between `sb_` and the secret.
    pub public: String,
    /// The vault's hash of the secret.
    pub hash: [u8; 32],
    pub scopes: Vec<Scope>,
    /// The routes it is limited to; none means all.
    pub routes: Vec<Uuid>,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub last_used_at: Option<DateTime<Utc>>,
}

from_row!(
    KeyRecord: id, name, public, hash as Hash, scopes as Json, created_at, expires_at, last_used_at;
    with row { routes: Vec::new() }
);

struct Limit {
    route_id: Uuid,
}

from_row!(Limit: route_id);

macro_rules! select_keys {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, public, hash, scopes, created_at, expires_at, last_used_at \
             FROM api_keys ",
            $rest
        )
    };
}

impl View {
    pub async fn key(&mut self, id: Uuid) -> Result<Option<KeyRecord>, StoreError> {
        let found = fetch_optional!(
            &mut self.transaction,
            KeyRecord,
            select_keys!("WHERE id = $1"),
            id,
        )?;
        let mut found: Vec<_> = found.into_iter().collect();
        self.complete_keys(&mut found).await?;
        Ok(found.pop())
    }

    pub async fn keys(&mut self, slice: &Slice) -> Result<Vec<KeyRecord>, StoreError> {
        let mut found = fetch_all!(
            &mut self.transaction,
            KeyRecord,
            select_keys!("WHERE (name, id) > ($1, $2) ORDER BY name, id LIMIT $3"),
            &slice.after.name,
            slice.after.id,
            i64::from(slice.limit),
        )?;
        self.complete_keys(&mut found).await?;
        Ok(found)
    }

    /// Adds their limits to the keys, which are in the order of their names: one query, however many
    /// they are.
    async fn complete_keys(&mut self, keys: &mut [KeyRecord]) -> Result<(), StoreError> {
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else {
            return Ok(());
        };
        let mut limits = by_parent(fetch_all!(
            &mut self.transaction,
            Of<Limit>,
            "SELECT l.key_id AS parent, l.route_id
               FROM api_key_routes l
               JOIN api_keys k ON k.id = l.key_id
               JOIN routes r ON r.id = l.route_id
              WHERE (k.name, k.id) >= ($1, $2) AND (k.name, k.id) <= ($3, $4) ORDER BY r.name",
            &first.name,
            first.id,
            &last.name,
            last.id,
        )?);
        for key in keys {
            let rows = limits.remove(&key.id).unwrap_or_default();
            key.routes = rows.into_iter().map(|limit| limit.route_id).collect();
        }
        Ok(())
    }

    /// The names of all routes that some key is limited to.
    pub async fn names_of_limits(&mut self) -> Result<HashMap<Uuid, String>, StoreError> {
        let rows = fetch_all!(
            &mut self.transaction,
            (Uuid, String),
            "SELECT id, name FROM routes WHERE id IN (SELECT route_id FROM api_key_routes)",
        )?;
        Ok(rows.into_iter().collect())
    }
}

impl Change {
    /// # Errors
    /// `Taken` when the public part is another key's, `InUse` when one of its routes is gone.
    pub async fn insert_key(&mut self, key: &KeyRecord) -> Result<(), StoreError> {
        self.touch(Kind::Key, key.id).await?;
        let db = &mut self.transaction;
        execute!(
            &mut *db,
            "INSERT INTO api_keys (id, name, public, hash, scopes, created_at, expires_at, last_used_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            key.id,
            &key.name,
            &key.public,
            &key.hash[..],
            Json(&key.scopes),
            key.created_at,
            key.expires_at,
            key.last_used_at,
        )
        .map_err(|error| error.or_taken(|| String::from("The public part of the new key")))?;
        for route in &key.routes {
            execute!(
                &mut *db,
                "INSERT INTO api_key_routes (key_id, route_id) VALUES ($1, $2)",
                key.id,
                route,
            )?;
        }
        Ok(())
    }

    /// # Errors
    /// `NotFound`.
    pub async fn delete_key(&mut self, id: Uuid) -> Result<(), StoreError> {
        self.touch(Kind::Key, id).await?;
        match execute!(
            &mut self.transaction,
            "DELETE FROM api_keys WHERE id = $1",
            id
        )? {
            0 => Err(StoreError::NotFound),
            _ => Ok(()),
        }
    }
}

impl Store {
    /// Notes when keys were last used. No change that a gateway must see, so the version stays.
    pub async fn note_key_uses(&self, uses: &[(Uuid, DateTime<Utc>)]) -> Result<(), StoreError> {
        let mut db = self.connection().await?;
        for (id, at) in uses {
            execute!(
                &mut db,
                "UPDATE api_keys SET last_used_at = $2
                  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)",
                id,
                at,
            )?;
        }
        Ok(())
    }
}
