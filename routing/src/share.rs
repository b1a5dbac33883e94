//! How traffic is expected to divide, for the pages.

use crate::weight::Weight;

/// What a target brings to the division.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stake {
    /// As typed; on all targets or on none.
    pub weight: Option<f64>,
    /// Whether the target takes traffic.
    pub enabled: bool,
    /// How many instances can answer. A target without any takes no traffic.
    pub instances: u32,
}

/// Parts of all of a route's requests, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    pub target: f64,
    /// Of each of the target's instances.
    pub instance: f64,
}

/// The share of each target, in the same order, under round-robin (no weights) or Target Weight.
/// Nothing where weights are on some targets only or are no weights; nor is there an answer for Route
/// By Policy, where every request is judged anew.
pub fn expected_shares(stakes: &[Stake]) -> Option<Vec<Share>> {
    let weighted = stakes.iter().any(|stake| stake.weight.is_some());
    let parts = stakes
        .iter()
        .map(|stake| {
            let weight = match stake.weight {
                Some(typed) => u64::from(Weight::try_from(typed).ok()?.get()),
                None if weighted => return None,
                None => 1,
            };
            let takes_part = stake.enabled && stake.instances > 0;
            Some(if takes_part { weight } else { 0 })
        })
        .collect::<Option<Vec<u64>>>()?;
    // Whole numbers far below 2^53, so that each quotient is the exact share, rounded once.
    let sum = parts.iter().sum::<u64>().max(1) as f64;
    let share = |(part, stake): (u64, &Stake)| Share {
        target: part as f64 / sum,
        instance: part as f64 / (sum * f64::from(stake.instances.max(1))),
    };
    Some(parts.into_iter().zip(stakes).map(share).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(stakes: &[(Option<f64>, bool, u32)]) -> Option<Vec<(f64, f64)>> {
        let stakes: Vec<Stake> = stakes
            .iter()
            .map(|(weight, enabled, instances)| Stake {
                weight: *weight,
                enabled: *enabled,
                instances: *instances,
            })
            .collect();
        let pairs = |share: Share| (share.target, share.instance);
        Some(expected_shares(&stakes)?.into_iter().map(pairs).collect())
    }

    #[test]
    fn weights_divide_whatever_the_instances() {
        let weighted = shares(&[(Some(100.0), true, 1), (Some(300.0), true, 2)]);
        assert_eq!(weighted, Some(vec![(0.25, 0.25), (0.75, 0.375)]));
        let weighted = shares(&[(Some(100.0), true, 1), (Some(100.0), true, 2)]);
        assert_eq!(weighted, Some(vec![(0.5, 0.5), (0.5, 0.25)]));
    }

    #[test]
    fn without_weights_targets_get_equal_shares() {
        let third = 1.0 / 3.0;
        assert_eq!(
            shares(&[(None, true, 1), (None, true, 2), (None, true, 1)]),
            Some(vec![(third, third), (third, 1.0 / 6.0), (third, third)])
        );
    }

    #[test]
    fn who_takes_no_traffic_leaves_its_share_to_the_others() {
        assert_eq!(
            shares(&[
                (Some(1.0), true, 1),
                (Some(2.0), false, 1),
                (Some(3.0), true, 1)
            ]),
            Some(vec![(0.25, 0.25), (0.0, 0.0), (0.75, 0.75)])
        );
        let lone = shares(&[(None, true, 0), (None, true, 1)]);
        assert_eq!(lone, Some(vec![(0.0, 0.0), (1.0, 1.0)]));
        assert_eq!(shares(&[(None, false, 1)]), Some(vec![(0.0, 0.0)]));
        assert_eq!(shares(&[]), Some(vec![]));
    }

    #[test]
    fn weights_that_are_refused_divide_nothing() {
        assert_eq!(shares(&[(Some(1.0), true, 1), (None, true, 1)]), None);
        assert_eq!(shares(&[(Some(0.5), true, 1)]), None);
        assert_eq!(shares(&[(Some(f64::NAN), true, 1)]), None);
    }
}
