//! API keys, verified from memory.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use app::api::key::Scope;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::auth::api_key::PresentedKey;
use crate::store::KeyRecord;
use crate::vault::Vault;

/// When each key was last used, in microseconds since 1970 and 0 for not since it was last written
/// down. Outlives snapshots, and is written down in batches: no request waits for that.
pub(super) type LastUses = HashMap<Uuid, Arc<AtomicI64>>;

/// The uses since the last call, each key's latest.
pub(super) fn take_uses(last_uses: &LastUses) -> Vec<(Uuid, DateTime<Utc>)> {
    last_uses
        .iter()
        .filter_map(|(id, at)| match at.swap(0, Ordering::Relaxed) {
            0 => None,
            micros => Some((*id, DateTime::from_timestamp_micros(micros)?)),
        })
        .collect()
}

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
    last_use: Arc<AtomicI64>,
}

/// Why a well-formed key is not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRefusal {
    Unknown,
    Expired,
}

impl Keys {
    pub(super) fn compile(records: Vec<KeyRecord>, vault: Vault, last_uses: &mut LastUses) -> Self {
        let mut kept = LastUses::with_capacity(records.len());
        let by_public: HashMap<_, _> = records
            .into_iter()
            .map(|record| {
                let last_use = last_uses.remove(&record.id).unwrap_or_default();
                kept.insert(record.id, Arc::clone(&last_use));
                let key = CompiledKey {
                    id: record.id,
                    name: record.name,
                    hash: record.hash.into(),
                    scopes: record.scopes,
                    routes: (!record.routes.is_empty())
                        .then(|| record.routes.into_iter().collect()),
                    expires_at: record.expires_at,
                    last_use,
                };
                (record.public, Arc::new(key))
            })
            .collect();
        *last_uses = kept;
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
