//! Round-robin: the live target that has waited longest, then the others, longest wait first.
//!
//! A target that takes no part keeps waiting and delays nobody. Among those that never had a turn the
//! order of the route decides.

use uuid::Uuid;

use crate::rotation::Turns;

/// Places of the live targets, the chosen one first; it takes its turn.
pub(super) fn order(live: &[(usize, &Uuid)], turns: &mut Turns<Uuid>) -> Vec<usize> {
    let mut waiting: Vec<(u64, usize, &Uuid)> = live
        .iter()
        .map(|(place, target)| (turns.last(target), *place, *target))
        .collect();
    waiting.sort_unstable();
    if let Some((_, _, chosen)) = waiting.first() {
        turns.take(chosen);
    }
    waiting.into_iter().map(|(_, place, _)| place).collect()
}
