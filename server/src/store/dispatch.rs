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
            let sql = $crate::store::dispatch::insert_sql($head, columns, chunk.len(), $tail);
            match $db {
                On::Sqlite(db) => {
                    let mut query = ::sqlx::query(::sqlx::AssertSqlSafe(sql));
                    for $row in chunk {
                        query = query$(.bind($value))+;
                    }
                    query.execute(&mut **db).await.map(drop)
                }
                On::Postgres(db) => {
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
}

/// More save little; statements of different lengths are prepared one by one.
pub(super) const ROWS_AT_ONCE: usize = 64;

/// `head VALUES ($1, $2), ($3, $4) tail`
pub(super) fn insert_sql(head: &str, columns: usize, rows: usize, tail: &str) -> String {
    let mut sql = format!("{head} VALUES ");
    for row in 0..rows {
        for column in 0..columns {
            sql.push_str(match (row, column) {
                (0, 0) => "($",
                (_, 0) => "), ($",
                _ => ", $",
            });
            sql.push_str(&(row * columns + column + 1).to_string());
        }
    }
    sql.push_str(") ");
    sql.push_str(tail);
    sql
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_numbered_through() {
        assert_eq!(
            insert_sql("INSERT INTO t (a, b)", 2, 2, "ON CONFLICT DO NOTHING"),
            "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4) ON CONFLICT DO NOTHING"
        );
        assert_eq!(
            insert_sql("INSERT INTO t (a)", 1, 1, ""),
            "INSERT INTO t (a) VALUES ($1) "
        );
    }
}
