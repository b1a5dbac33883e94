//! Opening a database and bringing its tables up to date.

use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, Instant};

use sqlx::migrate::{Migrate, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, PgPool, SqlitePool};

use super::error::StoreError;
use super::migrations::{POSTGRES, SQLITE};

/// How long a writer waits for another one, here or in another process.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn sqlite(url: &str) -> Result<SqlitePool, StoreError> {
    let options = SqliteConnectOptions::from_str(url)?;
    if url.contains(":memory:") || url.contains("mode=memory") {
        return sqlite_in_memory(options).await;
    }
    if !url.contains("mode=ro") {
        make_private(options.get_filename())?;
    }
    sqlite_file(options).await
}

pub(super) async fn sqlite_at(path: &Path) -> Result<SqlitePool, StoreError> {
    make_private(path)?;
    sqlite_file(SqliteConnectOptions::new().filename(path)).await
}

async fn sqlite_file(options: SqliteConnectOptions) -> Result<SqlitePool, StoreError> {
    let options = options
        .create_if_missing(true)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(PATIENCE);
    prepare_sqlite(&options).await?;
    Ok(sqlite_pool(8).connect_with(options).await?)
}

/// Every connection would see a database of its own, and lose it when it closes, so there is only one.
async fn sqlite_in_memory(options: SqliteConnectOptions) -> Result<SqlitePool, StoreError> {
    let pool = SqlitePoolOptions::new()
        .max_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(options.foreign_keys(true))
        .await?;
    SQLITE.run(&pool).await?;
    Ok(pool)
}

/// A pool that gives up connections which no longer know whether they are in a transaction: on a full
/// disk SQLite itself rolls back, the driver's own rollback then fails, and the driver goes on counting
/// the transaction that is gone. The next user would begin inside of it and never see a new moment.
pub(super) fn sqlite_pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(2 * PATIENCE)
        .after_release(|connection, _| {
            Box::pin(async move {
                // Behind a rollback that may still be under way.
                connection.ping().await?;
                Ok(!connection.is_in_transaction())
            })
        })
}

/// SQLite would make a missing file readable by everybody; the `-wal` and `-shm` beside it copy its mode.
fn make_private(file: &Path) -> Result<(), StoreError> {
    let mut open = std::fs::OpenOptions::new();
    open.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
    match open.open(file) {
        Ok(_) => Ok(()),
        Err(_) if file.exists() => Ok(()),
        Err(error) => Err(StoreError::Unavailable {
            why: format!("its file {} cannot be made ({error})", file.display()),
            source: error.into(),
        }),
    }
}

/// Migrates under the write lock, so that of two processes that start at once one waits for the other.
/// The switch to WAL needs the file alone and does not honour the busy timeout, hence the repetition.
async fn prepare_sqlite(options: &SqliteConnectOptions) -> Result<(), StoreError> {
    let started = Instant::now();
    loop {
        match migrate_sqlite(options).await {
            Err(StoreError::Busy(_)) if started.elapsed() < 2 * PATIENCE => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            outcome => return outcome,
        }
    }
}

async fn migrate_sqlite(options: &SqliteConnectOptions) -> Result<(), StoreError> {
    let mut connection = options.connect().await?;
    if !is_up_to_date(&mut connection, &SQLITE).await {
        let mut lock = connection.begin_with("BEGIN IMMEDIATE").await?;
        SQLITE.run(&mut *lock).await?;
        lock.commit().await?;
    }
    connection.close().await?;
    Ok(())
}

/// Whether there is nothing to migrate, as at most starts. Then nothing is written, so that Signalbox
/// starts, and serves, on a full disk, a read-only database, and while another process writes.
async fn is_up_to_date<C: Migrate>(connection: &mut C, migrator: &Migrator) -> bool {
    // Fails on a database without that table; whatever else is wrong shows when migrations are run.
    let Ok(applied) = connection
        .list_applied_migrations(&migrator.table_name)
        .await
    else {
        return false;
    };
    let known = migrator
        .iter()
        .map(|migration| (migration.version, &migration.checksum));
    known.eq(applied
        .iter()
        .map(|applied| (applied.version, &applied.checksum)))
}

pub(super) async fn postgres(url: &str) -> Result<PgPool, StoreError> {
    let options = PgConnectOptions::from_str(url)?.application_name("signalbox");
    // A connection of its own: the driver's advisory lock goes with it, whatever happens.
    let mut connection = options.connect().await?;
    if !is_up_to_date(&mut connection, &POSTGRES).await {
        POSTGRES.run(&mut connection).await?;
    }
    connection.close().await?;
    let pool = PgPoolOptions::new()
        .max_connections(16)
        .acquire_timeout(2 * PATIENCE)
        .connect_with(options)
        .await?;
    Ok(pool)
}
