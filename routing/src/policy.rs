//! A route's decision, compiled: one `rank` for every mode.

mod round_robin;
pub(crate) mod target_weight;
mod weighted_sum;

use uuid::Uuid;

use crate::candidate::{Candidate, CandidateKey, LeftOut};
use crate::facts::Facts;
use crate::ranking::{Ranked, Ranking, Scored};
use crate::rotation::{Rotation, Turns};
use crate::route::{Route, RouteBy};
use crate::settings::ScorerName;
use crate::weight::Weight;

use self::weighted_sum::Opinions;

/// How a route decides, ready to be asked once a request. Holds nothing that a request changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Policy {
    /// Targets in turn.
    RoundRobin { targets: Vec<Uuid> },
    /// Each target gets its share.
    TargetWeight { targets: Vec<(Uuid, Weight)> },
    /// The best weighted sum; where every scorer abstains, targets in turn.
    WeightedSum {
        /// Each with its weight, positive and finite.
        scorers: Vec<(ScorerName, f64)>,
        targets: Vec<Uuid>,
    },
}

impl Policy {
    /// A weighted sum alone, for a page that tries weights out. Nothing unless every weight is a
    /// positive finite number.
    pub fn of_scorers(scorers: &[(ScorerName, f64)]) -> Option<Self> {
        let valid = scorers
            .iter()
            .all(|(_, weight)| weight.is_finite() && *weight > 0.0);
        valid.then(|| Self::WeightedSum {
            scorers: scorers.to_vec(),
            targets: Vec::new(),
        })
    }

    /// Whether the scorer counts for something.
    pub fn asks(&self, scorer: ScorerName) -> bool {
        match self {
            Self::WeightedSum { scorers, .. } => scorers.iter().any(|(name, _)| *name == scorer),
            Self::RoundRobin { .. } | Self::TargetWeight { .. } => false,
        }
    }

    /// How a route with this policy decides.
    pub fn route_by(&self) -> RouteBy {
        match self {
            Self::RoundRobin { .. } => RouteBy::RoundRobin,
            Self::TargetWeight { .. } => RouteBy::TargetWeight,
            Self::WeightedSum { .. } => RouteBy::Policy,
        }
    }

    /// Ranks candidates by what scorers said of them before, each now with the weight that is given. With
    /// the same weights and ticket it is the ranking that it was.
    pub fn rank_again(scored: Vec<Scored>, candidates: &[Candidate<'_>], ticket: f64) -> Ranking {
        let opinions = Opinions {
            scored,
            abstained: Vec::new(),
        };
        opinions.rank(candidates, ticket).pass_over_full(candidates)
    }

    /// Ranks the candidates. Where targets are taken in turn, that moves the rotation on by one step if
    /// any of them is live, also when the one whose turn it is turns out to be full.
    ///
    /// `candidates` are the instances of this policy's targets, those left out included. A live
    /// candidate of a target that the policy does not know comes last where targets are in turn.
    pub fn rank(
        &self,
        candidates: &[Candidate<'_>],
        facts: &Facts<'_>,
        rotation: &mut Rotation,
    ) -> Ranking {
        let ranking = match self {
            Self::RoundRobin { targets } => in_turn(targets, candidates, rotation),
            Self::TargetWeight { targets } => {
                let order = target_weight::order(&live(candidates, targets), &mut rotation.shares);
                instances_in_turn(&order, candidates, &mut rotation.instances)
            }
            Self::WeightedSum { scorers, targets } => {
                let opinions = Opinions::gather(scorers, candidates, facts);
                if opinions.scored.is_empty() {
                    Ranking {
                        abstained: opinions.abstained,
                        ..in_turn(targets, candidates, rotation)
                    }
                } else {
                    opinions.rank(candidates, facts.ticket)
                }
            }
        };
        ranking.pass_over_full(candidates)
    }
}

impl From<&Route> for Policy {
    fn from(route: &Route) -> Self {
        // A target that was never saved has no identity yet, so its place stands in for one.
        let targets = (0..).zip(route.targets()).map(|(place, target)| {
            let id = target.id().unwrap_or(Uuid::from_u128(place));
            (id, target.weight())
        });
        match route.route_by() {
            RouteBy::TargetWeight => Self::TargetWeight {
                targets: targets
                    .filter_map(|(id, weight)| Some((id, weight?)))
                    .collect(),
            },
            RouteBy::RoundRobin => Self::RoundRobin {
                targets: targets.map(|(id, _)| id).collect(),
            },
            RouteBy::Policy => Self::WeightedSum {
                scorers: route.policy().weights().collect(),
                targets: targets.map(|(id, _)| id).collect(),
            },
        }
    }
}

/// The targets with a live candidate, each with its place in the route, in that order.
fn live<'a, T>(candidates: &[Candidate<'_>], targets: &'a [T]) -> Vec<(usize, &'a T)> {
    let mut places: Vec<usize> = candidates
        .iter()
        .filter(|candidate| candidate.is_live())
        .map(|candidate| candidate.target)
        .collect();
    places.sort_unstable();
    places.dedup();
    places
        .into_iter()
        .filter_map(|place| Some((place, targets.get(place)?)))
        .collect()
}

/// Round-robin over targets, each with its instances in turn.
fn in_turn(targets: &[Uuid], candidates: &[Candidate<'_>], rotation: &mut Rotation) -> Ranking {
    rotation.targets.forget_strangers(targets.iter());
    let order = round_robin::order(&live(candidates, targets), &mut rotation.targets);
    instances_in_turn(&order, candidates, &mut rotation.instances)
}

fn left_out(candidates: &[Candidate<'_>]) -> Vec<(usize, LeftOut)> {
    candidates
        .iter()
        .enumerate()
        .filter_map(|(index, candidate)| Some((index, candidate.left_out?)))
        .collect()
}

/// Target after target in the given order, each with its instances in turn. The first of all takes
/// its turn.
fn instances_in_turn(
    order: &[usize],
    candidates: &[Candidate<'_>],
    turns: &mut Turns<CandidateKey>,
) -> Ranking {
    let mut ranks = vec![usize::MAX; order.iter().max().map_or(0, |last| last + 1)];
    for (rank, target) in order.iter().enumerate() {
        if let Some(slot) = ranks.get_mut(*target) {
            *slot = rank;
        }
    }
    let mut live = Vec::with_capacity(candidates.len());
    for (index, candidate) in candidates.iter().enumerate() {
        if candidate.is_live() {
            let rank = ranks.get(candidate.target).copied().unwrap_or(usize::MAX);
            live.push((rank, turns.last(candidate.key), index));
        }
    }
    live.sort_unstable();
    if let Some(first) = live
        .first()
        .and_then(|(_, _, index)| candidates.get(*index))
    {
        turns.take(first.key);
        turns.forget_strangers(candidates.iter().map(|candidate| candidate.key));
    }
    Ranking {
        live: live
            .into_iter()
            .map(|(_, _, candidate)| Ranked::in_turn(candidate))
            .collect(),
        left_out: left_out(candidates),
        ..Ranking::EMPTY
    }
}

#[cfg(test)]
mod tests;
