//! How much load a session puts up with, told by the real scorers: a sentence and a table.

use leptos::prelude::*;
use routing::{Balance, Outcome};

use crate::i18n::{Locale, text, use_locale};

/// How many rows of the table there are at most.
const ROWS: u32 = 8;

#[component]
pub(super) fn BalanceTable(
    /// Of instances that take requests.
    candidates: u32,
    session_affinity: f64,
    least_inflight: f64,
) -> impl IntoView {
    let locale = use_locale();
    let balance = Balance::new(candidates, session_affinity, least_inflight)?;
    let moves_at = balance.moves_at();
    let last = moves_at.unwrap_or(ROWS - 2).min(ROWS - 2) + 1;
    let rows = (0..=last).map(|inflight| {
        view! {
            <tr>
                <td>{inflight}</td>
                <td>{outcome(locale, balance.outcome(inflight))}</td>
            </tr>
        }
    });
    Some(view! {
        <section class="balance" aria-labelledby="balance-title">
            <h3 class="plugin-title" id="balance-title">
                {text!(locale, balance.title)}
            </h3>
            <p class="decides-sentence" aria-live="polite">
                {sentence(locale, candidates, &balance)}
            </p>
            <table class="table balance-table" hidden={candidates < 2}>
                <thead>
                    <tr>
                        <th scope="col">{text!(locale, balance.in_flight)}</th>
                        <th scope="col">{text!(locale, balance.outcome)}</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </section>
    })
}

fn sentence(locale: Locale, candidates: u32, balance: &Balance) -> String {
    match (balance.moves_at(), balance.moves_above()) {
        _ if candidates < 2 => text!(locale, balance.alone).to_owned(),
        (Some(1), _) => text!(locale, balance.moves_at_once).to_owned(),
        (Some(count), _) => text!(locale, balance.moves_at, count = count),
        (None, weight) => {
            let weight = weight.unwrap_or_default();
            // Rounded up, so that what it says is enough.
            let weight = (weight * 100.0 - 1e-9).ceil() / 100.0;
            text!(locale, balance.never, weight = weight)
        }
    }
}

fn outcome(locale: Locale, outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Hold => text!(locale, balance.hold),
        Outcome::Tie => text!(locale, balance.tie),
        Outcome::Flip => text!(locale, balance.flip),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::use_locale;

    #[test]
    fn the_sentence_says_when_a_session_leaves() {
        let said = |candidates, affinity, inflight| {
            let balance = Balance::new(candidates, affinity, inflight).unwrap();
            sentence(use_locale(), candidates, &balance)
        };
        assert!(
            said(2, 1.0, 1.0).contains("has 2 more"),
            "{}",
            said(2, 1.0, 1.0)
        );
        assert!(
            said(4, 1.0, 1.0).contains("has 6 more"),
            "{}",
            said(4, 1.0, 1.0)
        );
        assert!(
            said(2, 1.0, 2.0).contains("as soon as"),
            "{}",
            said(2, 1.0, 2.0)
        );
        assert!(
            said(5, 1.0, 1.0).contains("above 1.04"),
            "{}",
            said(5, 1.0, 1.0)
        );
        assert!(
            said(1, 1.0, 1.0).contains("nowhere"),
            "{}",
            said(1, 1.0, 1.0)
        );
    }
}
