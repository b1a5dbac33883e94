//! The database as the place where the owners of responses outlive the process.

use async_trait::async_trait;
use chrono::TimeDelta;
use tokio::runtime::Handle;

use crate::gateway::owners::{Archive, Owner};
use crate::store::{ResponseRecord, Store, now};

/// Upstreams keep responses no longer.
const KEPT_DAYS: i64 = 30;
const MOST_KEPT: u32 = 1_000_000;

#[derive(Debug)]
pub struct OwnerArchive {
    store: Store,
    /// Requests ask on their own lane; the database's connections belong to the common runtime.
    runtime: Handle,
}

impl OwnerArchive {
    pub fn new(store: Store) -> Self {
        Self {
            store,
            runtime: Handle::current(),
        }
    }
}

#[async_trait]
impl Archive for OwnerArchive {
    async fn note(&self, owners: &[(String, Owner)]) -> bool {
        let created_at = now();
        let records: Vec<ResponseRecord> = owners
            .iter()
            .map(|(id, owner)| ResponseRecord {
                id: id.clone(),
                key_id: owner.key,
                route_id: owner.route,
                provider_id: owner.provider,
                instance: owner.instance.to_string(),
                model: owner.model.to_string(),
                created_at,
            })
            .collect();
        let noted = self.store.note_responses(&records).await;
        noted
            .inspect_err(
                |error| tracing::warn!(%error, "where responses were made was not written down"),
            )
            .is_ok()
    }

    async fn find(&self, id: &str) -> Option<Owner> {
        let (store, id) = (self.store.clone(), id.to_owned());
        let found = self.runtime.spawn(async move { store.response(&id).await });
        let found = found
            .await
            .ok()?
            .inspect_err(
                |error| tracing::warn!(%error, "where a response was made could not be looked up"),
            )
            .ok()??;
        Some(Owner {
            key: found.key_id,
            route: found.route_id,
            provider: found.provider_id,
            instance: found.instance.into(),
            model: found.model.into(),
        })
    }

    async fn forget(&self, id: &str) {
        let (store, id) = (self.store.clone(), id.to_owned());
        let forgotten = self
            .runtime
            .spawn(async move { store.forget_response(&id).await });
        if let Ok(Err(error)) = forgotten.await {
            tracing::warn!(%error, "a deleted response was not forgotten");
        }
    }

    async fn prune(&self) {
        let oldest = now() - TimeDelta::days(KEPT_DAYS);
        if let Err(error) = self.store.prune_responses(MOST_KEPT, oldest).await {
            tracing::warn!(%error, "old responses were not forgotten");
        }
    }
}
