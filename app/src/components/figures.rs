//! Figures with their units.

use leptos::prelude::*;

use crate::api::price::Amount;
use crate::i18n::{Locale, text, use_locale};

/// A length of time: whole milliseconds below a second, then seconds.
pub(crate) fn took(locale: Locale, ms: u64) -> String {
    match ms {
        0..1_000 => text!(locale, figures.ms, ms = ms),
        1_000..10_000 => seconds(locale, format!("{:.2}", ms as f64 / 1e3)),
        10_000..100_000 => seconds(locale, format!("{:.1}", ms as f64 / 1e3)),
        _ => seconds(locale, grouped(ms.div_ceil(1_000))),
    }
}

fn seconds(locale: Locale, seconds: String) -> String {
    text!(locale, figures.s, s = seconds)
}

/// With a comma between thousands, as in both languages.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// To the hundredth, and what is less to the millionth.
pub(crate) fn money(amount: Amount) -> String {
    let whole = grouped(amount.millionths / 1_000_000);
    let rest = amount.millionths % 1_000_000;
    match (amount.millionths, rest / 10_000) {
        (1..10_000, _) => format!("0.{rest:06}"),
        (_, hundredths) => format!("{whole}.{hundredths:02}"),
    }
}

/// Stands for a figure that nobody knows.
#[component]
pub(crate) fn Unknown(
    /// Why.
    #[prop(optional, into)]
    title: Option<String>,
) -> impl IntoView {
    let title = title.unwrap_or_else(|| text!(use_locale(), figures.unknown).to_owned());
    view! {
        <span class="muted" title=title>
            <span aria-hidden="true">"–"</span>
            <span class="unseen">{title.clone()}</span>
        </span>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_have_units() {
        let cases = [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_000, "1.00 s"),
            (9_994, "9.99 s"),
            (61_449, "61.4 s"),
            (1_234_001, "1,235 s"),
        ];
        for (ms, told) in cases {
            assert_eq!(took(Locale::en, ms), told);
        }
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn money_is_written_as_it_is_counted() {
        for (millionths, written) in [
            (0, "0.00"),
            (11, "0.000011"),
            (10_000, "0.01"),
            (1_239_999, "1.23"),
            (1_234_567_800_000, "1,234,567.80"),
        ] {
            assert_eq!(money(Amount::new(millionths)), written);
        }
    }
}
