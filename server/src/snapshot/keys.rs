//! API keys, verified from memory.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use app::api::key::Scope;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::auth::api_key::PresentedKey;
use crate::store::KeyRecord;
use crate::vault::Vault;

/// All keys, by their public part.
#[derive(Debug, Default)]
pub struct Keys {
    by_public: HashMap<String, Arc<CompiledKey>>,
    vault: Option<Vault>,
}

#[derive(Debug)]
pub struct CompiledKey {
    pub id: Uuid,
    pub name: String,
    hash: blake3::Hash,
    scopes: Vec<Scope>,
    /// Routes it may use; `None` means all.
    routes: Option<HashSet<Uuid>>,
    expires_at: Option<DateTime<Utc>>,
}

/// Why a well-formed key is not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRefusal {
    Unknown,
    Expired,
}

impl Keys {
    pub(super) fn compile(records: Vec<KeyRecord>, vault: Vault) -> Self {
        let by_public = records
            .into_iter()
            .map(|record| {
                let key = CompiledKey {
                    id: record.id,
                    name: record.name,
                    hash: record.hash.into(),
                    scopes: record.scopes,
                    routes: (!record.routes.is_empty())
                        .then(|| record.routes.into_iter().collect()),
                    expires_at: record.expires_at,
                };
                (record.public, Arc::new(key))
            })
            .collect();
        Self {
            by_public,
            vault: Some(vault),
        }
    }

    /// One map look-up and one keyed hash, compared in constant time.
    pub fn verify(
        &self,
        presented: PresentedKey<'_>,
        now: DateTime<Utc>,
    ) -> Result<&Arc<CompiledKey>, KeyRefusal> {
        let key = self
            .by_public
            .get(presented.public)
            .ok_or(KeyRefusal::Unknown)?;
        let vault = self.vault.as_ref().ok_or(KeyRefusal::Unknown)?;
        if key.hash != blake3::Hash::from(vault.hash_api_key_secret(presented.secret)) {
            return Err(KeyRefusal::Unknown);
        }
        if key.expires_at.is_some_and(|end| end <= now) {
            return Err(KeyRefusal::Expired);
        }
        Ok(key)
    }
}

impl CompiledKey {
    pub fn has(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }

    pub fn may_use(&self, route: Uuid) -> bool {
        self.routes
            .as_ref()
            .is_none_or(|routes| routes.contains(&route))
    }
}
