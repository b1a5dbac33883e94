//! A ranking as people and programs read it.

use std::collections::BTreeMap;

use app::api::ranking::{Part, Ranked};
use routing::Ranking;

use crate::snapshot::{Choice, CompiledRoute, Placement};

/// All candidates, best first; then those that were passed over or left out, and why.
pub(super) fn shown(route: &CompiledRoute, placement: &Placement) -> Vec<Ranked> {
    let Placement { ranking, loads } = placement;
    let live = ranking.live.iter().filter_map(|ranked| {
        let choice = route.candidate(ranked.candidate)?;
        let left_out = ranked.full.then(|| {
            let inflight = loads.get(ranked.candidate).map_or(0, |load| load.inflight);
            format!("it is full: {inflight} requests are in flight")
        });
        let parts = parts(ranking, ranked.candidate);
        Some(item(choice, ranked.total, parts, left_out))
    });
    let left_out = ranking.left_out.iter().filter_map(|(candidate, reason)| {
        let choice = route.candidate(*candidate)?;
        let why = Some(reason.to_string());
        Some(item(choice, None, BTreeMap::new(), why))
    });
    live.chain(left_out).collect()
}

/// The scorers that took no part, and why.
pub(super) fn abstained(ranking: &Ranking) -> BTreeMap<String, String> {
    let abstained = ranking.abstained.iter();
    abstained
        .map(|(scorer, reason)| (scorer.key().to_owned(), reason.to_string()))
        .collect()
}

fn item(
    choice: Choice<'_>,
    total: Option<f64>,
    scorers: BTreeMap<String, Part>,
    left_out: Option<String>,
) -> Ranked {
    Ranked {
        target: choice.target.name.to_string(),
        instance: choice.instance.url.to_string(),
        total,
        scorers,
        left_out,
    }
}

fn parts(ranking: &Ranking, candidate: usize) -> BTreeMap<String, Part> {
    let part = |(scorer, share, weight): (routing::ScorerName, f64, f64)| {
        (scorer.key().to_owned(), Part { share, weight })
    };
    ranking.parts(candidate).map(part).collect()
}
