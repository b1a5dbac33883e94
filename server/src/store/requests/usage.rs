//! What requests came to, by the hour.

use std::ops::Range;

use app::api::price::Amount;
use app::api::usage::{Counts, UsageBy};
use sqlx::AssertSqlSafe;

use crate::store::dispatch::On;
use crate::store::error::StoreError;
use crate::store::{Store, Transaction};

/// Of one hour since 1970. Names by their number, 0 for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageHour {
    pub hour: i32,
    pub route: i32,
    pub target: i32,
    pub api_key: i32,
    pub counts: Counts,
}

/// Of one hour and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageSum {
    pub hour: i32,
    pub name: i32,
    pub counts: Counts,
}

struct Row {
    hour: i32,
    name: i32,
    requests: i64,
    errors: i64,
    input: i64,
    output: i64,
    cached: i64,
    reasoning: i64,
    uncounted: i64,
    cost: i64,
}

from_row!(
    Row: hour, name, requests, errors, input, output, cached, reasoning, uncounted, cost
);

pub(super) async fn add(
    transaction: &mut Transaction,
    hours: &[UsageHour],
) -> Result<(), StoreError> {
    insert_rows!(
        &mut *transaction,
        "INSERT INTO usage_hours (hour, route, target, api_key, requests, errors, input, output,
                                  cached, reasoning, uncounted, cost)",
        "ON CONFLICT (hour, route, target, api_key) DO UPDATE
            SET requests = usage_hours.requests + excluded.requests,
                errors = usage_hours.errors + excluded.errors,
                input = usage_hours.input + excluded.input,
                output = usage_hours.output + excluded.output,
                cached = usage_hours.cached + excluded.cached,
                reasoning = usage_hours.reasoning + excluded.reasoning,
                uncounted = usage_hours.uncounted + excluded.uncounted,
                cost = usage_hours.cost + excluded.cost",
        hours,
        one => [
            one.hour, one.route, one.target, one.api_key,
            wide(one.counts.requests), wide(one.counts.errors), wide(one.counts.input),
            wide(one.counts.output), wide(one.counts.cached), wide(one.counts.reasoning),
            wide(one.counts.uncounted), wide(one.counts.cost.millionths),
        ]
    );
    Ok(())
}

impl Store {
    /// Sums by hour and name.
    pub async fn usage(&self, by: UsageBy, hours: Range<i32>) -> Result<Vec<UsageSum>, StoreError> {
        let column = match by {
            UsageBy::Route => "route",
            UsageBy::Target => "target",
            UsageBy::Key => "api_key",
        };
        let sum = |counted: &str| format!("CAST(SUM({counted}) AS BIGINT) AS {counted}");
        let sums = [
            "requests",
            "errors",
            "input",
            "output",
            "cached",
            "reasoning",
            "uncounted",
            "cost",
        ]
        .map(sum)
        .join(", ");
        let sql = format!(
            "SELECT hour, {column} AS name, {sums}
               FROM usage_hours WHERE hour >= $1 AND hour < $2
              GROUP BY hour, {column} ORDER BY hour",
        );
        let mut db = self.connection().await?;
        let rows = fetch_all!(&mut db, Row, AssertSqlSafe(sql), hours.start, hours.end)?;
        Ok(rows.into_iter().map(UsageSum::from).collect())
    }

    /// Forgets hours before one; answers how many rows.
    pub async fn prune_usage(&self, before: i32) -> Result<u64, StoreError> {
        let mut db = self.connection().await?;
        execute!(&mut db, "DELETE FROM usage_hours WHERE hour < $1", before)
    }
}

impl From<Row> for UsageSum {
    fn from(row: Row) -> Self {
        let count = |number: i64| u64::try_from(number).unwrap_or_default();
        Self {
            hour: row.hour,
            name: row.name,
            counts: Counts {
                requests: count(row.requests),
                errors: count(row.errors),
                input: count(row.input),
                output: count(row.output),
                cached: count(row.cached),
                reasoning: count(row.reasoning),
                uncounted: count(row.uncounted),
                cost: Amount::new(count(row.cost)),
            },
        }
    }
}

fn wide(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
