//! Which rows each of the latest changes has touched, so that a gateway reads anew only these.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::columns::Word;
use super::dispatch::On;
use super::error::StoreError;
use super::{Change, Transaction, View};

/// So many changes are remembered. A gateway that is further behind reads everything, which then costs
/// little more.
const KEPT: i64 = 200;

/// A kind of row with all that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Provider,
    Route,
    Key,
}

/// What changes have written or deleted.
#[derive(Debug, Default)]
pub(super) struct Touched {
    pub(super) providers: HashSet<Uuid>,
    pub(super) routes: HashSet<Uuid>,
    pub(super) keys: HashSet<Uuid>,
}

/// Forgets changes that nobody is likely to ask for any more.
pub(super) async fn prune(transaction: &mut Transaction) -> Result<(), StoreError> {
    execute!(
        transaction,
        "DELETE FROM settings_changes
          WHERE version <= (SELECT version FROM settings_version) - $1",
        KEPT,
    )
    .map(drop)
}

impl Change {
    /// Notes that this change writes or deletes a row.
    pub(super) async fn touch(&mut self, kind: Kind, id: Uuid) -> Result<(), StoreError> {
        execute!(
            &mut self.transaction,
            "INSERT INTO settings_changes (version, kind, id)
             VALUES ((SELECT version FROM settings_version), $1, $2) ON CONFLICT DO NOTHING",
            Word(kind),
            id,
        )
        .map(drop)
    }
}

impl View {
    /// What the changes after version `since` up to version `now` have touched. Nothing when one of them
    /// is not remembered: as it is too long ago, or was made by hand.
    pub(super) async fn touched(
        &mut self,
        since: i64,
        now: i64,
    ) -> Result<Option<Touched>, StoreError> {
        let rows = fetch_all!(
            &mut self.transaction,
            (i64, Word<Kind>, Uuid),
            "SELECT version, kind, id FROM settings_changes WHERE version > $1",
            since,
        )?;
        let mut versions = HashSet::new();
        let mut touched = Touched::default();
        for (version, Word(kind), id) in rows {
            versions.insert(version);
            match kind {
                Kind::Provider => touched.providers.insert(id),
                Kind::Route => touched.routes.insert(id),
                Kind::Key => touched.keys.insert(id),
            };
        }
        // Each change has a version of its own.
        let are_all_there = i64::try_from(versions.len()) == Ok(now - since);
        Ok(are_all_there.then_some(touched))
    }
}
