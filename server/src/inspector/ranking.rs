//! A ranking as people and programs read it.

use std::collections::BTreeMap;

use app::api::ranking::{Part, Ranked};
use routing::Ranking;

use crate::snapshot::{Choice, Placement};

/// All candidates, best first; then those that were passed over or left out, and why.
pub(super) fn shown(placement: &Placement<'_>) -> Vec<Ranked> {
    let Placement {
        candidates,
        ranking,
        ..
    } = placement;
    let live = ranking.live.iter().filter_map(|ranked| {
        let choice = candidates.get(ranked.candidate)?;
        let left_out = ranked.full.then(|| {
            let inflight = choice.instance.load.inflight();
            format!("it is full: {inflight} requests are in flight")
        });
        let parts = parts(ranking, ranked.candidate);
        Some(item(choice, ranked.total, parts, left_out))
    });
    let left_out = ranking.left_out.iter().filter_map(|(candidate, reason)| {
        let choice = candidates.get(*candidate)?;
        Some(item(
            choice,
            None,
            BTreeMap::new(),
            Some(reason.to_string()),
        ))
    });
    live.chain(left_out).collect()
}

fn item(
    choice: &Choice<'_>,
    total: Option<f64>,
    scorers: BTreeMap<String, Part>,
    left_out: Option<String>,
) -> Ranked {
    Ranked {
        target: format!("{}/{}", choice.target.provider.name, choice.target.model),
        instance: choice.instance.base.to_string(),
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
