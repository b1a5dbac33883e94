//! Whose turn it is: what a route remembers from one request to the next.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use crate::candidate::CandidateKey;
use crate::policy::target_weight::Shares;

/// The state of one route's rotation. The gateway keeps one for each route, by the route's id and for
/// as long as the route exists; `Policy::rank` moves it on by one step a request.
///
/// All of it is keyed by who takes turns: targets by id and weight, instances by candidate key. So it
/// goes on unchanged when a route is saved with the same targets and weights, and where they did
/// change nothing that was counted before can hold a target back or push it.
///
/// A clone that is ranked with and thrown away shows the next choice without taking it.
#[derive(Clone, Debug, Default)]
pub struct Rotation {
    pub(crate) targets: Turns<Uuid>,
    pub(crate) shares: Shares,
    pub(crate) instances: Turns<CandidateKey>,
}

/// Turns for whoever has waited longest. Those who are always there take turns strictly; one that was
/// away is next when it comes back, but only once, for then it has just had its turn.
#[derive(Clone, Debug)]
pub(crate) struct Turns<K> {
    taken: u64,
    last: BTreeMap<K, u64>,
}

impl<K> Default for Turns<K> {
    fn default() -> Self {
        Self {
            taken: 0,
            last: BTreeMap::new(),
        }
    }
}

impl<K: Clone + Ord> Turns<K> {
    /// When it had its last turn, the smaller the longer ago; 0 if it had none.
    pub(crate) fn last(&self, who: &K) -> u64 {
        self.last.get(who).copied().unwrap_or_default()
    }

    pub(crate) fn take(&mut self, who: &K) {
        self.taken += 1;
        match self.last.get_mut(who) {
            Some(last) => *last = self.taken,
            None => {
                self.last.insert(who.clone(), self.taken);
            }
        }
    }

    /// Forgets who is gone for good, once there are enough of them to be worth the work.
    pub(crate) fn forget_strangers<'a>(&mut self, members: impl ExactSizeIterator<Item = &'a K>)
    where
        K: 'a,
    {
        const SPARE: usize = 64;
        if self.last.len() > members.len() + SPARE {
            let members: BTreeSet<&K> = members.collect();
            self.last.retain(|who, _| members.contains(who));
        }
    }
}
