//! From a row of either database to a record.

/// Makes records of rows, as sqlx's derive would, but without compiling all of sqlx twice: `id` is read
/// from the column of that name, `hash as Hash` out of a [`Hash`](super::columns::Hash), and what no
/// column holds alone is written behind `with row`, as in a struct.
macro_rules! from_row {
    ($record:ident: $($column:ident $(as $shape:ident)?),+ $(,)?) => {
        from_row!($record: $($column $(as $shape)?),+; with row {});
    };
    ($record:ident: $($column:ident $(as $shape:ident)?),+; with $row:ident $rest:tt) => {
        from_row!(@ ::sqlx::sqlite::SqliteRow, $record [$($column $(as $shape)?),+] $row $rest);
        from_row!(@ ::sqlx::postgres::PgRow, $record [$($column $(as $shape)?),+] $row $rest);
    };
    (@ $of:ty, $record:ident [$($column:ident $(as $shape:ident)?),+] $row:ident { $($rest:tt)* }) => {
        impl ::sqlx::FromRow<'_, $of> for $record {
            #[allow(unused_parens, reason = "not every column has a shape")]
            fn from_row($row: &$of) -> ::sqlx::Result<Self> {
                use ::sqlx::Row as _;
                $(let $($shape)?($column) = $row.try_get(stringify!($column))?;)+
                Ok(Self { $($column,)+ $($rest)* })
            }
        }
    };
}
