//! The tables, one version after the other: the files of `migrations/`, embedded as `sqlx::migrate!`
//! would, but without compiling all of sqlx twice.

use std::sync::LazyLock;

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// The files of one database in their order, each with what its name says.
macro_rules! files {
    ($database:literal) => {
        files!($database,
            "first" = "0001_first.sql",
            "failures" = "0002_failures.sql",
            "requests" = "0003_requests.sql",
            "usage and prices" = "0004_usage_and_prices.sql",
            "bodies" = "0005_bodies.sql",
            "settings changes" = "0006_settings_changes.sql",
        )
    };
    ($database:literal, $($description:literal = $file:literal,)+) => {
        [$((
            $description,
            include_str!(concat!("../../../migrations/", $database, "/", $file)),
        )),+]
    };
}

pub(super) static SQLITE: LazyLock<Migrator> = LazyLock::new(|| migrator(files!("sqlite")));
pub(super) static POSTGRES: LazyLock<Migrator> = LazyLock::new(|| migrator(files!("postgres")));

fn migrator<const COUNT: usize>(files: [(&'static str, &'static str); COUNT]) -> Migrator {
    let kind = MigrationType::Simple;
    let migrations = (1..).zip(files).map(|(version, (description, sql))| {
        Migration::new(version, description.into(), kind, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.collect())
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use super::*;

    /// What sqlx itself makes of the files: what is in databases of earlier versions.
    pub(in crate::store) async fn read_by_sqlx(database: &str) -> Migrator {
        let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
        Migrator::new(migrations.join(database)).await.unwrap()
    }

    #[tokio::test]
    async fn every_file_is_embedded_as_sqlx_reads_it() {
        let fact = |one: &Migration| {
            let (version, kind, checksum) = (one.version, one.migration_type, &one.checksum);
            format!(
                "{version} {} {kind:?} {checksum:02x?} {}",
                one.description, one.no_tx
            )
        };
        let facts = |all: &Migrator| all.iter().map(fact).collect::<Vec<_>>();
        assert_eq!(facts(&SQLITE), facts(&read_by_sqlx("sqlite").await));
        assert_eq!(facts(&POSTGRES), facts(&read_by_sqlx("postgres").await));
    }
}
