//! Fresh databases for tests: a SQLite file in a temporary folder, or a database of its own on the
//! Postgres server that `make test` starts.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    unreachable_pub,
    reason = "each test crate uses a part of this"
)]

use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, SqliteConnection};
use tempfile::TempDir;
use uuid::Uuid;

const SERVER: &str = "SIGNALBOX_TEST_POSTGRES_URL";

/// An empty database that goes with this value.
pub struct TestDatabase {
    url: String,
    kept_by: KeptBy,
}

/// A transaction that ends with its connection.
pub enum Lock {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

enum KeptBy {
    Folder(TempDir),
    Server { url: String, name: String },
}

impl TestDatabase {
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self {
            url: format!("sqlite://{}/signalbox.db", folder.path().display()),
            kept_by: KeptBy::Folder(folder),
        }
    }

    pub async fn postgres() -> Self {
        let server = std::env::var(SERVER).unwrap_or_else(|_| {
            panic!("{SERVER} is not set: run `make test`, which starts a Postgres and sets it")
        });
        let name = format!("signalbox_test_{}", Uuid::new_v4().simple());
        run(&server, &format!("CREATE DATABASE {name}")).await;
        let mut url: url::Url = server.parse().expect(SERVER);
        url.set_path(&name);
        Self {
            url: url.into(),
            kept_by: KeptBy::Server { url: server, name },
        }
    }

    /// What `Store::connect` and `--database-url` take.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn is_sqlite(&self) -> bool {
        matches!(self.kept_by, KeptBy::Folder(_))
    }

    /// Runs statements behind Signalbox's back.
    pub async fn run(&self, sql: &str) {
        run(&self.url, sql).await;
    }

    /// Keeps everybody from writing records of requests as long as it lives.
    pub async fn lock(&self) -> Lock {
        if self.is_sqlite() {
            let mut connection = SqliteConnection::connect(&self.url).await.expect("SQLite");
            sqlx::raw_sql("BEGIN IMMEDIATE")
                .execute(&mut connection)
                .await
                .expect("a lock");
            return Lock::Sqlite(connection);
        }
        let mut connection = postgres(&self.url).await;
        let lock = "BEGIN; LOCK TABLE requests IN EXCLUSIVE MODE";
        sqlx::raw_sql(lock)
            .execute(&mut connection)
            .await
            .expect("a lock");
        Lock::Postgres(connection)
    }

    /// Everything in the database as text, however it is kept: a secret in clear is found in it as it
    /// is, or as hexadecimal digits where it is kept as bytes.
    pub async fn dump(&self) -> String {
        match &self.kept_by {
            KeptBy::Folder(folder) => {
                let mut text = String::new();
                for file in std::fs::read_dir(folder.path()).expect("the folder") {
                    let bytes = std::fs::read(file.expect("a file").path()).expect("its bytes");
                    text.push_str(&String::from_utf8_lossy(&bytes));
                }
                text
            }
            KeptBy::Server { .. } => {
                let mut connection = postgres(&self.url).await;
                let tables: Vec<(String,)> = sqlx::query_as(
                    "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'",
                )
                .fetch_all(&mut connection)
                .await
                .expect("the tables");
                let mut text = String::new();
                for (table,) in tables {
                    let rows: Vec<(String,)> =
                        sqlx::query_as(AssertSqlSafe(format!("SELECT t::text FROM {table} t")))
                            .fetch_all(&mut connection)
                            .await
                            .expect("the rows");
                    text.extend(rows.into_iter().map(|(row,)| row + "\n"));
                }
                text
            }
        }
    }

    /// Ends every connection of others to a Postgres database, as a restart of the server would.
    pub async fn cut_connections(&self) {
        self.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        .await;
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let KeptBy::Server { url, name } = &self.kept_by else {
            return;
        };
        let (url, sql) = (url.clone(), format!("DROP DATABASE {name} WITH (FORCE)"));
        // The test's own runtime cannot wait for anything here.
        let dropped = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime")
                .block_on(run(&url, &sql));
        });
        if dropped.join().is_err() && !std::thread::panicking() {
            panic!("the test database {name} could not be dropped");
        }
    }
}

async fn run(url: &str, sql: &str) {
    let sql = AssertSqlSafe(sql.to_owned());
    if url.starts_with("sqlite:") {
        let mut connection = SqliteConnection::connect(url).await.expect("SQLite");
        sqlx::raw_sql(sql)
            .execute(&mut connection)
            .await
            .expect("SQL");
        connection.close().await.expect("closing");
    } else {
        let mut connection = postgres(url).await;
        sqlx::raw_sql(sql)
            .execute(&mut connection)
            .await
            .expect("SQL");
        connection.close().await.expect("closing");
    }
}

async fn postgres(url: &str) -> PgConnection {
    url.parse::<sqlx::postgres::PgConnectOptions>()
        .expect("a Postgres URL")
        .connect()
        .await
        .expect("the test's Postgres")
}

/// Defines a test that runs on SQLite and on Postgres.
macro_rules! on_both_databases {
    ($($(#[$meta:meta])* async fn $name:ident($database:ident: TestDatabase) $body:block)*) => {$(
        mod $name {
            use super::*;

            $(#[$meta])*
            async fn check($database: TestDatabase) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_sqlite() {
                check(TestDatabase::sqlite()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_postgres() {
                check(TestDatabase::postgres().await).await;
            }
        }
    )*};
}

pub(crate) use on_both_databases;
