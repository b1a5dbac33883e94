//! What the gateway works from, all of it at one moment, and single values by key.

use super::dispatch::On;
use super::error::StoreError;
use super::paging::Slice;
use super::{KeyRecord, ProviderRecord, RouteRecord, Store, Transaction, View};

/// All that routes requests, as it was at one moment. Each list is in the order of names.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub version: i64,
    pub providers: Vec<ProviderRecord>,
    pub routes: Vec<RouteRecord>,
    pub keys: Vec<KeyRecord>,
}

/// Takes the one row that all changes take first, and counts this change.
pub(super) async fn bump(transaction: &mut Transaction) -> Result<(), StoreError> {
    execute!(
        transaction,
        "UPDATE settings_version SET version = version + 1"
    )
    .map(drop)
}

impl View {
    async fn settings_version(&mut self) -> Result<i64, StoreError> {
        let row = fetch_optional!(
            &mut self.transaction,
            (i64,),
            "SELECT version FROM settings_version",
        )?;
        row.map(|(version,)| version).ok_or(StoreError::NotFound)
    }
}

impl Store {
    /// A number that grows with every change a gateway must see, from whichever process.
    pub async fn settings_version(&self) -> Result<i64, StoreError> {
        let mut db = self.connection().await?;
        let row = fetch_optional!(&mut db, (i64,), "SELECT version FROM settings_version")?;
        row.map(|(version,)| version).ok_or(StoreError::NotFound)
    }

    /// Reads everything in a constant number of queries.
    pub async fn load_settings(&self) -> Result<Settings, StoreError> {
        let mut view = self.view().await?;
        let everything = Slice::all();
        Ok(Settings {
            version: view.settings_version().await?,
            providers: view.providers(&everything).await?,
            routes: view.routes(&everything).await?,
            keys: view.keys(&everything).await?,
        })
    }

    pub async fn setting(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let mut db = self.connection().await?;
        let row = fetch_optional!(
            &mut db,
            (Vec<u8>,),
            "SELECT value FROM settings WHERE key = $1",
            key,
        )?;
        Ok(row.map(|(value,)| value))
    }

    /// Keeps the value unless there is one already; answers the one that is kept.
    pub async fn put_setting_if_absent(
        &self,
        key: &str,
        value: &[u8],
    ) -> Result<Vec<u8>, StoreError> {
        let mut db = self.connection().await?;
        execute!(
            &mut db,
            "INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING",
            key,
            value,
        )?;
        drop(db);
        self.setting(key).await?.ok_or(StoreError::NotFound)
    }
}
