//! Policy: total(candidate) = Σ over scorers ( scorer weight × share ).
//!
//! A scorer's ratings are divided by their sum over the live candidates, so that weights alone say how
//! much a scorer counts. Scorers that abstain are left out; when all do, there is no total.
//!
//! Totals within 10^-9 of the best, relative to it, are tied: exact ties of the formulas come out of
//! floats a few bits apart. A tie is broken uniformly by the ticket. What is left of the ticket then
//! breaks the ties further down, where retries go.

use smallvec::SmallVec;

use super::left_out;
use crate::candidate::Candidate;
use crate::facts::{Abstention, Facts};
use crate::ranking::{Ranked, Ranking, Scored};
use crate::scorer::{self, FEW};
use crate::settings::ScorerName;

const TIED: f64 = 1e-9;

/// What the scorers say of the candidates.
#[derive(Debug, Default)]
pub(super) struct Opinions {
    pub(super) scored: Vec<Scored>,
    pub(super) abstained: Vec<(ScorerName, Abstention)>,
}

impl Opinions {
    /// Asks each scorer; `scorers` come with their weights.
    pub(super) fn gather(
        scorers: &[(ScorerName, f64)],
        candidates: &[Candidate<'_>],
        facts: &Facts<'_>,
    ) -> Self {
        let live: SmallVec<[&Candidate<'_>; FEW]> = candidates
            .iter()
            .filter(|candidate| candidate.is_live())
            .collect();
        let mut opinions = Self {
            scored: Vec::with_capacity(scorers.len()),
            abstained: Vec::new(),
        };
        for (scorer, weight) in scorers {
            let rated = scorer::rate(*scorer, &live, facts).and_then(|ratings| {
                let weight = weight * ratings.confidence;
                Ok((weight, ratings.into_shares()?))
            });
            match rated {
                Ok((weight, shares)) => opinions.scored.push(Scored {
                    scorer: *scorer,
                    weight,
                    shares: spread(shares, candidates),
                }),
                Err(reason) => opinions.abstained.push((*scorer, reason)),
            }
        }
        opinions
    }

    /// The best total first.
    pub(super) fn rank(self, candidates: &[Candidate<'_>], ticket: f64) -> Ranking {
        let (live, tied) = self.order(candidates, ticket);
        Ranking {
            live,
            left_out: left_out(candidates),
            scored: self.scored,
            abstained: self.abstained,
            tied,
        }
    }

    /// The live candidates, best first, and how many are tied for the best.
    fn order(&self, candidates: &[Candidate<'_>], ticket: f64) -> (Vec<Ranked>, usize) {
        let key = |index: usize| candidates.get(index).map(|candidate| candidate.key);
        let mut order: SmallVec<[(f64, usize); FEW]> = candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.is_live())
            .map(|(index, _)| (self.total(index), index))
            .collect();
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let mut ticket = Ticket::new(ticket);
        let mut tied_for_best = 0;
        let mut rest = order.as_mut_slice();
        while let Some((best, _)) = rest.first().copied() {
            let tied = rest
                .iter()
                .take_while(|(total, _)| *total >= best - best * TIED)
                .count()
                .max(1);
            if tied_for_best == 0 {
                tied_for_best = tied;
            }
            let (group, others) = rest.split_at_mut(tied);
            // By key and not by the last bits of a total, which depend on who was added first.
            group.sort_unstable_by_key(|(_, index)| key(*index));
            ticket.shuffle(group);
            rest = others;
        }
        let ranked = |(total, candidate)| Ranked {
            candidate,
            total: Some(total),
            full: false,
        };
        (order.into_iter().map(ranked).collect(), tied_for_best)
    }

    fn total(&self, candidate: usize) -> f64 {
        self.scored
            .iter()
            .map(|scored| scored.weight * scored.shares.get(candidate).copied().unwrap_or(0.0))
            .sum()
    }
}

/// A number from [0, 1) that is used up digit by digit.
struct Ticket(f64);

impl Ticket {
    fn new(drawn: f64) -> Self {
        Self(if (0.0..1.0).contains(&drawn) {
            drawn
        } else {
            0.0
        })
    }

    /// Whole number below `count`.
    fn draw(&mut self, count: usize) -> usize {
        let drawn = self.0 * count as f64;
        self.0 = drawn - drawn.floor();
        // Rounding can take the product of a ticket just below 1 up to the count itself.
        (drawn as usize).min(count.saturating_sub(1))
    }

    /// Every order is as likely as every other, as far as the ticket's 53 bits go.
    fn shuffle<T>(&mut self, tied: &mut [T]) {
        for place in 0..tied.len().saturating_sub(1) {
            let drawn = place + self.draw(tied.len() - place);
            tied.swap(place, drawn);
        }
    }
}

/// Shares of the live candidates, put where those stand among all.
fn spread(shares: Vec<f64>, candidates: &[Candidate<'_>]) -> Vec<f64> {
    if shares.len() == candidates.len() {
        return shares;
    }
    let mut shares = shares.into_iter();
    candidates
        .iter()
        .map(|candidate| match candidate.is_live() {
            true => shares.next().unwrap_or(0.0),
            false => 0.0,
        })
        .collect()
}

#[cfg(test)]
mod tests;
