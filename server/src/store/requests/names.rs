//! Names that records of requests repeat.

use crate::store::Store;
use crate::store::dispatch::On;
use crate::store::error::StoreError;

/// What is so named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameKind {
    Route,
    Target,
    Instance,
    Key,
    Path,
}

impl NameKind {
    /// As the database has it.
    fn number(self) -> i32 {
        match self {
            Self::Route => 1,
            Self::Target => 2,
            Self::Instance => 3,
            Self::Key => 4,
            Self::Path => 5,
        }
    }

    fn of(number: i32) -> Option<Self> {
        [
            Self::Route,
            Self::Target,
            Self::Instance,
            Self::Key,
            Self::Path,
        ]
        .into_iter()
        .find(|kind| kind.number() == number)
    }
}

/// A route or key that was renamed has a name for each.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestName {
    pub kind: NameKind,
    /// Of a route or key; empty for all else.
    pub uid: String,
    pub name: String,
}

struct Row {
    id: i32,
    kind: i32,
    uid: String,
    name: String,
}

from_row!(Row: id, kind, uid, name);

impl Store {
    /// How many names there are; they only become more.
    pub async fn count_request_names(&self) -> Result<usize, StoreError> {
        let mut db = self.connection().await?;
        let row = fetch_optional!(&mut db, (i64,), "SELECT COUNT(*) FROM request_names")?;
        let count = row.and_then(|(count,)| usize::try_from(count).ok());
        count.ok_or(StoreError::NotFound)
    }

    /// All names with their numbers.
    pub async fn request_names(&self) -> Result<Vec<(i32, RequestName)>, StoreError> {
        let mut db = self.connection().await?;
        let rows = fetch_all!(
            &mut db,
            Row,
            "SELECT id, kind, uid, name FROM request_names ORDER BY name, id",
        )?;
        let named = |row: Row| {
            let kind = NameKind::of(row.kind)?;
            let Row { id, uid, name, .. } = row;
            Some((id, RequestName { kind, uid, name }))
        };
        Ok(rows.into_iter().filter_map(named).collect())
    }

    /// The numbers of names, in the same order; those that are new get one.
    pub async fn number_request_names(
        &self,
        names: &[RequestName],
    ) -> Result<Vec<i32>, StoreError> {
        let mut transaction = self.begin().await?;
        let mut numbers = Vec::with_capacity(names.len());
        for name in names {
            execute!(
                &mut transaction,
                "INSERT INTO request_names (kind, uid, name) VALUES ($1, $2, $3)
                 ON CONFLICT (kind, name, uid) DO NOTHING",
                name.kind.number(),
                &name.uid,
                &name.name,
            )?;
            let row = fetch_optional!(
                &mut transaction,
                (i32,),
                "SELECT id FROM request_names WHERE kind = $1 AND uid = $2 AND name = $3",
                name.kind.number(),
                &name.uid,
                &name.name,
            )?;
            numbers.push(row.ok_or(StoreError::NotFound)?.0);
        }
        transaction.commit().await?;
        Ok(numbers)
    }
}
