//! The clocks of those who ask. The server renders in UTC; a browser writes times as its people do.

use chrono::{DateTime, TimeDelta, Utc};
use leptos::prelude::*;

use crate::api::usage::{Step, UsageQuery};
use crate::components::time::by_intl;
use crate::i18n::Locale;
use crate::live::use_live;

/// Minutes by which the browser's clock is ahead of UTC; 0 until the page is alive.
pub(super) fn use_offset() -> Signal<i32> {
    // Who came by a click is in a browser from the start.
    let at_once = use_live().get_untracked();
    let offset = RwSignal::new(if at_once { browser_offset() } else { 0 });
    Effect::new(move |_| offset.set(browser_offset()));
    offset.into()
}

fn browser_offset() -> i32 {
    -(js_sys::Date::new_0().get_timezone_offset() as i32)
}

/// Whether what is written is written in the browser; not until the page is alive, which must begin as
/// the server wrote it.
pub(super) fn use_in_browser() -> Signal<bool> {
    let alive = RwSignal::new(false);
    Effect::new(move |_| alive.set(true));
    alive.into()
}

/// When a step of what was asked begins.
pub(super) fn label(
    locale: Locale,
    at: DateTime<Utc>,
    query: &UsageQuery,
    in_browser: bool,
) -> String {
    // Days are of the clock that was asked for, whatever the zone and its summer time.
    let day = at + TimeDelta::minutes(i64::from(query.offset_min));
    match (query.step, in_browser) {
        (Step::Hour, false) => at.format("%H:%M").to_string(),
        (Step::Day, false) => day.format("%m-%d").to_string(),
        (Step::Hour, true) => {
            let hour = [
                ("hour", "2-digit"),
                ("minute", "2-digit"),
                ("hourCycle", "h23"),
            ];
            by_intl(locale, at, &hour)
        }
        (Step::Day, true) => {
            let day_of_utc = [("month", "short"), ("day", "numeric"), ("timeZone", "UTC")];
            by_intl(locale, day, &day_of_utc)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::usage::UsageBy;

    #[test]
    fn the_server_writes_the_clock_that_was_asked_for() {
        let at = "2026-11-29T15:00:00Z".parse().unwrap();
        let told = |step, offset_min| {
            let query = UsageQuery {
                since: at,
                until: None,
                by: UsageBy::Route,
                step,
                offset_min,
            };
            label(Locale::default(), at, &query, false)
        };
        assert_eq!(told(Step::Hour, 0), "15:00");
        assert_eq!(told(Step::Day, 0), "11-29");
        assert_eq!(told(Step::Day, 540), "11-30");
    }
}
