//! What the decision service said, and which scorers took no part.

use std::collections::BTreeMap;

use leptos::prelude::*;
use routing::ScorerName;

use crate::api::request::{DecisionMade, RequestRecord};
use crate::components::figures::took;
use crate::components::probabilities::Probabilities;
use crate::components::scores::scorer_name;
use crate::i18n::{Locale, text, use_locale};
use crate::story;

#[component]
pub(super) fn Decision(record: RequestRecord) -> impl IntoView {
    let locale = use_locale();
    let abstained = abstentions(locale, &record.abstained).into_iter();
    let abstained = abstained.map(|(scorer, why)| {
        view! {
            <dt>{scorer}</dt>
            <dd>{why}</dd>
        }
    });
    let abstained = abstained.collect::<Vec<_>>();
    let made = record.decision.map(|decision| view! { <Made decision /> });
    if made.is_none() && abstained.is_empty() {
        return ().into_any();
    }
    view! {
        <section class="panel" aria-labelledby="decision-title">
            <h2 class="panel-title" id="decision-title">
                {text!(locale, request.decision)}
            </h2>
            {made}
            {(!abstained.is_empty())
                .then(|| {
                    view! {
                        <h3 class="plugin-title">{text!(locale, request.abstained)}</h3>
                        <dl class="story-facts">{abstained}</dl>
                    }
                })}
        </section>
    }
    .into_any()
}

/// The scorers that took no part, and why.
pub(super) fn abstentions(
    locale: Locale,
    abstained: &BTreeMap<String, String>,
) -> Vec<(&'static str, String)> {
    let told = |scorer: ScorerName| {
        let why = abstained.get(scorer.key())?;
        Some((
            scorer_name(locale, scorer),
            story::abstained(locale, scorer, why),
        ))
    };
    ScorerName::ALL.into_iter().filter_map(told).collect()
}

#[component]
fn Made(decision: DecisionMade) -> impl IntoView {
    let locale = use_locale();
    let DecisionMade {
        model,
        probabilities,
        confidence,
        latency_ms,
    } = decision;
    view! {
        <Probabilities of=probabilities />
        <dl class="story-facts">
            <dt>{text!(locale, request.confidence)}</dt>
            <dd>{format!("{confidence:.2}")}</dd>
            {model
                .map(|model| {
                    view! {
                        <dt>{text!(locale, policy.decision_model)}</dt>
                        <dd class="code">{model}</dd>
                    }
                })}
            <dt>{text!(locale, request.took)}</dt>
            <dd>{took(locale, latency_ms)}</dd>
        </dl>
    }
}
