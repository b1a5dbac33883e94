//! What scorers bring to a total: a bar that is stacked of their parts, and what its colours mean.

use leptos::prelude::*;
use routing::ScorerName;

use crate::i18n::{Locale, text, use_locale};

/// One total. The best of all fills the whole width.
#[component]
pub(crate) fn ScoreBar(
    /// What each scorer brings.
    parts: Vec<(ScorerName, f64)>,
    total: f64,
    /// The best of all totals.
    most: f64,
) -> impl IntoView {
    let locale = use_locale();
    let scale = if most > 0.0 { 200.0 / most } else { 0.0 };
    let words = parts.iter().map(|(scorer, value)| {
        text!(
            locale,
            scores.part,
            scorer = scorer_name(locale, *scorer),
            value = format!("{value:.3}")
        )
    });
    let words = words.collect::<Vec<_>>().join(", ");
    let label = words.clone();
    let mut x = 0.0;
    let rects = parts
        .into_iter()
        .map(|(scorer, value)| {
            let width = value * scale;
            let from = x;
            x += width;
            view! {
                <rect
                    class=scorer_class(scorer)
                    x=format!("{from:.2}")
                    y="0"
                    width=format!("{width:.2}")
                    height="8"
                />
            }
        })
        .collect_view();
    view! {
        <div class="score-bar" title=words>
            <svg viewBox="0 0 200 8" preserveAspectRatio="none" role="img" aria-label=label>
                {rects}
            </svg>
            <span class="bar-value">{format!("{total:.3}")}</span>
        </div>
    }
}

/// Which scorer has which colour.
#[component]
pub(crate) fn Legend(#[prop(into)] scorers: Signal<Vec<ScorerName>>) -> impl IntoView {
    let locale = use_locale();
    view! {
        <ul class="legend">
            <For each=move || scorers.get() key=|scorer| *scorer let:scorer>
                <li>
                    <svg viewBox="0 0 8 8" width="8" height="8" aria-hidden="true">
                        <rect class=scorer_class(scorer) width="8" height="8" rx="2" />
                    </svg>
                    {scorer_name(locale, scorer)}
                </li>
            </For>
        </ul>
    }
}

pub(crate) fn scorer_name(locale: Locale, scorer: ScorerName) -> &'static str {
    match scorer {
        ScorerName::SessionAffinity => text!(locale, policy.session_affinity),
        ScorerName::LeastInflight => text!(locale, policy.least_inflight),
        ScorerName::DecisionService => text!(locale, policy.decision_service),
    }
}

fn scorer_class(scorer: ScorerName) -> &'static str {
    match scorer {
        ScorerName::SessionAffinity => "scorer-affinity",
        ScorerName::LeastInflight => "scorer-inflight",
        ScorerName::DecisionService => "scorer-decision",
    }
}
