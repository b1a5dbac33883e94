//! What a policy answers: the candidates in the order in which they are tried, and why.

use crate::candidate::{Candidate, LeftOut};
use crate::facts::Abstention;
use crate::settings::ScorerName;

/// Every candidate once, named by its index in the slice that was ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The live ones, best first, and then those that are full, best first. The first is the choice,
    /// unless it is full; the others are where retries go.
    pub live: Vec<Ranked>,
    /// The rest, in the order of the slice, and why each took no part.
    pub left_out: Vec<(usize, LeftOut)>,
    /// The scorers that rated. None when targets were taken in turn.
    pub scored: Vec<Scored>,
    /// The other scorers of the route, and why each took no part.
    pub abstained: Vec<(ScorerName, Abstention)>,
    /// How many totals are tied for the best, itself included; 0 when there are none.
    pub tied: usize,
}

/// A live candidate at its place in the ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    pub candidate: usize,
    /// Σ weight × share over the scorers that rated. Nothing when targets were taken in turn.
    pub total: Option<f64>,
    /// It would have had its place among the others, but takes no more requests for now.
    pub full: bool,
}

/// What one scorer brought to every total.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    pub scorer: ScorerName,
    /// As set, times the scorer's confidence.
    pub weight: f64,
    /// Of every candidate, before weighting. They sum to 1; who was left out has 0.
    pub shares: Vec<f64>,
}

impl Ranked {
    /// One that is there by turn and not by rating.
    pub(crate) fn in_turn(candidate: usize) -> Self {
        Self {
            candidate,
            total: None,
            full: false,
        }
    }
}

impl Ranking {
    /// Of no candidates.
    pub const EMPTY: Self = Self {
        live: Vec::new(),
        left_out: Vec::new(),
        scored: Vec::new(),
        abstained: Vec::new(),
        tied: 0,
    };

    /// Where the request goes: the best candidate that is not full.
    pub fn choice(&self) -> Option<usize> {
        self.live
            .first()
            .filter(|first| !first.full)
            .map(|first| first.candidate)
    }

    /// What each scorer that rated brought to a candidate: its share and the weight of that.
    pub fn parts(&self, candidate: usize) -> impl Iterator<Item = (ScorerName, f64, f64)> {
        self.scored.iter().map(move |scored| {
            let share = scored.shares.get(candidate).copied().unwrap_or(0.0);
            (scored.scorer, share, scored.weight)
        })
    }

    /// Puts the full ones behind the others; among each other nobody changes places.
    pub(crate) fn pass_over_full(mut self, candidates: &[Candidate<'_>]) -> Self {
        for ranked in &mut self.live {
            ranked.full = candidates
                .get(ranked.candidate)
                .is_some_and(|candidate| candidate.load.full);
        }
        self.live.sort_by_key(|ranked| ranked.full);
        self
    }
}
