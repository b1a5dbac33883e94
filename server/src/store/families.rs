//! Rows with what belongs to them: read by one query for all parents, then handed out.

use std::collections::HashMap;

use sqlx::{ColumnIndex, Decode, FromRow, Row, Type};
use uuid::Uuid;

/// A row with the row it belongs to.
pub(super) struct Of<T> {
    pub(super) parent: Uuid,
    pub(super) child: T,
}

impl<'r, R: Row, T: FromRow<'r, R>> FromRow<'r, R> for Of<T>
where
    Uuid: Decode<'r, R::Database> + Type<R::Database>,
    &'static str: ColumnIndex<R>,
{
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let parent = row.try_get("parent")?;
        let child = T::from_row(row)?;
        Ok(Self { parent, child })
    }
}

/// Gathers rows by what they belong to, in the order they came in.
pub(super) fn by_parent<T>(rows: Vec<Of<T>>) -> HashMap<Uuid, Vec<T>> {
    let mut families: HashMap<Uuid, Vec<T>> = HashMap::new();
    for row in rows {
        families.entry(row.parent).or_default().push(row.child);
    }
    families
}
