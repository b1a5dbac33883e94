//! API keys, verified from memory.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use app::api::key::Scope;
use chrono::{DateTime, Utc};
use foldhash::HashMap;
use uuid::Uuid;

use crate::auth::api_key::PresentedKey;
use crate::store::{KeyRecord, Renewal};
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
    /// In microseconds since 1970, and 0 for not since it was last written down, which happens in batches:
    /// no request waits for that. Outlives snapshots.
    last_use: Arc<AtomicI64>,
}

/// Why a well-formed key is not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRefusal {
    Unknown,
    Expired,
}

impl Keys {
    /// These with the outdated replaced.
    pub(super) fn updated(
        self: &Arc<Self>,
        Renewal { outdated, records }: Renewal<KeyRecord>,
        vault: &Vault,
    ) -> Arc<Self> {
        if outdated.is_empty() {
            return Arc::clone(self);
        }
        let kept = self
            .by_public
            .iter()
            .filter(|(_, key)| !outdated.contains(key.id))
            .map(|(public, key)| (public.clone(), Arc::clone(key)));
        let renewed = records.into_iter().map(|record| {
            let before = self.by_public.get(&record.public);
            let before = before.filter(|key| key.id == record.id);
            let key = CompiledKey {
                id: record.id,
                name: record.name,
                hash: record.hash.into(),
                scopes: record.scopes,
                routes: (!record.routes.is_empty()).then(|| record.routes.into_iter().collect()),
                expires_at: record.expires_at,
                last_use: before.map_or_else(Arc::default, |key| Arc::clone(&key.last_use)),
            };
            (record.public, Arc::new(key))
        });
        Arc::new(Self {
            by_public: kept.chain(renewed).collect(),
            vault: Some(vault.clone()),
        })
    }

    /// When keys were used since the last call, each at its latest.
    pub(super) fn take_uses(&self) -> Vec<(Uuid, DateTime<Utc>)> {
        let uses = self.iter().filter_map(|key| {
            let micros =
                Some(key.last_use.swap(0, Ordering::Relaxed)).filter(|micros| *micros != 0)?;
            Some((key.id, DateTime::from_timestamp_micros(micros)?))
        });
        uses.collect()
    }

    /// In no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<CompiledKey>> {
        self.by_public.values()
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
    /// One for inference on all routes that nobody can send, as it is not among the keys.
    pub fn built_in(id: Uuid, name: &str) -> Self {
        Self {
            id,
            name: name.to_owned(),
            hash: blake3::Hash::from([0; 32]),
            scopes: vec![Scope::Inference],
            routes: None,
            expires_at: None,
            last_use: Arc::default(),
        }
    }

    #[cfg(test)]
    pub fn for_tests() -> Self {
        Self::built_in(Uuid::nil(), "test")
    }

    /// Notes that the key was good for something just now.
    pub fn used(&self, now: DateTime<Utc>) {
        self.last_use
            .store(now.timestamp_micros(), Ordering::Relaxed);
    }

    pub fn has(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }

    pub fn may_use(&self, route: Uuid) -> bool {
        self.routes
            .as_ref()
            .is_none_or(|routes| routes.contains(&route))
    }
}
