//! What made the first of a ranking the first, in one word.

use serde::{Deserialize, Serialize};

use crate::policy::Policy;
use crate::ranking::Ranking;
use crate::settings::ScorerName;

/// Why a request's first choice was that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// It was its target's turn.
    RoundRobin,
    /// Its target's share of all requests.
    TargetWeight,
    /// This scorer gave it most of its lead over the next.
    SessionAffinity,
    LeastInflight,
    DecisionService,
    /// Several totals were tied for the best.
    Chance,
    /// Better ones took no more requests.
    Capacity,
    /// There was no other.
    OnlyCandidate,
}

impl DecidedBy {
    pub const ALL: [Self; 8] = [
        Self::RoundRobin,
        Self::TargetWeight,
        Self::SessionAffinity,
        Self::LeastInflight,
        Self::DecisionService,
        Self::Chance,
        Self::Capacity,
        Self::OnlyCandidate,
    ];
}

impl From<ScorerName> for DecidedBy {
    fn from(scorer: ScorerName) -> Self {
        match scorer {
            ScorerName::SessionAffinity => Self::SessionAffinity,
            ScorerName::LeastInflight => Self::LeastInflight,
            ScorerName::DecisionService => Self::DecisionService,
        }
    }
}

impl Policy {
    /// What made a ranking of this policy's what it is. Nothing where no candidate could be chosen.
    pub fn decided_by(&self, ranking: &Ranking) -> Option<DecidedBy> {
        let choice = ranking.choice()?;
        let first = ranking.live.first()?;
        let Some(next) = ranking.live.get(1) else {
            return Some(DecidedBy::OnlyCandidate);
        };
        let (Some(total), Some(_)) = (first.total, next.total) else {
            return Some(match self {
                Self::TargetWeight { .. } => DecidedBy::TargetWeight,
                Self::RoundRobin { .. } | Self::WeightedSum { .. } => DecidedBy::RoundRobin,
            });
        };
        let mut full = ranking.live.iter().filter(|ranked| ranked.full);
        if full.any(|ranked| ranked.total > Some(total)) {
            return Some(DecidedBy::Capacity);
        }
        if ranking.tied > 1 {
            return Some(DecidedBy::Chance);
        }
        let lead = |scored: &crate::ranking::Scored| {
            let share = |candidate: usize| scored.shares.get(candidate).copied().unwrap_or(0.0);
            scored.weight * (share(choice) - share(next.candidate))
        };
        ranking
            .scored
            .iter()
            .max_by(|a, b| lead(a).total_cmp(&lead(b)))
            .map(|scored| scored.scorer.into())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::candidate::{Candidate, CandidateKey, LeftOut, Load};
    use crate::facts::{Decision, Facts};
    use crate::rotation::Rotation;

    const AFFINITY: (ScorerName, f64) = (ScorerName::SessionAffinity, 1.0);
    const LOAD: (ScorerName, f64) = (ScorerName::LeastInflight, 1.0);
    const DECISION: (ScorerName, f64) = (ScorerName::DecisionService, 10.0);

    fn by_scorers(scorers: &[(ScorerName, f64)]) -> Policy {
        Policy::WeightedSum {
            scorers: scorers.to_vec(),
            targets: ids().to_vec(),
        }
    }

    fn ids() -> [Uuid; 2] {
        [1, 2].map(Uuid::from_u128)
    }

    /// Decided about the models `a` and `b`, with so many requests in flight at each.
    fn decided(
        policy: &Policy,
        inflight: [u32; 2],
        full: [bool; 2],
        left_out: [Option<LeftOut>; 2],
        facts: &Facts<'_>,
    ) -> Option<DecidedBy> {
        let keys = ["a", "b"].map(|model| CandidateKey::new(Uuid::nil(), "http://h/v1", model));
        let candidates = [0, 1].map(|target| Candidate {
            target,
            key: &keys[target],
            load: Load {
                inflight: inflight[target],
                penalty: 0.0,
                full: full[target],
            },
            left_out: left_out[target],
        });
        let ranking = policy.rank(&candidates, facts, &mut Rotation::default());
        policy.decided_by(&ranking)
    }

    #[test]
    fn the_scorer_with_most_of_the_lead_decides() {
        let idle = |policy: &Policy, facts: &Facts<'_>| {
            decided(policy, [0, 0], [false; 2], [None; 2], facts)
        };
        let session = Facts {
            session: Some("s"),
            ..Facts::default()
        };
        let sure =
            Decision::from_probabilities([("a".to_owned(), 0.9), ("b".to_owned(), 0.1)].into());
        let all = Facts {
            session: Some("s"),
            decision: Ok(&sure),
            ticket: 0.0,
        };
        let three = by_scorers(&[AFFINITY, LOAD, DECISION]);
        assert_eq!(idle(&three, &all), Some(DecidedBy::DecisionService));
        assert_eq!(idle(&three, &session), Some(DecidedBy::SessionAffinity));
        assert_eq!(
            idle(&by_scorers(&[LOAD]), &session),
            Some(DecidedBy::Chance)
        );
        assert_eq!(
            idle(&by_scorers(&[DECISION]), &session),
            Some(DecidedBy::RoundRobin)
        );
        let busy = decided(
            &by_scorers(&[LOAD]),
            [0, 3],
            [false; 2],
            [None; 2],
            &session,
        );
        assert_eq!(busy, Some(DecidedBy::LeastInflight));
    }

    #[test]
    fn where_nothing_is_weighed_it_is_the_turn_the_share_or_what_is_left() {
        let facts = Facts::default();
        let turns = Policy::RoundRobin {
            targets: ids().to_vec(),
        };
        let of = |policy: &Policy, full, left_out| decided(policy, [0, 0], full, left_out, &facts);
        assert_eq!(
            of(&turns, [false; 2], [None; 2]),
            Some(DecidedBy::RoundRobin)
        );
        let off = [None, Some(LeftOut::TargetOff)];
        assert_eq!(of(&turns, [false; 2], off), Some(DecidedBy::OnlyCandidate));
        assert_eq!(of(&turns, [true; 2], [None; 2]), None);
        let weight = crate::weight::Weight::try_from(1.0).unwrap();
        let shares = Policy::TargetWeight {
            targets: ids().map(|id| (id, weight)).to_vec(),
        };
        assert_eq!(
            of(&shares, [false; 2], [None; 2]),
            Some(DecidedBy::TargetWeight)
        );
    }

    #[test]
    fn who_is_better_and_full_leaves_it_to_capacity() {
        let policy = by_scorers(&[LOAD]);
        let facts = Facts::default();
        let full = |inflight| decided(&policy, inflight, [true, false], [None; 2], &facts);
        assert_eq!(full([1, 5]), Some(DecidedBy::Capacity));
        assert_eq!(full([5, 1]), Some(DecidedBy::LeastInflight));
    }
}
