//! What can go wrong with the database, in words for the person who must act on it.

use sqlx::error::{DatabaseError, ErrorKind};
use sqlx::migrate::MigrateError;
use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;

/// Why the database did not do what it was asked. `Display` is a sentence fit for any reader: it holds
/// no value of a row and no database URL. The driver's own error stays behind it as the source.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("It does not exist (any more).")]
    NotFound,
    #[error("{what} is taken.")]
    Taken { what: String },
    /// `by` names what uses it; empty when only the database's own foreign key noticed.
    #[error("It is still in use{}.", by_whom(by))]
    InUse { by: Vec<String> },
    #[error("It was edited meanwhile. Read it again and repeat the change.")]
    Stale,
    #[error(
        "This database was written by a newer Signalbox (it holds migration {migration}, which this \
         version does not know). Start that newer version, or restore a backup made before it ran."
    )]
    Newer { migration: i64 },
    #[error(
        "This database was laid out by another build of Signalbox (its migration {migration} differs \
         from the one in this version). Start the version that made it."
    )]
    Altered { migration: i64 },
    #[error("{0}")]
    BadUrl(String),
    #[error("The disk that holds the database is full. Free some space and repeat the change.")]
    Full(#[source] sqlx::Error),
    #[error(
        "The database is read-only. Check that Signalbox may write its file and folder, or that it is \
         connected to a Postgres primary that accepts writes."
    )]
    ReadOnly(#[source] sqlx::Error),
    #[error("The database is busy with another change. Try again in a moment.")]
    Busy(#[source] sqlx::Error),
    /// The connection broke between "commit" and its answer.
    #[error(
        "The connection to the database broke while the change was being saved, so it may or may not \
         be saved. Look before you repeat it."
    )]
    Unsure(#[source] sqlx::Error),
    #[error("The database cannot be used now: {why}.")]
    Unavailable {
        why: String,
        #[source]
        source: sqlx::Error,
    },
    #[error("The database answered in a way this version does not understand. The log says more.")]
    Other(#[source] sqlx::Error),
}

impl StoreError {
    /// Names what is taken when a unique constraint refused an insert or update.
    pub(super) fn or_taken(self, what: impl FnOnce() -> String) -> Self {
        match self {
            Self::Taken { .. } => Self::Taken { what: what() },
            other => other,
        }
    }

    /// The same failure at the moment of commit, when a broken connection leaves the outcome open.
    pub(super) fn at_commit(self) -> Self {
        match self {
            Self::Unavailable { source, .. } if lost(&source) => Self::Unsure(source),
            other => other,
        }
    }
}

fn by_whom(by: &[String]) -> String {
    if by.is_empty() {
        String::new()
    } else {
        format!(" by {}", some_of(by))
    }
}

/// The first few names and how many more there are: `a, b, c and 7 more`.
pub(crate) fn some_of(names: &[String]) -> String {
    const SHOWN: usize = 3;
    match names {
        [] => String::from("nothing"),
        [one] => one.clone(),
        [few @ .., last] if names.len() <= SHOWN => format!("{} and {last}", few.join(", ")),
        _ => format!(
            "{} and {} more",
            names[..SHOWN].join(", "),
            names.len() - SHOWN
        ),
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let failure = match &error {
            sqlx::Error::Database(refusal) => failure_of(refusal.as_ref()),
            sqlx::Error::RowNotFound => return Self::NotFound,
            sqlx::Error::PoolTimedOut => {
                Failure::Unavailable(String::from("no connection to it became free in time"))
            }
            sqlx::Error::PoolClosed => {
                Failure::Unavailable(String::from("Signalbox is shutting down"))
            }
            sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::WorkerCrashed => {
                Failure::Unavailable(error.to_string())
            }
            sqlx::Error::Configuration(problem) => {
                return Self::BadUrl(format!("The database URL is not usable: {problem}."));
            }
            _ => Failure::Other,
        };
        match failure {
            Failure::Taken => Self::Taken {
                what: String::from("A value that must be unique"),
            },
            Failure::InUse => Self::InUse { by: Vec::new() },
            Failure::Full => Self::Full(error),
            Failure::ReadOnly => Self::ReadOnly(error),
            Failure::Busy => Self::Busy(error),
            Failure::Unavailable(why) => Self::Unavailable { why, source: error },
            Failure::Other => Self::Other(error),
        }
    }
}

impl From<MigrateError> for StoreError {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::VersionMissing(migration) => Self::Newer { migration },
            MigrateError::VersionMismatch(migration) => Self::Altered { migration },
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => error.into(),
            other => Self::Other(other.into()),
        }
    }
}

enum Failure {
    Taken,
    InUse,
    Full,
    ReadOnly,
    Busy,
    Unavailable(String),
    Other,
}

fn failure_of(refusal: &dyn DatabaseError) -> Failure {
    match refusal.kind() {
        ErrorKind::UniqueViolation => return Failure::Taken,
        ErrorKind::ForeignKeyViolation => return Failure::InUse,
        _ => {}
    }
    if let Some(error) = refusal.try_downcast_ref::<SqliteError>() {
        sqlite_failure(error)
    } else if let Some(error) = refusal.try_downcast_ref::<PgDatabaseError>() {
        postgres_failure(error)
    } else {
        Failure::Other
    }
}

/// <https://www.sqlite.org/rescode.html>; the low byte is the primary code.
fn sqlite_failure(error: &SqliteError) -> Failure {
    let code = error.code().and_then(|code| code.parse::<i32>().ok());
    match code.map(|code| code & 0xff) {
        Some(5 | 6) => Failure::Busy,
        Some(8) => Failure::ReadOnly,
        Some(13) => Failure::Full,
        Some(10) => Failure::Unavailable(String::from(
            "its file cannot be read or written (an input/output error)",
        )),
        Some(11) => Failure::Unavailable(String::from(
            "its file is damaged; restore it from a backup",
        )),
        Some(14) => Failure::Unavailable(String::from(
            "its file cannot be opened; check that its folder exists and that Signalbox may use it",
        )),
        Some(26) => Failure::Unavailable(String::from("its file is not a SQLite database")),
        _ => Failure::Other,
    }
}

/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
fn postgres_failure(error: &PgDatabaseError) -> Failure {
    match error.code() {
        "53100" => Failure::Full,
        "25006" => Failure::ReadOnly,
        // Serialisation, deadlock, lock timeout, a cancelled statement.
        "40001" | "40P01" | "55P03" | "57014" => Failure::Busy,
        // Rights: to sign in, to use the database, to use its tables.
        "28000" | "28P01" | "3D000" | "42501" => Failure::Unavailable(error.message().to_owned()),
        code if code.starts_with("08") || code.starts_with("53") || code.starts_with("57P") => {
            Failure::Unavailable(error.message().to_owned())
        }
        _ => Failure::Other,
    }
}

/// Whether the connection itself broke, so that nobody knows what the other side did.
fn lost(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(refusal) => refusal
            .try_downcast_ref::<PgDatabaseError>()
            .is_some_and(|error| error.code().starts_with("57P") || error.code().starts_with("08")),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_first_few_and_counts_the_rest() {
        let names = |count: usize| (1..=count).map(|n| format!("r{n}")).collect::<Vec<_>>();
        assert_eq!(some_of(&names(1)), "r1");
        assert_eq!(some_of(&names(2)), "r1 and r2");
        assert_eq!(some_of(&names(3)), "r1, r2 and r3");
        assert_eq!(some_of(&names(9)), "r1, r2, r3 and 6 more");
    }
}
