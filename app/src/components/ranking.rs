//! All candidates of a request as they were ranked, and what each scorer brought to each total.

use leptos::prelude::*;
use routing::ScorerName;

use crate::api::ranking::Ranked;
use crate::components::scores::{Legend, ScoreBar};
use crate::i18n::{text, use_locale};
use crate::story;

#[component]
pub(crate) fn RankingBars(
    /// Best first; those that were left out last.
    ranking: Vec<Ranked>,
) -> impl IntoView {
    let totals = ranking.iter().filter_map(|ranked| ranked.total);
    let most = totals.fold(0.0, f64::max);
    let is_rated = |scorer: &ScorerName| {
        let key = scorer.key();
        ranking
            .iter()
            .any(|ranked| ranked.scorers.contains_key(key))
    };
    let scorers: Vec<ScorerName> = ScorerName::ALL.into_iter().filter(is_rated).collect();
    let legend =
        (!scorers.is_empty()).then(|| view! { <Legend scorers=Signal::stored(scorers) /> });
    let candidates = ranking
        .into_iter()
        .map(|ranked| view! { <Candidate ranked most /> })
        .collect_view();
    view! {
        <div class="ranking">
            {legend} <ol class="ranked-list">{candidates}</ol>
        </div>
    }
}

#[component]
fn Candidate(ranked: Ranked, most: f64) -> impl IntoView {
    let locale = use_locale();
    let left_out = story::left_out(locale, &ranked);
    let is_left_out = left_out.is_some();
    let Ranked {
        target,
        instance,
        total,
        scorers,
        inflight,
        ..
    } = ranked;
    let parts = ScorerName::ALL.into_iter().filter_map(|scorer| {
        let part = scorers.get(scorer.key())?;
        Some((scorer, part.share * part.weight))
    });
    let parts: Vec<(ScorerName, f64)> = parts.collect();
    view! {
        <li class="ranked" class:left-out=is_left_out>
            <div class="ranked-head">
                <span class="ranked-name">
                    <span class="track-model">{target}</span>
                    <span class="track-provider">{instance}</span>
                </span>
                <span class="ranked-load">{text!(locale, ranking.inflight, count = inflight)}</span>
            </div>
            {total.map(|total| view! { <ScoreBar parts total most /> })}
            {left_out.map(|why| view! { <p class="ranked-why">{why}</p> })}
        </li>
    }
}
