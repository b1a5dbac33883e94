//! One statement, two databases: the text and its values are written once, and the macros send them
//! through whichever driver is open. What differs between the drivers is only the Rust type.

/// The same thing of either database: its pool, a connection of it, or a transaction on it.
#[derive(Clone, Debug)]
pub(super) enum On<S, P> {
    Sqlite(S),
    Postgres(P),
}

/// Runs a statement on a `&mut Connection` or `&mut Transaction`; answers the number of rows touched.
macro_rules! execute {
    ($db:expr, $sql:expr $(, $value:expr)* $(,)?) => {
        match $db {
            On::Sqlite(db) => ::sqlx::query($sql)$(.bind($value))*
                .execute(&mut **db).await.map(|done| done.rows_affected()),
            On::Postgres(db) => ::sqlx::query($sql)$(.bind($value))*
                .execute(&mut **db).await.map(|done| done.rows_affected()),
        }
        .map_err(StoreError::from)
    };
}

/// Like `execute!`; answers all rows as `Vec<$row>`.
macro_rules! fetch_all {
    ($db:expr, $row:ty, $sql:expr $(, $value:expr)* $(,)?) => {
        match $db {
            On::Sqlite(db) => ::sqlx::query_as::<_, $row>($sql)$(.bind($value))*
                .fetch_all(&mut **db).await,
            On::Postgres(db) => ::sqlx::query_as::<_, $row>($sql)$(.bind($value))*
                .fetch_all(&mut **db).await,
        }
        .map_err(StoreError::from)
    };
}

/// Like `execute!`; answers the first row as `Option<$row>`.
macro_rules! fetch_optional {
    ($db:expr, $row:ty, $sql:expr $(, $value:expr)* $(,)?) => {
        match $db {
            On::Sqlite(db) => ::sqlx::query_as::<_, $row>($sql)$(.bind($value))*
                .fetch_optional(&mut **db).await,
            On::Postgres(db) => ::sqlx::query_as::<_, $row>($sql)$(.bind($value))*
                .fetch_optional(&mut **db).await,
        }
        .map_err(StoreError::from)
    };
}
