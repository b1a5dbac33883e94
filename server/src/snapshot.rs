//! What the gateway knows: providers, routes and keys as compiled from the database, swapped whole and
//! read without locks.
//!
//! Requests hold the snapshot they began with; a save makes a new one and the next request sees it. The
//! new one shares with the old what the save has not touched, so that a save costs what it changes. What
//! must outlive both (connection pools, counts of requests in flight, the rotations of round-robin and
//! Target Weight) is handed on, by identity.

mod keys;
mod providers;
mod route_table;
mod routes;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

pub use self::keys::{CompiledKey, KeyRefusal, Keys};
pub use self::providers::{CompiledInstance, CompiledProvider, compile_one};
pub use self::route_table::Routes;
pub use self::routes::{
    Choice, CompiledRoute, CompiledTarget, DecisionUse, NoFallback, Placement, Taken,
};
use crate::admin::Publish;
use crate::gateway::lasting::Lasting;
use crate::store::{Store, StoreError, Update};
use crate::vault::Vault;

/// How often another process's saves are looked for.
const LOOK: Duration = Duration::from_millis(500);

/// How often last uses of keys are written down.
const NOTE: Duration = Duration::from_secs(5);

/// One consistent state of all settings.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// The settings' version in the database that this was compiled from.
    pub version: i64,
    /// By name.
    pub providers: Vec<Arc<CompiledProvider>>,
    pub routes: Arc<Routes>,
    pub keys: Arc<Keys>,
}

/// Why settings could not be compiled; those before them go on.
#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("An HTTP client could not be made: {0}")]
    Client(#[from] reqwest::Error),
}

impl Snapshot {
    /// This one brought up to a later version.
    fn updated(
        &self,
        update: Update,
        vault: &Vault,
        lasting: &Lasting,
    ) -> Result<Self, reqwest::Error> {
        let renewed = update.providers.outdated.clone();
        let providers = providers::updated(&self.providers, update.providers, vault, lasting)?;
        let routes = self
            .routes
            .updated(update.routes, &providers, &renewed, &lasting.breakers);
        Ok(Self {
            version: update.version,
            providers,
            routes,
            keys: self.keys.updated(update.keys, vault),
        })
    }
}

/// Holds the present snapshot and makes the next.
#[derive(Debug)]
pub struct Snapshots {
    current: ArcSwap<Snapshot>,
    store: Store,
    vault: Vault,
    lasting: Arc<Lasting>,
    // Rebuilds take turns, so that an older state never replaces a newer one.
    turn: tokio::sync::Mutex<()>,
}

impl Snapshots {
    /// Compiles the first snapshot.
    pub async fn open(
        store: Store,
        vault: Vault,
        lasting: Arc<Lasting>,
    ) -> Result<Self, RebuildError> {
        let settings = store.load_settings().await?;
        let first = Snapshot::default().updated(settings.into(), &vault, &lasting)?;
        Ok(Self {
            current: ArcSwap::from_pointee(first),
            store,
            vault,
            lasting,
            turn: tokio::sync::Mutex::default(),
        })
    }

    pub fn load(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Reads what has changed and swaps the snapshot.
    async fn rebuild(&self) -> Result<(), RebuildError> {
        let _turn = self.turn.lock().await;
        let before = self.load();
        let update = self.store.settings_since(before.version).await?;
        let after = before.updated(update, &self.vault, &self.lasting)?;
        self.current.store(Arc::new(after));
        Ok(())
    }

    /// Notices within a second what other processes on the same database have saved.
    pub async fn follow(&self, stop: CancellationToken) {
        let mut reachable = true;
        while stop
            .run_until_cancelled(tokio::time::sleep(LOOK))
            .await
            .is_some()
        {
            let result = match self.store.settings_version().await {
                Ok(version) if version == self.load().version => Ok(()),
                Ok(_) => self.rebuild().await,
                Err(error) => Err(error.into()),
            };
            match result {
                Ok(()) if !reachable => {
                    reachable = true;
                    tracing::info!("the database can be read again");
                }
                Ok(()) => {}
                // Said once, not twice a second; requests go on with what is known.
                Err(error) if reachable => {
                    reachable = false;
                    tracing::error!(%error, "the database cannot be read; routes go on as they are");
                }
                Err(_) => {}
            }
        }
    }
}

impl Snapshots {
    /// Writes down when keys were used, every few seconds and once more at the stop.
    pub async fn note_key_uses(&self, stop: CancellationToken) {
        loop {
            let goes_on = stop
                .run_until_cancelled(tokio::time::sleep(NOTE))
                .await
                .is_some();
            let uses = self.load().keys.take_uses();
            if !uses.is_empty()
                && let Err(error) = self.store.note_key_uses(&uses).await
            {
                tracing::warn!(%error, "the last uses of keys were not written down");
            }
            if !goes_on {
                return;
            }
        }
    }
}

#[async_trait]
impl Publish for Snapshots {
    async fn publish(&self) {
        // What was saved is saved: should reading it back fail now, `follow` tries again.
        if let Err(error) = self.rebuild().await {
            tracing::error!(%error, "saved settings could not be read back yet");
        }
    }
}
