//! The database as the place where records of requests outlive the process.

mod bodies;
mod numbers;
mod pack;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Mutex;
use uuid::Uuid;

use self::numbers::Numbers;
use crate::gateway::record::Record;
use crate::gateway::request_log::Archive;
use crate::store::{Store, StoreError, now};
use crate::vault::Vault;

pub use self::bodies::unseal;
pub use self::pack::number_of;

/// Sums by the hour are kept longer than the requests that they are of.
const USAGE_KEPT: TimeDelta = TimeDelta::days(400);

/// How long records are kept, and how many.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    pub days: u32,
    pub most: u32,
    /// Of what was asked and answered.
    pub bodies_days: u32,
}

#[derive(Debug)]
pub struct RequestArchive {
    store: Store,
    vault: Vault,
    retention: Retention,
    numbers: Mutex<Numbers>,
}

impl RequestArchive {
    pub fn new(store: Store, vault: Vault, retention: Retention) -> Self {
        Self {
            store,
            vault,
            retention,
            numbers: Mutex::default(),
        }
    }

    async fn try_write(&self, records: &[Arc<Record>]) -> Result<(), StoreError> {
        let mut numbers = self.numbers.lock().await;
        numbers.learn(&self.store, records).await?;
        let rows = pack::rows(records, &numbers);
        let hours = pack::hours(records, &rows);
        drop(numbers);
        let bodies: Vec<_> = records
            .iter()
            .filter_map(|record| bodies::sealed(record, &self.vault))
            .collect();
        match self.store.write_requests(&rows, &hours, &bodies).await {
            // Twice would be worse than perhaps not at all.
            Err(StoreError::Unsure { .. }) => Ok(()),
            written => written,
        }
    }

    async fn try_prune(&self) -> Result<(), StoreError> {
        let Retention {
            days,
            most,
            bodies_days,
        } = self.retention;
        let first_of = |days: u32| first_id_of(now() - TimeDelta::days(days.into()));
        self.store.prune_requests(most, first_of(days)).await?;
        self.store.prune_bodies(first_of(bodies_days)).await?;
        self.store.prune_usage(hour_of(now() - USAGE_KEPT)).await?;
        Ok(())
    }
}

#[async_trait]
impl Archive for RequestArchive {
    async fn write(&self, records: &[Arc<Record>]) -> bool {
        let written = self.try_write(records).await;
        written
            .inspect_err(
                |error| tracing::warn!(%error, "records of requests were not written down"),
            )
            .is_ok()
    }

    async fn prune(&self) {
        if let Err(error) = self.try_prune().await {
            tracing::warn!(%error, "old records of requests were not forgotten");
        }
    }
}

/// The least id that a request of this moment can have: ids begin with their moment in milliseconds.
pub fn first_id_of(moment: DateTime<Utc>) -> Uuid {
    const BITS_AFTER_MOMENT: u32 = 80;
    let ms = u128::try_from(moment.timestamp_millis()).unwrap_or_default();
    Uuid::from_u128(ms << BITS_AFTER_MOMENT)
}

/// The moment in an id.
pub fn moment_of(id: Uuid) -> DateTime<Utc> {
    let (seconds, nanos) = id.get_timestamp().map_or((0, 0), |at| at.to_unix());
    let seconds = i64::try_from(seconds).unwrap_or_default();
    DateTime::from_timestamp(seconds, nanos).unwrap_or_default()
}

/// Hours since 1970.
pub fn hour_of(moment: DateTime<Utc>) -> i32 {
    const SECONDS: i64 = 60 * 60;
    i32::try_from(moment.timestamp().div_euclid(SECONDS)).unwrap_or_default()
}

/// Milliseconds, as far as the database keeps them: 24 days.
fn ms(duration: Duration) -> i32 {
    i32::try_from(duration.as_millis()).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_in_the_order_of_their_moments() {
        let at = DateTime::from_timestamp_millis(1_796_000_000_123).unwrap();
        let first = first_id_of(at);
        let timestamp = uuid::Timestamp::from_unix(uuid::NoContext, 1_796_000_000, 123_000_000);
        let id = Uuid::new_v7(timestamp);
        assert!(first <= id && id < first_id_of(at + TimeDelta::milliseconds(1)));
        assert_eq!(moment_of(id), at);
        assert_eq!(hour_of(at), 498_888);
        assert_eq!(moment_of(Uuid::nil()), DateTime::<Utc>::default());
    }
}
