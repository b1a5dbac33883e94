//! A route's decision, compiled: one `rank` for every mode.

mod round_robin;
pub(crate) mod target_weight;

use uuid::Uuid;

use crate::candidate::{Candidate, CandidateKey};
use crate::ranking::{Ranked, Ranking};
use crate::rotation::{Rotation, Turns};
use crate::route::{Route, RouteBy};
use crate::weight::Weight;

/// How a route decides, ready to be asked once a request. Holds nothing that a request changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Policy {
    /// Targets in turn.
    RoundRobin { targets: Vec<Uuid> },
    /// Each target gets its share.
    TargetWeight { targets: Vec<(Uuid, Weight)> },
}

impl Policy {
    /// Ranks the candidates, and moves the rotation on by one step if any of them is live.
    ///
    /// `candidates` are the instances of this policy's targets, those left out included. A live
    /// candidate of a target that the policy does not know comes last.
    pub fn rank(&self, candidates: &[Candidate<'_>], rotation: &mut Rotation) -> Ranking {
        let order = match self {
            Self::RoundRobin { targets } => {
                rotation.targets.forget_strangers(targets.iter());
                round_robin::order(&live(candidates, targets), &mut rotation.targets)
            }
            Self::TargetWeight { targets } => {
                target_weight::order(&live(candidates, targets), &mut rotation.shares)
            }
        };
        instances_in_turn(&order, candidates, &mut rotation.instances)
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
            // Where every scorer abstains Policy is round-robin, and no scorer rates yet.
            RouteBy::RoundRobin | RouteBy::Policy => Self::RoundRobin {
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
    let mut left_out = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        match candidate.left_out {
            None => {
                let rank = ranks.get(candidate.target).copied().unwrap_or(usize::MAX);
                live.push((rank, turns.last(candidate.key), index));
            }
            Some(reason) => left_out.push((index, reason)),
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
            .map(|(_, _, candidate)| Ranked { candidate })
            .collect(),
        left_out,
    }
}

#[cfg(test)]
mod tests;
