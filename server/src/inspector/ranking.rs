//! A ranking as people and programs read it.

use std::collections::BTreeMap;

use app::api::ranking::{Part, Ranked};
use routing::{LeftOut, Ranking, ScorerName};

use crate::snapshot::{CompiledRoute, Placement};

/// A candidate as it was when it was ranked.
pub(super) struct Standing {
    pub target: String,
    pub instance: String,
    pub inflight: u32,
    pub is_full: bool,
    pub left_out: Option<LeftOut>,
}

/// What a scorer said: its weight, and a share for each candidate.
pub(super) struct Said<'a> {
    pub scorer: ScorerName,
    pub weight: f64,
    pub shares: &'a [f64],
}

/// The candidates in this order; then those that were left out.
pub(super) fn shown(
    standings: &[Standing],
    order: impl Iterator<Item = usize>,
    said: &[Said<'_>],
) -> Vec<Ranked> {
    let live = order.filter_map(|index| {
        let standing = standings.get(index)?;
        let parts: Vec<(ScorerName, Part)> = said
            .iter()
            .map(|said| {
                let share = said.shares.get(index).copied().unwrap_or_default();
                let weight = said.weight;
                (said.scorer, Part { share, weight })
            })
            .collect();
        let total = parts.iter().map(|(_, part)| part.weight * part.share).sum();
        let inflight = standing.inflight;
        Some(Ranked {
            total: (!parts.is_empty()).then_some(total),
            scorers: parts
                .into_iter()
                .map(|(scorer, part)| (scorer.key().to_owned(), part))
                .collect(),
            left_out: standing
                .is_full
                .then(|| format!("it is full: {inflight} requests are in flight")),
            ..standing.unrated()
        })
    });
    let left_out = standings.iter().filter_map(|standing| {
        let why = standing.left_out?.to_string();
        Some(Ranked {
            left_out: Some(why),
            ..standing.unrated()
        })
    });
    live.chain(left_out).collect()
}

impl Standing {
    fn unrated(&self) -> Ranked {
        Ranked {
            target: self.target.clone(),
            instance: self.instance.clone(),
            total: None,
            scorers: BTreeMap::new(),
            inflight: self.inflight,
            left_out: None,
        }
    }
}

/// A ranking that was just made.
pub(super) fn of_placement(route: &CompiledRoute, placement: &Placement) -> Vec<Ranked> {
    let Placement { ranking, loads } = placement;
    let left_out: BTreeMap<usize, LeftOut> = ranking.left_out.iter().copied().collect();
    let standings: Vec<Standing> = route
        .candidates()
        .zip(loads)
        .enumerate()
        .map(|(index, (choice, load))| Standing {
            target: choice.target.name.to_string(),
            instance: choice.instance.url.to_string(),
            inflight: load.inflight,
            is_full: load.full,
            left_out: left_out.get(&index).copied(),
        })
        .collect();
    let said: Vec<Said<'_>> = ranking
        .scored
        .iter()
        .map(|scored| Said {
            scorer: scored.scorer,
            weight: scored.weight,
            shares: &scored.shares,
        })
        .collect();
    let order = ranking.live.iter().map(|ranked| ranked.candidate);
    shown(&standings, order, &said)
}

/// The scorers that took no part, and why.
pub(super) fn abstained(ranking: &Ranking) -> BTreeMap<String, String> {
    let abstained = ranking.abstained.iter();
    abstained
        .map(|(scorer, reason)| (scorer.key().to_owned(), reason.to_string()))
        .collect()
}
