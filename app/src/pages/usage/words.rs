//! Names and numbers as the page writes them.

use crate::api::price::Amount;
use crate::api::usage::UsageBy;
use crate::components::figures::grouped;
use crate::i18n::{Locale, text};

use super::chosen::Measure;

/// To the hundredth, and what is less to the millionth.
pub(super) fn money(amount: Amount) -> String {
    let whole = grouped(amount.millionths / 1_000_000);
    let rest = amount.millionths % 1_000_000;
    match (amount.millionths, rest / 10_000) {
        (1..10_000, _) => format!("0.{rest:06}"),
        (_, hundredths) => format!("{whole}.{hundredths:02}"),
    }
}

/// In few signs, for an axis whose steps are round.
pub(super) fn short(number: u64) -> String {
    const UNITS: [(u64, &str); 4] = [
        (1_000_000_000_000, "T"),
        (1_000_000_000, "G"),
        (1_000_000, "M"),
        (1_000, "k"),
    ];
    let unit = UNITS
        .iter()
        .find(|(size, _)| number >= *size && number >= 10_000);
    match unit {
        Some((size, sign)) => {
            let tenths = number / (size / 10);
            match tenths % 10 {
                0 => format!("{}{sign}", tenths / 10),
                rest => format!("{}.{rest}{sign}", tenths / 10),
            }
        }
        None => grouped(number),
    }
}

/// What a row is of. Some requests had none: they named no route there is, or were sent nowhere.
pub(super) fn row_name(locale: Locale, by: UsageBy, name: &str) -> String {
    if !name.is_empty() {
        return name.to_owned();
    }
    let none = match by {
        UsageBy::Route => text!(locale, usage.no_route),
        UsageBy::Target => text!(locale, usage.no_target),
        UsageBy::Key => text!(locale, usage.no_key),
    };
    none.to_owned()
}

pub(super) fn measure_name(locale: Locale, measure: Measure) -> &'static str {
    match measure {
        Measure::Requests => text!(locale, usage.requests),
        Measure::Errors => text!(locale, usage.errors),
        Measure::Tokens => text!(locale, usage.tokens),
    }
}

pub(super) fn by_name(locale: Locale, by: UsageBy) -> &'static str {
    match by {
        UsageBy::Route => text!(locale, usage.by_route),
        UsageBy::Target => text!(locale, usage.by_target),
        UsageBy::Key => text!(locale, usage.by_key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn an_axis_is_short() {
        for (number, written) in [
            (0, "0"),
            (500, "500"),
            (2_500, "2,500"),
            (20_000, "20k"),
            (1_000_000, "1M"),
            (1_500_000, "1.5M"),
            (5_000_000_000, "5G"),
        ] {
            assert_eq!(short(number), written);
        }
    }
}
