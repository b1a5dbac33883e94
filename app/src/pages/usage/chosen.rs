//! What the page shows: over how long, by what, and which number. It is kept in the address, so that a
//! link leads to the same and Back to what was before.

use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_query_map};

use crate::api::usage::{Counts, Step, UsageBy, UsageQuery};
use crate::paths;

const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Range {
    /// 24 hours.
    #[default]
    Day,
    /// 7 days.
    Week,
    /// 30 days.
    Month,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Measure {
    #[default]
    Requests,
    Errors,
    Tokens,
}

/// As the address has it. What is left out there is the first of its kind.
const RANGES: [(Range, &str); 3] = [
    (Range::Day, "day"),
    (Range::Week, "week"),
    (Range::Month, "month"),
];
const BY: [(UsageBy, &str); 3] = [
    (UsageBy::Route, "route"),
    (UsageBy::Target, "target"),
    (UsageBy::Key, "key"),
];
const MEASURES: [(Measure, &str); 3] = [
    (Measure::Requests, "requests"),
    (Measure::Errors, "errors"),
    (Measure::Tokens, "tokens"),
];

impl Range {
    pub(super) fn has_days(self) -> bool {
        self != Self::Day
    }

    /// What to ask for at a moment, where the clock is `offset_min` ahead of UTC. The present hour or
    /// day is the last.
    pub(super) fn query(self, by: UsageBy, now: DateTime<Utc>, offset_min: i32) -> UsageQuery {
        let now_s = now.timestamp();
        let ahead = i64::from(offset_min) * 60;
        let today = (now_s + ahead).div_euclid(DAY) * DAY - ahead;
        let since = match self {
            Self::Day => now_s.div_euclid(HOUR) * HOUR - 23 * HOUR,
            Self::Week => today - 6 * DAY,
            Self::Month => today - 29 * DAY,
        };
        // Where midnight is within an hour of UTC, that hour is still of the day before.
        let since = (since + HOUR - 1).div_euclid(HOUR) * HOUR;
        UsageQuery {
            since: DateTime::from_timestamp(since, 0).unwrap_or(now),
            until: None,
            by,
            step: if self.has_days() {
                Step::Day
            } else {
                Step::Hour
            },
            offset_min,
        }
    }
}

impl Measure {
    pub(super) fn of(self, counts: &Counts) -> u64 {
        match self {
            Self::Requests => counts.requests,
            Self::Errors => counts.errors,
            Self::Tokens => counts.input + counts.output,
        }
    }
}

/// Its signals live as long as the page.
#[derive(Clone, Copy)]
pub(super) struct Chosen {
    pub range: RwSignal<Range>,
    pub by: RwSignal<UsageBy>,
    pub measure: RwSignal<Measure>,
}

impl Chosen {
    /// What the address says, and what it will say when something else is chosen.
    pub(super) fn in_address() -> Self {
        let query = use_query_map();
        let navigate = use_navigate();
        let said = Memo::new(move |_| read(|name| query.read().get(name)));
        let (range, by, measure) = said.get_untracked();
        let chosen = Self {
            range: RwSignal::new(range),
            by: RwSignal::new(by),
            measure: RwSignal::new(measure),
        };
        let wanted = Memo::new(move |_| {
            let (range, by) = (chosen.range.get(), chosen.by.get());
            (range, by, chosen.measure.get())
        });
        // Somebody went back, or followed a link to this page.
        Effect::watch(
            move || said.get(),
            move |said, _, _| {
                if *said != wanted.get_untracked() {
                    let (range, by, measure) = *said;
                    chosen.range.set(range);
                    chosen.by.set(by);
                    chosen.measure.set(measure);
                }
            },
            false,
        );
        Effect::watch(
            move || wanted.get(),
            move |wanted, _, _| {
                if *wanted != said.get_untracked() {
                    let options = NavigateOptions {
                        replace: true,
                        scroll: false,
                        ..Default::default()
                    };
                    navigate(&written(*wanted), options);
                }
            },
            false,
        );
        chosen
    }
}

type All = (Range, UsageBy, Measure);

fn read(get: impl Fn(&str) -> Option<String>) -> All {
    (
        find(&RANGES, get("range")),
        find(&BY, get("by")),
        find(&MEASURES, get("measure")),
    )
}

fn find<T: Copy + Default>(known: &[(T, &str)], name: Option<String>) -> T {
    let found = known
        .iter()
        .find(|(_, known)| name.as_deref() == Some(*known));
    found.map(|(value, _)| *value).unwrap_or_default()
}

/// The page's address.
fn written((range, by, measure): All) -> String {
    let parts = [
        ("range", name(&RANGES, range)),
        ("by", name(&BY, by)),
        ("measure", name(&MEASURES, measure)),
    ];
    let mut address = paths::USAGE.to_owned();
    let said = parts
        .iter()
        .filter_map(|(key, value)| value.map(|value| format!("{key}={value}")));
    for (place, part) in said.enumerate() {
        address.push(if place == 0 { '?' } else { '&' });
        address.push_str(&part);
    }
    address
}

/// Nothing for what goes without saying.
fn name<T: Default + PartialEq>(known: &[(T, &'static str)], value: T) -> Option<&'static str> {
    let found = known.iter().find(|(known, _)| *known == value)?;
    (value != T::default()).then_some(found.1)
}

/// Where the same is to be had as CSV.
pub(super) fn export_address(query: &UsageQuery) -> String {
    let known = BY.iter().find(|(by, _)| *by == query.by);
    let by = known.map(|(_, name)| *name).unwrap_or_default();
    let step = match query.step {
        Step::Hour => "hour",
        Step::Day => "day",
    };
    format!(
        "/api/v1/usage/export?since={}&by={by}&step={step}&offset_min={}",
        query.since.format("%Y-%m-%dT%H:%M:%SZ"),
        query.offset_min
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(range: Range, now: &str, offset_min: i32) -> String {
        let query = range.query(UsageBy::Route, now.parse().unwrap(), offset_min);
        query.since.format("%m-%d %H:%M").to_string()
    }

    #[test]
    fn a_range_ends_with_the_present_hour_or_day() {
        let now = "2026-11-30T17:45:10Z";
        assert_eq!(since(Range::Day, now, 0), "11-29 18:00");
        assert_eq!(since(Range::Week, now, 0), "11-24 00:00");
        assert_eq!(since(Range::Month, now, 0), "11-01 00:00");
    }

    #[test]
    fn days_begin_at_midnight_where_somebody_is() {
        // In Tokyo it is the first of December already.
        assert_eq!(
            since(Range::Week, "2026-11-30T17:45:10Z", 540),
            "11-24 15:00"
        );
        assert_eq!(
            since(Range::Week, "2026-11-30T02:00:00Z", -480),
            "11-23 08:00"
        );
        // 18:30 UTC, from the next full hour on.
        assert_eq!(
            since(Range::Week, "2026-11-30T12:00:00Z", 330),
            "11-23 19:00"
        );
    }

    #[test]
    fn the_address_says_what_is_chosen() {
        assert_eq!(read(|_| None), Default::default());
        assert_eq!(written(Default::default()), "/usage");
        let all = (Range::Month, UsageBy::Key, Measure::Tokens);
        assert_eq!(written(all), "/usage?range=month&by=key&measure=tokens");
        let some = (Range::Day, UsageBy::Target, Measure::Requests);
        assert_eq!(written(some), "/usage?by=target");
        for one in [all, some] {
            let address = written(one);
            let get = |name: &str| {
                let (_, query) = address.split_once('?').unwrap();
                let mut parts = query.split('&').filter_map(|part| part.split_once('='));
                let found = parts.find(|(key, _)| *key == name);
                found.map(|(_, value)| value.to_owned())
            };
            assert_eq!(read(get), one);
        }
        assert_eq!(read(|_| Some("nonsense".into())), Default::default());
    }

    #[test]
    fn the_export_is_of_the_same() {
        let now = "2026-11-30T17:45:10Z".parse().unwrap();
        assert_eq!(
            export_address(&Range::Week.query(UsageBy::Key, now, -480)),
            "/api/v1/usage/export?since=2026-11-24T08:00:00Z&by=key&step=day&offset_min=-480"
        );
        // Its names are those of the query.
        for (by, name) in BY {
            assert_eq!(serde_json::to_value(by).unwrap(), name);
        }
    }
}
