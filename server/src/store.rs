//! Everything that is kept: one SQLite file or one Postgres database.
//!
//! All SQL lives in this module, each statement once for both databases. Reads go through a [`View`], a
//! consistent picture of one moment; what a gateway must see is written through a [`Change`], which
//! other changes wait for, in this process and in every other, so that what it read still holds
//! when it writes. The store knows rows and their references; the rules of fields are `admin`'s.

#[macro_use]
mod dispatch;
#[macro_use]
mod rows;
mod change_log;
mod columns;
mod connect;
mod error;
mod families;
mod keys;
mod migrations;
mod paging;
mod providers;
mod requests;
mod responses;
mod routes;
mod sessions;
mod settings;
mod users;

#[cfg(test)]
pub(crate) mod tests;

use std::ops::{Deref, DerefMut};
use std::path::Path;

use chrono::{DateTime, SubsecRound, Utc};
use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres, Sqlite, SqlitePool};

use self::dispatch::On;

pub use self::error::StoreError;
pub(crate) use self::error::some_of;
pub use self::keys::KeyRecord;
pub use self::paging::{Cursor, Slice};
pub use self::providers::{
    CredentialRecord, HeaderRecord, InstanceRecord, ProviderChoice, ProviderRecord, ProviderUse,
};
pub use self::requests::{
    AttemptDetail, BodiesRow, CandidateDetail, DecisionDetail, NameKind, RefusedDetail,
    RequestDetail, RequestName, RequestQuery, RequestRow, ScoredDetail, SessionSource, UsageHour,
    UsageSum, flag,
};
pub use self::responses::ResponseRecord;
pub use self::routes::{FallbackRecord, RouteRecord, TargetRecord};
pub use self::sessions::SessionRecord;
pub use self::settings::{Outdated, Renewal, Settings, Update};
pub use self::users::UserRecord;

type Database = On<SqlitePool, PgPool>;
type Connection = On<PoolConnection<Sqlite>, PoolConnection<Postgres>>;
type Transaction = On<sqlx::Transaction<'static, Sqlite>, sqlx::Transaction<'static, Postgres>>;

/// The present moment as both databases keep it: in microseconds.
pub fn now() -> DateTime<Utc> {
    Utc::now().trunc_subsecs(6)
}

/// Whether a text can be in the database at all: Postgres refuses the zero character, and `admin` does.
fn is_text(text: &str) -> bool {
    !text.contains('\0')
}

/// A handle on the database; clones share its connections.
#[derive(Clone, Debug)]
pub struct Store {
    database: Database,
}

impl Store {
    /// Opens `sqlite://path`, `sqlite::memory:`, `postgres://…` or `postgresql://…`, makes what is
    /// missing and brings the tables up to date.
    ///
    /// # Errors
    /// `BadUrl`, `Newer` and `Altered` for a database that another version laid out, `Unavailable` when
    /// it cannot be reached or made, and what a write can fail with.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        let database = if url.starts_with("sqlite:") {
            On::Sqlite(connect::sqlite(url).await?)
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            On::Postgres(connect::postgres(url).await?)
        } else {
            return Err(StoreError::BadUrl(String::from(
                "The database URL must begin with sqlite://, postgres:// or postgresql://.",
            )));
        };
        Ok(Self { database })
    }

    /// Opens the SQLite file at a path, whatever characters the path holds; otherwise like
    /// [`Store::connect`].
    pub async fn connect_file(path: &Path) -> Result<Self, StoreError> {
        let database = On::Sqlite(connect::sqlite_at(path).await?);
        Ok(Self { database })
    }

    /// `sqlite` or `postgres`.
    pub fn kind(&self) -> &'static str {
        match self.database {
            On::Sqlite(_) => "sqlite",
            On::Postgres(_) => "postgres",
        }
    }

    /// Whether the database answers, with what it keeps: a bare `SELECT 1` would not even read SQLite's
    /// file.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.settings_version().await.map(drop)
    }

    /// Waits for what is under way and closes all connections; later calls are `Unavailable`.
    pub async fn close(&self) {
        match &self.database {
            On::Sqlite(pool) => pool.close().await,
            On::Postgres(pool) => pool.close().await,
        }
    }

    /// Opens a consistent picture of this moment.
    pub async fn view(&self) -> Result<View, StoreError> {
        let transaction = match &self.database {
            On::Sqlite(pool) => On::Sqlite(pool.begin().await?),
            On::Postgres(pool) => On::Postgres(
                pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                    .await?,
            ),
        };
        Ok(View { transaction })
    }

    /// Begins a change that gateways must see, once every earlier one has ended.
    ///
    /// # Errors
    /// `Busy` when an earlier one does not end within five seconds.
    pub async fn change(&self) -> Result<Change, StoreError> {
        let mut transaction = self.begin().await?;
        settings::bump(&mut transaction).await?;
        Ok(Change(View { transaction }))
    }

    /// Begins to write.
    async fn begin(&self) -> Result<Transaction, StoreError> {
        Ok(match &self.database {
            On::Sqlite(pool) => On::Sqlite(pool.begin_with("BEGIN IMMEDIATE").await?),
            On::Postgres(pool) => {
                let mut transaction = pool
                    .begin_with("BEGIN ISOLATION LEVEL READ COMMITTED")
                    .await?;
                // Waits as long as SQLite's busy timeout; and a process that is cut off in the middle
                // holds nobody up until TCP notices. Both are gone with the transaction.
                sqlx::query(
                    "SELECT set_config('lock_timeout', $1, true),
                            set_config('idle_in_transaction_session_timeout', '30s', true)",
                )
                .bind(format!("{}ms", connect::PATIENCE.as_millis()))
                .execute(&mut *transaction)
                .await?;
                On::Postgres(transaction)
            }
        })
    }

    async fn connection(&self) -> Result<Connection, StoreError> {
        Ok(match &self.database {
            On::Sqlite(pool) => On::Sqlite(pool.acquire().await?),
            On::Postgres(pool) => On::Postgres(pool.acquire().await?),
        })
    }
}

/// The database as it was at one moment, however long the reading takes.
#[derive(Debug)]
pub struct View {
    transaction: Transaction,
}

/// A change under way. Dropped without [`Change::commit`], it never was.
#[derive(Debug)]
pub struct Change(View);

impl Change {
    /// Makes the change durable and visible to every process, with a new settings version.
    ///
    /// # Errors
    /// `Unsure` when the connection broke before the database had answered; otherwise nothing is saved.
    pub async fn commit(self) -> Result<(), StoreError> {
        self.0.transaction.commit().await
    }
}

impl Transaction {
    async fn commit(self) -> Result<(), StoreError> {
        match self {
            On::Sqlite(transaction) => transaction.commit().await,
            On::Postgres(transaction) => transaction.commit().await,
        }
        .map_err(|error| StoreError::from(error).at_commit())
    }
}

impl Deref for Change {
    type Target = View;

    fn deref(&self) -> &View {
        &self.0
    }
}

impl DerefMut for Change {
    fn deref_mut(&mut self) -> &mut View {
        &mut self.0
    }
}
