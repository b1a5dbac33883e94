//! What narrows the list down: kept in the page's address, so that it can be shared and gone back to.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use leptos_router::location::Url;
use leptos_router::params::ParamsMap;
use routing::DecidedBy;

use crate::api::request::RequestFilter;
use crate::components::decided_by::decided_by_key;
use crate::paths;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    Range,
    Route,
    Target,
    Key,
    Status,
    Path,
    Slow,
    DecidedBy,
    Tie,
    Fallback,
}

impl Field {
    const ALL: [Self; 10] = [
        Self::Range,
        Self::Route,
        Self::Target,
        Self::Key,
        Self::Status,
        Self::Path,
        Self::Slow,
        Self::DecidedBy,
        Self::Tie,
        Self::Fallback,
    ];

    /// In the address; the API calls all but the range the same.
    fn name(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Route => "route",
            Self::Target => "target",
            Self::Key => "key",
            Self::Status => "status",
            Self::Path => "path",
            Self::Slow => "slow_ms",
            Self::DecidedBy => "decided_by",
            Self::Tie => "tie",
            Self::Fallback => "fallback",
        }
    }

    /// An address can say anything.
    fn takes(self, value: &str) -> bool {
        match self {
            Self::Range => Range::of(value).is_some(),
            Self::Slow => value.parse::<u32>().is_ok(),
            Self::DecidedBy => decided_by(value).is_some(),
            Self::Tie | Self::Fallback => value.parse::<bool>().is_ok(),
            Self::Route | Self::Target | Self::Key | Self::Status | Self::Path => !value.is_empty(),
        }
    }
}

/// Up to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Range {
    Hour,
    Day,
    Week,
}

impl Range {
    pub(super) const ALL: [Self; 3] = [Self::Hour, Self::Day, Self::Week];

    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
        }
    }

    fn of(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|range| range.key() == key)
    }

    fn length(self) -> TimeDelta {
        match self {
            Self::Hour => TimeDelta::hours(1),
            Self::Day => TimeDelta::days(1),
            Self::Week => TimeDelta::days(7),
        }
    }
}

fn decided_by(key: &str) -> Option<DecidedBy> {
    DecidedBy::ALL
        .into_iter()
        .find(|known| decided_by_key(*known) == key)
}

/// Values that make sense, by their fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filters(BTreeMap<Field, String>);

impl Filters {
    pub(super) fn of(query: &ParamsMap) -> Self {
        let values = Field::ALL.into_iter().filter_map(|field| {
            let value = query.get(field.name())?;
            field.takes(&value).then_some((field, value))
        });
        Self(values.collect())
    }

    /// Empty where there is no such filter.
    pub(super) fn get(&self, field: Field) -> &str {
        self.0.get(&field).map_or("", String::as_str)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// With another value of a field; what it does not take is none.
    pub(super) fn with(mut self, field: Field, value: String) -> Self {
        match field.takes(&value) {
            true => self.0.insert(field, value),
            false => self.0.remove(&field),
        };
        self
    }

    /// Of the page that shows what they leave.
    pub(super) fn address(&self) -> String {
        let pairs = self
            .0
            .iter()
            .map(|(field, value)| pair(field.name(), value));
        match pairs.collect::<Vec<_>>().join("&") {
            query if query.is_empty() => paths::REQUESTS.to_owned(),
            query => format!("{}?{query}", paths::REQUESTS),
        }
    }

    /// Of the file with all they leave.
    pub(super) fn export(&self, format: &str, now: DateTime<Utc>) -> String {
        let given = self.0.iter().filter(|(field, _)| **field != Field::Range);
        let given = given.map(|(field, value)| pair(field.name(), value));
        let since = self.since(now).map(|since| {
            let since = since.to_rfc3339_opts(SecondsFormat::Secs, true);
            pair("since", &since)
        });
        let pairs = [pair("format", format)]
            .into_iter()
            .chain(given)
            .chain(since);
        format!(
            "/api/v1/requests/export?{}",
            pairs.collect::<Vec<_>>().join("&")
        )
    }

    pub(super) fn wanted(&self, now: DateTime<Utc>) -> RequestFilter {
        let text = |field| Some(self.get(field).to_owned()).filter(|value| !value.is_empty());
        RequestFilter {
            route: text(Field::Route),
            target: text(Field::Target),
            key: text(Field::Key),
            status: text(Field::Status),
            path: text(Field::Path),
            since: self.since(now),
            slow_ms: self.get(Field::Slow).parse().ok(),
            decided_by: decided_by(self.get(Field::DecidedBy)),
            tie: self.get(Field::Tie).parse().ok(),
            fallback: self.get(Field::Fallback).parse().ok(),
            ..RequestFilter::default()
        }
    }

    fn since(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        now.checked_sub_signed(Range::of(self.get(Field::Range))?.length())
    }
}

fn pair(name: &str, value: &str) -> String {
    format!("{name}={}", Url::escape(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filters(pairs: &[(&str, &str)]) -> Filters {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Filters::of(&pairs.collect())
    }

    #[test]
    fn filters_live_in_the_address() {
        let found = filters(&[("route", "Qwen/Qwen3"), ("tie", "true"), ("range", "day")]);
        assert_eq!(found.get(Field::Route), "Qwen/Qwen3");
        assert_eq!(
            found.address(),
            "/requests?range=day&route=Qwen%2FQwen3&tie=true"
        );
        let changed = found
            .with(Field::Route, String::new())
            .with(Field::Slow, "250".into());
        assert_eq!(
            changed.address(),
            "/requests?range=day&slow_ms=250&tie=true"
        );
        assert_eq!(filters(&[]).address(), "/requests");
    }

    #[test]
    fn what_makes_no_sense_is_no_filter() {
        let nonsense = [
            ("range", "century"),
            ("slow_ms", "-1"),
            ("decided_by", "the moon"),
            ("tie", "perhaps"),
            ("status", ""),
            ("before", "x"),
        ];
        assert!(filters(&nonsense).is_empty());
    }

    #[test]
    fn a_range_ends_now() {
        let now = DateTime::from_timestamp(1_764_435_600, 0).unwrap();
        let found = filters(&[("range", "hour"), ("decided_by", "chance"), ("key", "e2e")]);
        let wanted = found.wanted(now);
        assert_eq!(wanted.since, Some(now - TimeDelta::hours(1)));
        assert_eq!(wanted.decided_by, Some(DecidedBy::Chance));
        assert_eq!(wanted.key.as_deref(), Some("e2e"));
        assert_eq!(wanted.route, None);
        assert_eq!(
            found.export("csv", now),
            "/api/v1/requests/export?format=csv&key=e2e&decided_by=chance&since=2025%2D11%2D29T16%3A00%3A00Z"
        );
    }
}
