//! What requests came to over time.

use std::collections::BTreeMap;

use app::api::usage::{Counts, Step, Usage, UsageBy, UsageQuery, UsageRow};
use app::error::ApiError;
use chrono::{DateTime, TimeDelta, Utc};

use super::Inspector;
use crate::request_archive::hour_of;
use crate::store::now;

const MOST_STEPS: usize = 1_000;
const A_DAY_MIN: i32 = 24 * 60;

impl Inspector {
    /// # Errors
    /// 422 by field.
    pub async fn usage(&self, query: &UsageQuery) -> Result<Usage, ApiError> {
        let steps = Steps::of(query)?;
        self.log.settled().await;
        let names = self.names.load(&self.store).await?;
        let hours = steps.first_hour..steps.last_hour;
        let sums = self.store.usage(query.by, hours).await?;
        let mut rows: BTreeMap<String, UsageRow> = BTreeMap::new();
        for sum in sums {
            let Some(step) = steps.step_of(sum.hour) else {
                continue;
            };
            // Two keys may have one name; a key or route that was renamed is still itself.
            let name = match query.by {
                UsageBy::Key | UsageBy::Route => names.id(sum.name).map(|id| id.to_string()),
                UsageBy::Target => None,
            };
            let text = names.text(sum.name);
            let row = rows
                .entry(name.unwrap_or_else(|| text.to_owned()))
                .or_default();
            row.steps.resize(steps.count, Counts::default());
            row.name = text.to_owned();
            row.total.add(sum.counts);
            if let Some(counts) = row.steps.get_mut(step) {
                counts.add(sum.counts);
            }
        }
        let mut rows: Vec<_> = rows.into_values().collect();
        rows.sort_by(|a, b| (b.total.requests, &a.name).cmp(&(a.total.requests, &b.name)));
        Ok(Usage {
            steps: (0..steps.count).map(|step| steps.begin(step)).collect(),
            rows,
        })
    }
}

/// How hours fall into steps.
#[derive(Debug)]
struct Steps {
    first_hour: i32,
    /// Exclusive.
    last_hour: i32,
    step: Step,
    offset_min: i32,
    count: usize,
}

impl Steps {
    fn of(query: &UsageQuery) -> Result<Self, ApiError> {
        if !(-A_DAY_MIN..=A_DAY_MIN).contains(&query.offset_min) {
            let wrong = "Must be the minutes by which a clock is ahead of UTC, such as 540.";
            return Err(ApiError::invalid_field("offset_min", wrong));
        }
        let until = query.until.unwrap_or_else(now);
        let mut steps = Self {
            first_hour: hour_of(query.since),
            // An hour that has begun is in it.
            last_hour: hour_of(until - TimeDelta::microseconds(1)) + 1,
            step: query.step,
            offset_min: query.offset_min,
            count: 0,
        };
        if steps.last_hour <= steps.first_hour {
            let wrong = "Must be before `until`, and in the past.";
            return Err(ApiError::invalid_field("since", wrong));
        }
        let last = steps.number(steps.last_hour - 1);
        steps.count = usize::try_from(last - steps.number(steps.first_hour) + 1).unwrap_or(0);
        if steps.count > MOST_STEPS {
            let wrong = format!("At most {MOST_STEPS} steps at a time; ask for days, or for less.");
            return Err(ApiError::invalid_field("since", wrong));
        }
        Ok(steps)
    }

    /// Hours or days since 1970 by the clock that is meant. Where that is off by less than an hour, an
    /// hour belongs to the day in which it begins.
    fn number(&self, hour: i32) -> i32 {
        match self.step {
            Step::Hour => hour,
            Step::Day => (hour * 60 + self.offset_min).div_euclid(A_DAY_MIN),
        }
    }

    fn step_of(&self, hour: i32) -> Option<usize> {
        usize::try_from(self.number(hour) - self.number(self.first_hour)).ok()
    }

    fn begin(&self, step: usize) -> DateTime<Utc> {
        let step = i64::try_from(step).unwrap_or_default();
        let first: i64 = self.number(self.first_hour).into();
        let minutes = match self.step {
            Step::Hour => (first + step) * 60,
            Step::Day => (first + step) * i64::from(A_DAY_MIN) - i64::from(self.offset_min),
        };
        DateTime::from_timestamp(minutes * 60, 0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn query(since: &str, until: &str, step: Step, offset_min: i32) -> UsageQuery {
        UsageQuery {
            since: at(since),
            until: Some(at(until)),
            by: UsageBy::Route,
            step,
            offset_min,
        }
    }

    #[test]
    fn hours_follow_each_other_without_gaps() {
        let query = query(
            "2026-11-29T22:10:00Z",
            "2026-11-30T01:00:00Z",
            Step::Hour,
            0,
        );
        let steps = Steps::of(&query).unwrap();
        assert_eq!(steps.count, 3);
        assert_eq!(steps.begin(2), at("2026-11-30T00:00:00Z"));
        assert_eq!(steps.step_of(hour_of(at("2026-11-29T23:59:59Z"))), Some(1));
    }

    #[test]
    fn days_are_those_of_the_clock_that_is_meant() {
        let query = query(
            "2026-11-28T15:00:00Z",
            "2026-11-30T15:00:00Z",
            Step::Day,
            540,
        );
        let steps = Steps::of(&query).unwrap();
        assert_eq!(steps.count, 2);
        assert_eq!(steps.begin(0), at("2026-11-28T15:00:00Z"));
        assert_eq!(steps.step_of(hour_of(at("2026-11-29T14:59:00Z"))), Some(0));
        assert_eq!(steps.step_of(hour_of(at("2026-11-29T15:00:00Z"))), Some(1));
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_field() {
        let field = |query: &UsageQuery| Steps::of(query).unwrap_err().fields.into_keys().next();
        let (a, b) = ("2020-01-01T00:00:00Z", "2026-01-01T00:00:00Z");
        assert_eq!(field(&query(b, a, Step::Day, 0)).as_deref(), Some("since"));
        assert_eq!(field(&query(a, b, Step::Hour, 0)).as_deref(), Some("since"));
        assert_eq!(
            field(&query(a, b, Step::Day, 9_999)).as_deref(),
            Some("offset_min")
        );
    }
}
