//! Rows with what belongs to them: read by one query for all parents, then handed out.

use std::collections::HashMap;

use sqlx::FromRow;
use uuid::Uuid;

/// A row with the row it belongs to.
#[derive(FromRow)]
pub(super) struct Of<T> {
    pub(super) parent: Uuid,
    #[sqlx(flatten)]
    pub(super) child: T,
}

/// Gathers rows by what they belong to, in the order they came in.
pub(super) fn by_parent<T>(rows: Vec<Of<T>>) -> HashMap<Uuid, Vec<T>> {
    let mut families: HashMap<Uuid, Vec<T>> = HashMap::new();
    for row in rows {
        families.entry(row.parent).or_default().push(row.child);
    }
    families
}
