//! Records of requests: a narrow row each that lists are filtered by, and beside it the rest, packed.
//!
//! Names are kept once and meant by their number. What requests came to is added up by the hour in the
//! transaction that writes them down, so that the two never disagree.

mod detail;
mod names;
mod usage;

use std::ops::RangeInclusive;

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::Store;
use super::dispatch::On;
use super::error::StoreError;

pub use self::detail::{
    AttemptDetail, CandidateDetail, DecisionDetail, RefusedDetail, RequestDetail, ScoredDetail,
    SessionSource,
};
pub use self::names::{NameKind, RequestName};
pub use self::usage::{UsageHour, UsageSum};

/// What is filtered by. Names by their number, 0 for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRow {
    pub id: Uuid,
    pub route: i32,
    pub target: i32,
    pub api_key: i32,
    pub path: i32,
    pub status: i32,
    /// Which of `DecidedBy::ALL`, counted from 1.
    pub decided_by: i32,
    pub flags: i32,
    pub ttfb_ms: Option<i32>,
    pub duration_ms: i32,
    pub input: Option<i32>,
    pub output: Option<i32>,
    /// A [`RequestDetail`], packed.
    pub detail: Vec<u8>,
}

from_row!(
    RequestRow: id, route, target, api_key, path, status, decided_by, flags, ttfb_ms, duration_ms, input,
        output, detail
);

/// What was asked and answered, which only the vault can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodiesRow {
    /// Of the request.
    pub id: Uuid,
    pub sealed: Vec<u8>,
}

/// Bits of a row's `flags`.
pub mod flag {
    pub const TIE: i32 = 1;
    pub const FALLBACK: i32 = 2;
    pub const STREAMING: i32 = 4;
    pub const BOUND: i32 = 8;
    pub const BODIES: i32 = 16;
}

/// Which rows are wanted: those that fit all that is given, the newest first.
#[derive(Clone, Debug)]
pub struct RequestQuery {
    /// Only older ones than this.
    pub before: Uuid,
    /// None that are older than this.
    pub since: Uuid,
    pub routes: Option<Vec<i32>>,
    pub targets: Option<Vec<i32>>,
    pub keys: Option<Vec<i32>>,
    pub paths: Option<Vec<i32>>,
    pub status: Option<RangeInclusive<i32>>,
    pub slow_ms: Option<i32>,
    pub decided_by: Option<i32>,
    /// Bits that must be set, or must not.
    pub flags: Vec<(i32, bool)>,
    pub limit: u32,
}

impl Default for RequestQuery {
    /// All of them.
    fn default() -> Self {
        Self {
            before: Uuid::max(),
            since: Uuid::nil(),
            routes: None,
            targets: None,
            keys: None,
            paths: None,
            status: None,
            slow_ms: None,
            decided_by: None,
            flags: Vec::new(),
            limit: u32::MAX,
        }
    }
}

impl RequestQuery {
    /// What follows `WHERE`, but for the two bounds. It is made of numbers only.
    fn conditions(&self) -> String {
        let mut conditions = Vec::new();
        let names = [
            ("route", &self.routes),
            ("target", &self.targets),
            ("api_key", &self.keys),
            ("path", &self.paths),
        ];
        for (column, ids) in names {
            match ids.as_deref() {
                None => {}
                Some([]) => conditions.push("1 = 0".to_owned()),
                Some(ids) => {
                    let ids: Vec<String> = ids.iter().map(i32::to_string).collect();
                    conditions.push(format!("{column} IN ({})", ids.join(", ")));
                }
            }
        }
        if let Some(status) = &self.status {
            conditions.push(format!(
                "status BETWEEN {} AND {}",
                status.start(),
                status.end()
            ));
        }
        if let Some(least) = self.slow_ms {
            conditions.push(format!("duration_ms >= {least}"));
        }
        if let Some(by) = self.decided_by {
            conditions.push(format!("decided_by = {by}"));
        }
        for (bit, set) in &self.flags {
            let wanted = if *set { *bit } else { 0 };
            conditions.push(format!("(flags & {bit}) = {wanted}"));
        }
        conditions
            .iter()
            .map(|condition| format!(" AND {condition}"))
            .collect()
    }
}

impl Store {
    /// Writes records down and adds up what they came to, all or none. One that is there already stays.
    /// No change that a gateway must see, so the settings' version stays.
    pub async fn write_requests(
        &self,
        rows: &[RequestRow],
        hours: &[UsageHour],
        bodies: &[BodiesRow],
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        insert_rows!(
            &mut transaction,
            "INSERT INTO requests (id, route, target, api_key, path, status, decided_by, flags,
                                   ttfb_ms, duration_ms, input, output)",
            "ON CONFLICT (id) DO NOTHING",
            rows,
            row => [
                row.id, row.route, row.target, row.api_key, row.path, row.status, row.decided_by,
                row.flags, row.ttfb_ms, row.duration_ms, row.input, row.output,
            ]
        );
        insert_rows!(
            &mut transaction,
            "INSERT INTO request_details (id, detail)",
            "ON CONFLICT (id) DO NOTHING",
            rows,
            row => [row.id, row.detail.as_slice()]
        );
        insert_rows!(
            &mut transaction,
            "INSERT INTO request_bodies (id, sealed)",
            "ON CONFLICT (id) DO NOTHING",
            bodies,
            row => [row.id, row.sealed.as_slice()]
        );
        usage::add(&mut transaction, hours).await?;
        transaction.commit().await
    }

    pub async fn requests(&self, query: &RequestQuery) -> Result<Vec<RequestRow>, StoreError> {
        let sql = format!(
            "SELECT r.id, r.route, r.target, r.api_key, r.path, r.status, r.decided_by, r.flags,
                    r.ttfb_ms, r.duration_ms, r.input, r.output, d.detail
               FROM (SELECT * FROM requests WHERE id < $1 AND id >= $2{}
                      ORDER BY id DESC LIMIT {}) r
               JOIN request_details d ON d.id = r.id
              ORDER BY r.id DESC",
            query.conditions(),
            query.limit,
        );
        let mut db = self.connection().await?;
        fetch_all!(
            &mut db,
            RequestRow,
            AssertSqlSafe(sql),
            query.before,
            query.since
        )
    }

    pub async fn request(&self, id: Uuid) -> Result<Option<RequestRow>, StoreError> {
        let mut db = self.connection().await?;
        fetch_optional!(
            &mut db,
            RequestRow,
            "SELECT r.id, r.route, r.target, r.api_key, r.path, r.status, r.decided_by, r.flags,
                    r.ttfb_ms, r.duration_ms, r.input, r.output, d.detail
               FROM requests r JOIN request_details d ON d.id = r.id
              WHERE r.id = $1",
            id,
        )
    }

    /// What was asked and answered, sealed, where it was kept and still is.
    pub async fn request_bodies(&self, id: Uuid) -> Result<Option<Vec<u8>>, StoreError> {
        let mut db = self.connection().await?;
        let row = fetch_optional!(
            &mut db,
            (Vec<u8>,),
            "SELECT sealed FROM request_bodies WHERE id = $1",
            id,
        )?;
        Ok(row.map(|(sealed,)| sealed))
    }

    /// Forgets what was asked and answered before `oldest`; answers of how many requests. In steps, too.
    pub async fn prune_bodies(&self, oldest: Uuid) -> Result<u64, StoreError> {
        let mut db = self.connection().await?;
        let mut pruned = 0;
        loop {
            let gone = execute!(
                &mut db,
                "DELETE FROM request_bodies WHERE id IN
                     (SELECT id FROM request_bodies WHERE id < $1 ORDER BY id LIMIT 100)",
                oldest,
            )?;
            pruned += gone;
            if gone == 0 {
                return Ok(pruned);
            }
        }
    }

    /// Forgets those that came in before `oldest`, and of the others all but the newest `keep`; answers
    /// how many. In steps, so that nobody who wants to write waits long.
    pub async fn prune_requests(&self, keep: u32, oldest: Uuid) -> Result<u64, StoreError> {
        const STEP: &str = "SELECT id FROM requests WHERE id < $1 ORDER BY id LIMIT 1000";
        let mut db = self.connection().await?;
        let first_too_many = fetch_optional!(
            &mut db,
            (Uuid,),
            "SELECT id FROM requests ORDER BY id DESC LIMIT 1 OFFSET $1",
            i64::from(keep),
        )?;
        drop(db);
        // Of those from the same moment some may stay that are one too many.
        let oldest = first_too_many.map_or(oldest, |(id,)| oldest.max(after(id)));
        let mut pruned = 0;
        loop {
            let mut transaction = self.begin().await?;
            for table in ["request_details", "request_bodies"] {
                execute!(
                    &mut transaction,
                    AssertSqlSafe(format!("DELETE FROM {table} WHERE id IN ({STEP})")),
                    oldest,
                )?;
            }
            let gone = execute!(
                &mut transaction,
                AssertSqlSafe(format!("DELETE FROM requests WHERE id IN ({STEP})")),
                oldest,
            )?;
            transaction.commit().await?;
            pruned += gone;
            if gone == 0 {
                return Ok(pruned);
            }
        }
    }
}

/// The next id there could be.
fn after(id: Uuid) -> Uuid {
    Uuid::from_u128(id.as_u128().saturating_add(1))
}
