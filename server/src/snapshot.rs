//! What the gateway knows: providers, routes and keys as compiled from the database, swapped whole and
//! read without locks.
//!
//! Requests hold the snapshot they began with; a save makes a new one and the next request sees it.
//! What must outlive a snapshot (connection pools, counts of requests in flight, the rotations of
//! round-robin and Target Weight) is kept beside it, by identity.

mod keys;
mod providers;
mod routes;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use self::keys::LastUses;
pub use self::keys::{CompiledKey, KeyRefusal, Keys};
pub use self::providers::{CompiledInstance, CompiledProvider, compile_one};
use self::routes::Rotations;
pub use self::routes::{
    Choice, CompiledRoute, CompiledTarget, DecisionUse, NoFallback, Placement, Routes, Taken,
};
use crate::admin::Publish;
use crate::gateway::lasting::Lasting;
use crate::store::{Store, StoreError};
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
    pub routes: Routes,
    pub keys: Keys,
}

/// Why settings could not be compiled; those before them go on.
#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("An HTTP client could not be made: {0}")]
    Client(#[from] reqwest::Error),
}

/// Holds the present snapshot and makes the next.
#[derive(Debug)]
pub struct Snapshots {
    current: ArcSwap<Snapshot>,
    store: Store,
    vault: Vault,
    lasting: Arc<Lasting>,
    rotations: Mutex<Rotations>,
    last_uses: Mutex<LastUses>,
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
        let snapshots = Self {
            current: ArcSwap::default(),
            store,
            vault,
            lasting,
            rotations: Mutex::default(),
            last_uses: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        };
        snapshots.rebuild().await?;
        Ok(snapshots)
    }

    pub fn load(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Reads all settings and swaps the snapshot.
    pub async fn rebuild(&self) -> Result<(), RebuildError> {
        let _turn = self.turn.lock().await;
        let settings = self.store.load_settings().await?;
        let providers = providers::compile(settings.providers, &self.vault, &self.lasting)?;
        let routes = Routes::compile(
            settings.routes,
            &providers,
            &self.lasting.breakers,
            &mut lock(&self.rotations),
        );
        let mut providers: Vec<_> = providers.into_values().collect();
        providers.sort_by(|a, b| a.name.cmp(&b.name));
        let keys = Keys::compile(
            settings.keys,
            self.vault.clone(),
            &mut lock(&self.last_uses),
        );
        self.current.store(Arc::new(Snapshot {
            version: settings.version,
            providers,
            routes,
            keys,
        }));
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
            let uses = keys::take_uses(&lock(&self.last_uses));
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

/// What it guards stays usable whatever happened to a thread that held it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
