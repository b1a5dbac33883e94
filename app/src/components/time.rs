//! A moment: how long ago or ahead it is, the exact time on hover, by the browser's own clock.
//!
//! The server writes the exact time; the browser makes it relative once the page is alive, so both
//! render the same page whatever their clocks say.

use std::time::Duration;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use js_sys::{Object, Reflect};
use leptos::prelude::*;
use leptos_i18n::Locale as _;
use wasm_bindgen::JsValue;

use crate::i18n::{Locale, text, use_locale};

/// How often what is shown moves on: "1 min ago" is the finest step.
const TICK: Duration = Duration::from_secs(20);

#[derive(Clone, Copy)]
struct Clock(RwSignal<Option<DateTime<Utc>>>);

/// For everything below: a clock that starts when the page is alive.
pub(crate) fn provide_clock() {
    let now = RwSignal::new(None);
    provide_context(Clock(now));
    Effect::new(move |_| {
        now.set(browser_now());
        if let Ok(ticking) = set_interval_with_handle(move || now.set(browser_now()), TICK) {
            on_cleanup(move || ticking.clear());
        }
    });
}

/// The present by the browser's clock, to within [`TICK`]; nothing until the page, and what asks in
/// it, is alive.
pub(crate) fn use_now() -> Signal<Option<DateTime<Utc>>> {
    let clock = use_context::<Clock>();
    // A part that comes alive after the clock started must still begin as the server wrote it.
    let now = RwSignal::new(None);
    Effect::new(move |_| now.set(clock.and_then(|clock| clock.0.get())));
    now.into()
}

/// Only for the browser.
pub(crate) fn browser_now() -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(js_sys::Date::now() as i64)
}

/// The present by the clock of whoever renders.
pub(crate) fn present() -> DateTime<Utc> {
    #[cfg(target_arch = "wasm32")]
    let present = browser_now().unwrap_or_default();
    #[cfg(not(target_arch = "wasm32"))]
    let present = std::time::SystemTime::now().into();
    present
}

#[component]
pub(crate) fn Time(at: DateTime<Utc>) -> impl IntoView {
    let locale = use_locale();
    let now = use_now();
    let exact = exact(at);
    let title = {
        let exact = exact.clone();
        let style = [("dateStyle", "medium"), ("timeStyle", "long")];
        move || match now.get() {
            Some(_) => by_intl(locale, at, &style),
            None => exact.clone(),
        }
    };
    let shown = move || {
        now.get()
            .map_or_else(|| exact.clone(), |now| relative(locale, at, now))
    };
    view! {
        <time class="time" datetime=at.trunc_subsecs(0).to_rfc3339() title=title>
            {shown}
        </time>
    }
}

/// As the browser's `Intl.DateTimeFormat` writes it; only for the browser.
pub(crate) fn by_intl(locale: Locale, at: DateTime<Utc>, options: &[(&str, &str)]) -> String {
    let given = Object::new();
    for (name, value) in options {
        // A new object takes everything.
        let _ = Reflect::set(&given, &(*name).into(), &(*value).into());
    }
    let date = js_sys::Date::new(&JsValue::from_f64(at.timestamp_millis() as f64));
    date.to_locale_string(locale.as_str(), &given).into()
}

pub(crate) fn exact(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

fn relative(locale: Locale, at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let away = at - now;
    match (span(away.abs()), away > TimeDelta::zero()) {
        (Span::Moment, _) => text!(locale, time.now).to_owned(),
        (Span::Minutes(count), false) => text!(locale, time.minutes_ago, count = count),
        (Span::Hours(count), false) => text!(locale, time.hours_ago, count = count),
        (Span::Days(count), false) => text!(locale, time.days_ago, count = count),
        (Span::Months(count), false) => text!(locale, time.months_ago, count = count),
        (Span::Years(count), false) => text!(locale, time.years_ago, count = count),
        (Span::Minutes(count), true) => text!(locale, time.in_minutes, count = count),
        (Span::Hours(count), true) => text!(locale, time.in_hours, count = count),
        (Span::Days(count), true) => text!(locale, time.in_days, count = count),
        (Span::Months(count), true) => text!(locale, time.in_months, count = count),
        (Span::Years(count), true) => text!(locale, time.in_years, count = count),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Span {
    Moment,
    Minutes(i64),
    Hours(i64),
    Days(i64),
    Months(i64),
    Years(i64),
}

/// In the largest unit of which it holds at least one (two months, for days say more until then),
/// rounded.
fn span(length: TimeDelta) -> Span {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    let seconds = length.num_seconds();
    let in_units = |unit: i64| (seconds + unit / 2) / unit;
    if seconds < 45 {
        Span::Moment
    } else if in_units(MINUTE) < 60 {
        Span::Minutes(in_units(MINUTE))
    } else if in_units(HOUR) < 24 {
        Span::Hours(in_units(HOUR))
    } else if in_units(DAY) < 60 {
        Span::Days(in_units(DAY))
    } else if in_units(DAY) < 700 {
        // A month's mean length is 30.44 days.
        Span::Months((in_units(DAY) * 100 + 1522) / 3044)
    } else {
        Span::Years((in_units(DAY) * 100 + 18262) / 36525)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_told_in_one_round_number() {
        let cases = [
            (TimeDelta::seconds(0), Span::Moment),
            (TimeDelta::seconds(44), Span::Moment),
            (TimeDelta::seconds(45), Span::Minutes(1)),
            (TimeDelta::minutes(59), Span::Minutes(59)),
            (TimeDelta::seconds(59 * 60 + 45), Span::Hours(1)),
            (TimeDelta::hours(23), Span::Hours(23)),
            (TimeDelta::minutes(23 * 60 + 40), Span::Days(1)),
            (TimeDelta::days(59), Span::Days(59)),
            (TimeDelta::days(61), Span::Months(2)),
            (TimeDelta::days(365), Span::Months(12)),
            (TimeDelta::days(731), Span::Years(2)),
        ];
        for (length, told) in cases {
            assert_eq!(span(length), told, "{length}");
        }
    }

    #[test]
    fn before_and_after_differ_in_words() {
        let now = DateTime::from_timestamp(1_764_435_600, 0).unwrap();
        let told = |seconds| relative(Locale::default(), now + TimeDelta::seconds(seconds), now);
        assert_eq!(told(-5), "just now");
        assert_eq!(told(-300), "5 min ago");
        assert_eq!(told(7 * 86_400), "in 7 d");
        assert_eq!(exact(now), "2025-11-29 17:00:00 UTC");
    }
}
