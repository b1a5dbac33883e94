//! What the gateway works from, all of it or what is new, at one moment; and single values by key.

use std::collections::HashSet;

use uuid::Uuid;

use super::change_log;
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

/// What makes settings of an earlier version those of `version`.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub version: i64,
    pub providers: Renewal<ProviderRecord>,
    pub routes: Renewal<RouteRecord>,
    pub keys: Renewal<KeyRecord>,
}

/// Some are as they were, the others are replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct Renewal<T> {
    pub outdated: Outdated,
    /// What is there now of the outdated and the new.
    pub records: Vec<T>,
}

/// What is no longer as it was, or gone, or new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outdated {
    /// Or not known to be as it was.
    All,
    These(HashSet<Uuid>),
}

impl Outdated {
    pub fn contains(&self, id: Uuid) -> bool {
        match self {
            Self::All => true,
            Self::These(ids) => ids.contains(&id),
        }
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Self::These(ids) if ids.is_empty())
    }
}

impl From<Settings> for Update {
    fn from(settings: Settings) -> Self {
        fn all<T>(records: Vec<T>) -> Renewal<T> {
            let outdated = Outdated::All;
            Renewal { outdated, records }
        }
        Self {
            version: settings.version,
            providers: all(settings.providers),
            routes: all(settings.routes),
            keys: all(settings.keys),
        }
    }
}

/// Takes the one row that all changes take first, and counts this change.
pub(super) async fn bump(transaction: &mut Transaction) -> Result<(), StoreError> {
    execute!(
        transaction,
        "UPDATE settings_version SET version = version + 1"
    )?;
    change_log::prune(transaction).await
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

    /// Everything, in a constant number of queries.
    async fn settings(&mut self) -> Result<Settings, StoreError> {
        let everything = Slice::all();
        Ok(Settings {
            version: self.settings_version().await?,
            providers: self.providers(&everything).await?,
            routes: self.routes(&everything).await?,
            keys: self.keys(&everything).await?,
        })
    }
}

impl Store {
    /// A number that grows with every change a gateway must see, from whichever process.
    pub async fn settings_version(&self) -> Result<i64, StoreError> {
        let mut db = self.connection().await?;
        let row = fetch_optional!(&mut db, (i64,), "SELECT version FROM settings_version")?;
        row.map(|(version,)| version).ok_or(StoreError::NotFound)
    }

    pub async fn load_settings(&self) -> Result<Settings, StoreError> {
        self.view().await?.settings().await
    }

    /// Reads what has changed since a version: everything when that is not known.
    pub async fn settings_since(&self, version: i64) -> Result<Update, StoreError> {
        let mut view = self.view().await?;
        let now = view.settings_version().await?;
        let Some(touched) = view.touched(version, now).await? else {
            return Ok(view.settings().await?.into());
        };
        let (mut providers, mut routes, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        for id in &touched.providers {
            providers.extend(view.provider(*id).await?);
        }
        for id in &touched.routes {
            routes.extend(view.route(*id).await?);
        }
        for id in &touched.keys {
            keys.extend(view.key(*id).await?);
        }
        Ok(Update {
            version: now,
            providers: Renewal {
                outdated: Outdated::These(touched.providers),
                records: providers,
            },
            routes: Renewal {
                outdated: Outdated::These(touched.routes),
                records: routes,
            },
            keys: Renewal {
                outdated: Outdated::These(touched.keys),
                records: keys,
            },
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
