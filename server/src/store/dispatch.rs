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

/// Inserts rows, many by one statement: `$head` names the table and columns, `$tail` follows the values,
/// and `$row => [...]` are the values of one.
macro_rules! insert_rows {
    ($db:expr, $head:expr, $tail:expr, $rows:expr, $row:ident => [$($value:expr),+ $(,)?]) => {{
        let columns = [$(stringify!($value)),+].len();
        for chunk in $rows.chunks($crate::store::dispatch::ROWS_AT_ONCE) {
            let rows = chunk.len();
            match $db {
                On::Sqlite(db) => {
                    // By place: to numbered ones SQLite's driver asks back for their names, one by one.
                    let value = |_| "?".to_owned();
                    let insert = || $crate::store::dispatch::insert_sql($head, columns, rows, $tail, value);
                    let sql = insert_rows!(@once rows, insert);
                    let mut query = ::sqlx::query(::sqlx::AssertSqlSafe(sql));
                    for $row in chunk {
                        query = query$(.bind($value))+;
                    }
                    query.execute(&mut **db).await.map(drop)
                }
                On::Postgres(db) => {
                    let value = |number: usize| format!("${number}");
                    let insert = || $crate::store::dispatch::insert_sql($head, columns, rows, $tail, value);
                    let sql = insert_rows!(@once rows, insert);
                    let mut query = ::sqlx::query(::sqlx::AssertSqlSafe(sql));
                    for $row in chunk {
                        query = query$(.bind($value))+;
                    }
                    query.execute(&mut **db).await.map(drop)
                }
            }
            .map_err(StoreError::from)?;
        }
    }};
    // Most chunks are full, and all full ones are written by the same words.
    (@once $rows:ident, $insert:ident) => {{
        static FULL: ::std::sync::OnceLock<::std::sync::Arc<str>> = ::std::sync::OnceLock::new();
        match $rows == $crate::store::dispatch::ROWS_AT_ONCE {
            true => ::std::sync::Arc::clone(FULL.get_or_init(|| $insert().into())),
            false => $insert().into(),
        }
    }};
}

/// More save little; statements of different lengths are prepared one by one.
pub(super) const ROWS_AT_ONCE: usize = 256;

/// `head VALUES ($1, $2), ($3, $4) tail`, with each value as it is written by its number.
pub(super) fn insert_sql(
    head: &str,
    columns: usize,
    rows: usize,
    tail: &str,
    value: impl Fn(usize) -> String,
) -> String {
    let row = |row: usize| {
        let values = (1..=columns).map(|column| value(row * columns + column));
        format!("({})", values.collect::<Vec<_>>().join(", "))
    };
    let rows = (0..rows).map(row).collect::<Vec<_>>().join(", ");
    format!("{head} VALUES {rows} {tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_numbered_through() {
        let sql = insert_sql(
            "INSERT INTO t (a, b)",
            2,
            2,
            "ON CONFLICT DO NOTHING",
            |number| format!("${number}"),
        );
        assert_eq!(
            sql,
            "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4) ON CONFLICT DO NOTHING"
        );
    }
}
