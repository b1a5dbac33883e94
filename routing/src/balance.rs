//! How much load a session puts up with: Session Affinity against Least Inflight Request.
//!
//! A session's owner has x requests in flight and all other candidates are idle. Its lead over the
//! second in affinity is 0.5 / (2·(1 − 2^-N)); load turns x / ((1+x)·(N−1) + 1) against it. Nothing of
//! that is computed here: the real scorers are asked, so that what a page tells is what a gateway does.

use uuid::Uuid;

use crate::candidate::{Candidate, CandidateKey, Load};
use crate::facts::Facts;
use crate::policy::Policy;
use crate::ranking::Ranking;
use crate::rotation::Rotation;
use crate::settings::ScorerName;

/// What happens to a session's next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It goes to the owner.
    Hold,
    /// To the owner or to the second in affinity, by chance.
    Tie,
    /// It leaves its owner.
    Flip,
}

/// So many candidates under both scorers, of which one owns the session.
#[derive(Clone, Debug)]
pub struct Balance {
    keys: Vec<CandidateKey>,
    owner: usize,
    policy: Policy,
    session_affinity: f64,
}

const SESSION: &str = "a session";

impl Balance {
    /// The most candidates that a page asks about: a table of them takes milliseconds.
    pub const MOST: u32 = 256;

    /// Of `candidates` instances and the two scorers' weights. Nothing when there is no candidate or
    /// more than [`Balance::MOST`], or a weight is not a positive finite number.
    pub fn new(candidates: u32, session_affinity: f64, least_inflight: f64) -> Option<Self> {
        if !(1..=Self::MOST).contains(&candidates) {
            return None;
        }
        let policy = Policy::of_scorers(&[
            (ScorerName::SessionAffinity, session_affinity),
            (ScorerName::LeastInflight, least_inflight),
        ])?;
        let keys = (0..u128::from(candidates))
            .map(|id| CandidateKey::new(Uuid::from_u128(id), "http://h/v1", "m"))
            .collect();
        let mut balance = Self {
            keys,
            owner: 0,
            policy,
            session_affinity,
        };
        // Its lead among the idle is its affinity alone.
        balance.owner = balance.ranked(0).choice()?;
        Some(balance)
    }

    /// With so many requests of the owner in flight.
    pub fn outcome(&self, owner_inflight: u32) -> Outcome {
        let ranking = self.ranked(owner_inflight);
        let mut best = ranking.live.iter().take(ranking.tied);
        let owner_is_best = best.any(|ranked| ranked.candidate == self.owner);
        match (owner_is_best, ranking.tied) {
            (true, 1) => Outcome::Hold,
            (true, _) => Outcome::Tie,
            (false, _) => Outcome::Flip,
        }
    }

    /// The fewest requests in flight at which the session leaves its owner; nothing when it never does.
    pub fn moves_at(&self) -> Option<u32> {
        // Load only ever turns further against the owner, so the first flip can be closed in on.
        let (mut holds, mut flips) = (0, u32::MAX);
        if self.outcome(flips) != Outcome::Flip {
            return None;
        }
        while flips - holds > 1 {
            let between = holds + (flips - holds) / 2;
            match self.outcome(between) {
                Outcome::Flip => flips = between,
                Outcome::Hold | Outcome::Tie => holds = between,
            }
        }
        Some(flips)
    }

    /// The weight of Least Inflight Request above which the session leaves its owner at some load, all
    /// else equal. Nothing for a lone candidate, which no load can move from.
    pub fn moves_above(&self) -> Option<f64> {
        let others = self
            .keys
            .len()
            .checked_sub(1)
            .filter(|others| *others > 0)?;
        // Without end in flight the owner's share of idleness is 0, and each other's 1 / (N − 1).
        let ranking = self.ranked(0);
        let affinity = ranking.scored.first()?;
        let mut shares = affinity.shares.clone();
        shares.sort_unstable_by(|a, b| b.total_cmp(a));
        let lead = shares.first()? - shares.get(1)?;
        Some(self.session_affinity * lead * others as f64)
    }

    fn ranked(&self, owner_inflight: u32) -> Ranking {
        self.ranked_by(owner_inflight, 0.0)
    }

    fn ranked_by(&self, owner_inflight: u32, ticket: f64) -> Ranking {
        let candidates: Vec<Candidate<'_>> = self
            .keys
            .iter()
            .enumerate()
            .map(|(index, key)| Candidate {
                target: index,
                key,
                load: Load {
                    inflight: if index == self.owner {
                        owner_inflight
                    } else {
                        0
                    },
                    ..Load::default()
                },
                left_out: None,
            })
            .collect();
        let facts = Facts {
            session: Some(SESSION),
            ticket,
            ..Facts::default()
        };
        self.policy
            .rank(&candidates, &facts, &mut Rotation::default())
    }
}

#[cfg(test)]
mod tests;
