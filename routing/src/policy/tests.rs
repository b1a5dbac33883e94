//! Traffic through routes, counted.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::candidate::{LeftOut, Load};
use crate::draft::{RouteDraft, TargetDraft};
use crate::facts::Abstention;
use crate::share::{Stake, expected_shares};

/// A route with some instances for each target, and what its gateway remembers.
struct Traffic {
    draft: RouteDraft,
    policy: Policy,
    /// Target and key of each instance.
    instances: Vec<(usize, CandidateKey)>,
    /// Instances that take no part just now.
    out: BTreeSet<usize>,
    /// Instances that take no more just now.
    full: BTreeSet<usize>,
    rotation: Rotation,
}

impl Traffic {
    /// One target for each (weight, instances); weight 0 stands for none.
    fn through(targets: &[(u32, usize)]) -> Self {
        let mut instances = Vec::new();
        let mut draft = RouteDraft {
            name: "qwen3".to_owned(),
            ..RouteDraft::default()
        };
        for (index, (weight, count)) in targets.iter().enumerate() {
            let number = index as u128 + 1;
            draft.targets.push(TargetDraft {
                id: Some(Uuid::from_u128(number)),
                provider: format!("provider-{number}"),
                model: "m".to_owned(),
                weight: (*weight > 0).then(|| f64::from(*weight)),
                enabled: true,
            });
            for instance in 0..*count {
                let url = format!("http://host-{number}-{instance}/v1");
                let key = CandidateKey::new(Uuid::from_u128(1_000 + number), &url, "m");
                instances.push((index, key));
            }
        }
        Self {
            policy: compile(&draft),
            draft,
            instances,
            out: BTreeSet::new(),
            full: BTreeSet::new(),
            rotation: Rotation::default(),
        }
    }

    /// Saves the route anew; the rotation stays, for the gateway owns it.
    fn save(&mut self, edit: impl FnOnce(&mut RouteDraft)) {
        edit(&mut self.draft);
        self.policy = compile(&self.draft);
    }

    fn target_is_out(&mut self, target: usize, out: bool) {
        for (index, (of, _)) in self.instances.iter().enumerate() {
            if *of == target {
                if out {
                    self.out.insert(index);
                } else {
                    self.out.remove(&index);
                }
            }
        }
    }

    fn rank(&mut self) -> Ranking {
        let candidates: Vec<Candidate<'_>> = self
            .instances
            .iter()
            .enumerate()
            .map(|(index, (target, key))| Candidate {
                target: *target,
                key,
                load: Load {
                    full: self.full.contains(&index),
                    ..Load::default()
                },
                left_out: self.out.contains(&index).then_some(LeftOut::ProviderOff),
            })
            .collect();
        self.policy
            .rank(&candidates, &Facts::default(), &mut self.rotation)
    }

    /// Index of the instance that the next request goes to.
    fn instance(&mut self) -> Option<usize> {
        self.rank().choice()
    }

    /// The target that the next request goes to, as a letter.
    fn letter(&mut self) -> char {
        let target = self
            .instance()
            .and_then(|instance| self.instances.get(instance))
            .map(|(target, _)| *target as u8);
        target.map_or('-', |target| char::from(b'A' + target))
    }

    /// The targets of so many requests, a letter each.
    fn letters(&mut self, requests: usize) -> String {
        (0..requests).map(|_| self.letter()).collect()
    }

    /// How many of so many requests each instance got.
    fn counts(&mut self, requests: usize) -> Vec<usize> {
        let mut counts = vec![0; self.instances.len()];
        for _ in 0..requests {
            if let Some(count) = self.instance().and_then(|index| counts.get_mut(index)) {
                *count += 1;
            }
        }
        counts
    }
}

fn compile(draft: &RouteDraft) -> Policy {
    Policy::from(&Route::try_from(draft).unwrap())
}

/// How often a letter is in each window of `size` requests in a row.
fn in_each_window(letters: &str, letter: char, size: usize) -> BTreeSet<usize> {
    letters
        .as_bytes()
        .windows(size)
        .map(|window| {
            window
                .iter()
                .filter(|got| char::from(**got) == letter)
                .count()
        })
        .collect()
}

fn always(count: usize) -> BTreeSet<usize> {
    BTreeSet::from([count])
}

#[test]
fn round_robin_alternates() {
    assert_eq!(Traffic::through(&[(0, 1), (0, 1)]).letters(6), "ABABAB");
    assert_eq!(
        Traffic::through(&[(0, 1), (0, 1), (0, 1)]).letters(7),
        "ABCABCA"
    );
}

#[test]
fn round_robin_counts_targets_and_takes_their_instances_in_turn() {
    let mut traffic = Traffic::through(&[(0, 1), (0, 2)]);
    assert_eq!(traffic.counts(400), [200, 100, 100]);
}

#[test]
fn round_robin_stays_strict_when_a_target_goes_and_comes_back() {
    let mut traffic = Traffic::through(&[(0, 1), (0, 1), (0, 1)]);
    assert_eq!(traffic.letters(4), "ABCA");
    traffic.target_is_out(2, true);
    assert_eq!(traffic.letters(5), "BABAB");
    traffic.target_is_out(2, false);
    // C has waited longest, but its wait earns it one turn, not five.
    assert_eq!(traffic.letters(7), "CABCABC");
}

#[test]
fn a_target_that_is_live_for_every_other_request_only_is_not_starved() {
    let mut traffic = Traffic::through(&[(0, 1), (0, 1), (0, 1)]);
    let mut letters = String::new();
    for request in 0..400 {
        traffic.target_is_out(2, request % 2 == 0);
        letters.push(traffic.letter());
    }
    let count = letters.matches('C').count();
    assert!((100..=134).contains(&count), "{count} of 400");
}

#[test]
fn weights_100_and_300_are_exactly_1_to_3_in_any_four_requests() {
    let mut traffic = Traffic::through(&[(100, 1), (300, 1)]);
    let letters = traffic.letters(400);
    assert_eq!(letters.matches('A').count(), 100);
    assert_eq!(in_each_window(&letters, 'A', 4), always(1));
    assert_eq!(in_each_window(&letters, 'B', 4), always(3));
}

#[test]
fn a_weight_is_the_targets_total_whatever_its_instances() {
    let mut traffic = Traffic::through(&[(100, 1), (300, 2)]);
    assert_eq!(traffic.counts(400), [100, 150, 150]);
    let mut traffic = Traffic::through(&[(100, 1), (100, 2)]);
    assert_eq!(traffic.counts(400), [200, 100, 100]);
}

#[test]
fn an_instance_that_is_added_changes_no_share() {
    let mut traffic = Traffic::through(&[(100, 1), (100, 2)]);
    traffic.counts(7);
    let key = CandidateKey::new(Uuid::from_u128(1_002), "http://new/v1", "m");
    traffic.instances.push((1, key));
    assert_eq!(traffic.counts(600), [300, 100, 100, 100]);
    assert_eq!(traffic.counts(600), [300, 100, 100, 100]);
}

#[test]
fn weights_are_spread_out_and_not_served_in_blocks() {
    assert_eq!(
        Traffic::through(&[(5, 1), (1, 1), (1, 1)]).letters(7),
        "AABACAA"
    );
}

#[test]
fn a_target_that_goes_and_comes_back_leaves_the_others_exact() {
    let mut traffic = Traffic::through(&[(100, 1), (300, 1), (250, 1)]);
    for pause in [0, 1, 2, 3, 5, 8] {
        traffic.target_is_out(2, false);
        let letters = traffic.letters(13 + pause);
        // 100 : 300 : 250 is 2 : 6 : 5.
        assert_eq!(in_each_window(&letters, 'A', 13), always(2));
        assert_eq!(in_each_window(&letters, 'B', 13), always(6));
        assert_eq!(in_each_window(&letters, 'C', 13), always(5));
        traffic.target_is_out(2, true);
        let letters = traffic.letters(12 + pause);
        assert_eq!(in_each_window(&letters, 'A', 4), always(1));
        assert_eq!(in_each_window(&letters, 'B', 4), always(3));
    }
}

#[test]
fn requests_that_see_different_targets_each_get_exact_shares() {
    // Every other request comes in on an endpoint that C does not speak.
    let mut traffic = Traffic::through(&[(100, 1), (300, 1), (400, 1)]);
    let mut all = String::new();
    let mut without_c = String::new();
    for _ in 0..200 {
        traffic.target_is_out(2, false);
        all.push(traffic.letter());
        traffic.target_is_out(2, true);
        without_c.push(traffic.letter());
    }
    assert_eq!(in_each_window(&all, 'A', 8), always(1));
    assert_eq!(in_each_window(&all, 'C', 8), always(4));
    assert_eq!(in_each_window(&without_c, 'A', 4), always(1));
}

#[test]
fn targets_that_flicker_share_by_weight_though_no_set_of_them_lasts() {
    // Ten targets and 1,023 sets of them, more than are remembered, in no order that repeats.
    let mut traffic = Traffic::through(&[(100, 1); 10]);
    let mut counts = BTreeMap::new();
    let mut state = 1_u32;
    for _ in 0..10_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        for target in 0..10 {
            traffic.target_is_out(target, (state >> (16 + target)) & 1 == 0);
        }
        *counts.entry(traffic.letter()).or_insert(0) += 1;
    }
    for letter in 'A'..='J' {
        let count = counts.get(&letter).copied().unwrap_or(0);
        assert!(
            (700..=1_300).contains(&count),
            "{letter}: {count} of 10,000"
        );
    }
}

#[test]
fn a_target_that_is_switched_off_takes_nothing_in_any_mode() {
    for weight in [0, 100] {
        let mut traffic = Traffic::through(&[(weight, 1), (weight, 1), (weight, 1)]);
        traffic.letters(2);
        traffic.target_is_out(1, true);
        assert_eq!(traffic.letters(100).matches('B').count(), 0);
    }
}

#[test]
fn saving_without_touching_targets_and_weights_goes_on_where_it_was() {
    for weights in [[0, 0, 0], [100, 300, 250]] {
        let targets = weights.map(|weight| (weight, 2));
        let mut saved = Traffic::through(&targets);
        let mut unsaved = Traffic::through(&targets);
        for _ in 0..40 {
            assert_eq!(saved.counts(3), unsaved.counts(3));
            saved.save(|draft| draft.description.push('.'));
        }
    }
}

#[test]
fn weights_that_shrink_a_millionfold_count_from_the_next_request() {
    let mut traffic = Traffic::through(&[(1_000_000, 1), (999_999, 1)]);
    traffic.counts(12_345);
    traffic.save(|draft| {
        draft.targets[0].weight = Some(1.0);
        draft.targets[1].weight = Some(3.0);
    });
    let letters = traffic.letters(40);
    assert_eq!(in_each_window(&letters, 'A', 4), always(1));
    assert_eq!(in_each_window(&letters, 'B', 4), always(3));
}

#[test]
fn a_target_that_is_added_gets_its_share_and_no_more() {
    let mut traffic = Traffic::through(&[(100, 1), (300, 1), (400, 1)]);
    let third = traffic.draft.targets.pop().unwrap();
    traffic.target_is_out(2, true);
    traffic.save(|_| {});
    traffic.letters(1_001);
    traffic.target_is_out(2, false);
    traffic.save(|draft| draft.targets.push(third));
    let letters = traffic.letters(80);
    assert_eq!(in_each_window(&letters, 'C', 8), always(4));
    assert_eq!(in_each_window(&letters, 'A', 8), always(1));
}

#[test]
fn a_route_that_goes_from_weights_to_turns_and_back_starts_well() {
    let mut traffic = Traffic::through(&[(100, 1), (300, 1)]);
    traffic.letters(5);
    traffic.save(|draft| draft.targets.iter_mut().for_each(|t| t.weight = None));
    assert_eq!(in_each_window(&traffic.letters(20), 'A', 2), always(1));
    traffic.save(|draft| draft.targets.iter_mut().for_each(|t| t.weight = Some(7.0)));
    assert_eq!(in_each_window(&traffic.letters(20), 'A', 2), always(1));
}

#[test]
fn retries_go_to_the_targets_other_instances_and_then_to_the_targets_in_turn() {
    // Instances 0, 1 | 2 | 3, 4.
    let mut traffic = Traffic::through(&[(0, 2), (0, 1), (0, 2)]);
    let mut ranked = || -> Vec<usize> {
        let ranking = traffic.rank();
        ranking.live.iter().map(|ranked| ranked.candidate).collect()
    };
    assert_eq!(ranked(), [0, 1, 2, 3, 4]);
    assert_eq!(ranked(), [2, 3, 4, 1, 0]);
    assert_eq!(ranked(), [3, 4, 1, 0, 2]);
    assert_eq!(ranked(), [1, 0, 2, 4, 3]);
}

#[test]
fn retries_under_weights_go_to_the_target_that_is_due_next() {
    let mut traffic = Traffic::through(&[(100, 1), (300, 1), (200, 1)]);
    let letters = |ranking: &Ranking| -> String {
        let letter = |ranked: &Ranked| char::from(b'A' + ranked.candidate as u8);
        ranking.live.iter().map(letter).collect()
    };
    let first = letters(&traffic.rank());
    let second = letters(&traffic.rank());
    assert_eq!(first, "BCA");
    assert!(second.starts_with('C'));
}

#[test]
fn a_clone_of_the_rotation_shows_the_next_choice_without_taking_it() {
    let mut traffic = Traffic::through(&[(100, 2), (300, 2)]);
    for _ in 0..20 {
        let kept = traffic.rotation.clone();
        let shown = traffic.rank();
        traffic.rotation = kept;
        assert_eq!(traffic.rank(), shown);
    }
}

#[test]
fn those_left_out_are_listed_with_their_reason() {
    let mut traffic = Traffic::through(&[(0, 1), (0, 2)]);
    traffic.out = BTreeSet::from([0, 2]);
    let ranking = traffic.rank();
    assert_eq!(ranking.live, [Ranked::in_turn(1)]);
    assert_eq!(
        ranking.left_out,
        [(0, LeftOut::ProviderOff), (2, LeftOut::ProviderOff)]
    );
}

#[test]
fn with_nobody_live_the_rotation_stands_still() {
    let mut traffic = Traffic::through(&[(0, 1), (0, 1)]);
    assert_eq!(traffic.letters(1), "A");
    traffic.out = BTreeSet::from([0, 1]);
    assert_eq!(traffic.letters(3), "---");
    traffic.out.clear();
    assert_eq!(traffic.letters(2), "BA");
}

#[test]
fn instances_that_came_and_went_are_forgotten_in_the_end() {
    let mut traffic = Traffic::through(&[(0, 1)]);
    for number in 0..1_000 {
        let url = format!("http://host-{number}/v1");
        traffic.instances = vec![(0, CandidateKey::new(Uuid::nil(), &url, "m"))];
        traffic.rank();
    }
    assert!(format!("{:?}", traffic.rotation).matches("http").count() < 100);
}

#[test]
fn policy_without_a_rating_takes_targets_in_turn() {
    let mut traffic = Traffic::through(&[(0, 1), (0, 2)]);
    traffic.save(|draft| draft.policy.session_affinity = Some(Default::default()));
    assert_eq!(traffic.counts(400), [200, 100, 100]);
    let ranking = traffic.rank();
    assert!(ranking.scored.is_empty() && ranking.live.iter().all(|ranked| ranked.total.is_none()));
    assert_eq!(
        ranking.abstained,
        [(ScorerName::SessionAffinity, Abstention::NoSessionKey)]
    );
}

#[test]
fn a_full_instance_takes_its_turn_and_is_passed_over() {
    let mut traffic = Traffic::through(&[(0, 1), (0, 2)]);
    traffic.full = BTreeSet::from([1]);
    // B's turns go to its other instance, and never to A.
    assert_eq!(traffic.counts(400), [200, 0, 200]);
    traffic.full = BTreeSet::from([0, 1, 2]);
    let ranking = traffic.rank();
    assert_eq!(ranking.choice(), None);
    assert_eq!(ranking.live.len(), 3);
}

/// Targets as (weight, instances), weights on all of them.
fn weighted() -> impl Strategy<Value = Vec<(u32, usize)>> {
    prop::collection::vec((1_u32..=40, 1_usize..=3), 1..=6)
}

/// Targets as (weight, instances), weights on all of them or on none.
fn any_targets() -> impl Strategy<Value = Vec<(u32, usize)>> {
    let weight = prop_oneof![1_u32..=9, 1_u32..=1_000_000];
    let targets = prop::collection::vec((weight, 1_usize..=3), 1..=6);
    (targets, any::<bool>()).prop_map(|(mut targets, weighted)| {
        if !weighted {
            targets.iter_mut().for_each(|(weight, _)| *weight = 0);
        }
        targets
    })
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

proptest! {
    /// Any window of a full period is exact, wherever it starts.
    #[test]
    fn shares_are_exact_over_any_full_period(targets in weighted(), skipped in 0_usize..200) {
        let divisor = targets.iter().fold(0, |divisor, (weight, _)| gcd(divisor, *weight));
        let parts: Vec<usize> = targets.iter().map(|(weight, _)| (weight / divisor) as usize).collect();
        let period = parts.iter().sum();
        let mut traffic = Traffic::through(&targets);
        traffic.letters(skipped);
        let letters = traffic.letters(2 * period);
        for (letter, part) in ('A'..).zip(parts) {
            prop_assert_eq!(in_each_window(&letters, letter, period), always(part));
        }
    }

    /// Over so many periods that instances come out even, the counts are the expected shares.
    #[test]
    fn counts_are_the_expected_shares(targets in weighted(), weighted in any::<bool>()) {
        let targets: Vec<_> = targets
            .into_iter()
            .map(|(weight, instances)| (if weighted { weight } else { 0 }, instances))
            .collect();
        let mut traffic = Traffic::through(&targets);
        let period: usize = match weighted {
            true => targets.iter().map(|(weight, _)| *weight as usize).sum(),
            false => targets.len(),
        };
        let requests = 6 * period;
        let counts = traffic.counts(requests);
        let stakes: Vec<Stake> = targets
            .iter()
            .map(|(weight, instances)| Stake {
                weight: (*weight > 0).then(|| f64::from(*weight)),
                enabled: true,
                instances: *instances as u32,
            })
            .collect();
        let shares = expected_shares(&stakes).unwrap();
        for ((target, _), count) in traffic.instances.iter().zip(counts) {
            let expected = shares[*target].instance * requests as f64;
            prop_assert!((expected - count as f64).abs() < 1e-6, "{expected} {count}");
        }
    }

    /// Every candidate is ranked once, the live ones target by target, those left out apart; and
    /// once all are back, the shares are those of the weights at once.
    #[test]
    fn rankings_are_whole_whatever_comes_and_goes(
        targets in any_targets(),
        outages in prop::collection::vec(prop::collection::btree_set(0_usize..18, 0..18), 1..60),
    ) {
        let mut traffic = Traffic::through(&targets);
        for out in outages {
            traffic.out = out.into_iter().filter(|index| *index < traffic.instances.len()).collect();
            let ranking = traffic.rank();
            let live: Vec<usize> = ranking.live.iter().map(|ranked| ranked.candidate).collect();
            let mut all: Vec<usize> = live.clone();
            all.extend(ranking.left_out.iter().map(|(index, _)| *index));
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..traffic.instances.len()));
            prop_assert!(live.iter().all(|index| !traffic.out.contains(index)));
            let mut blocks: Vec<usize> = live.iter().map(|index| traffic.instances[*index].0).collect();
            blocks.dedup();
            let distinct: BTreeSet<usize> = blocks.iter().copied().collect();
            prop_assert_eq!(distinct.len(), blocks.len());
        }
        traffic.out.clear();
        let sum: u32 = targets.iter().map(|(weight, _)| weight.max(&1)).sum();
        if sum <= 54 {
            let letters = traffic.letters(2 * sum as usize);
            for (letter, (weight, _)) in ('A'..).zip(&targets) {
                let count = *weight.max(&1) as usize;
                prop_assert_eq!(in_each_window(&letters, letter, sum as usize), always(count));
            }
        }
    }

    /// Round-robin among n live targets gives each exactly one of any n requests.
    #[test]
    fn turns_are_strict_as_soon_as_the_live_targets_stay(
        count in 1_usize..=6,
        outages in prop::collection::vec(prop::collection::btree_set(0_usize..6, 0..6), 1..40),
    ) {
        let mut traffic = Traffic::through(&vec![(0, 1); count]);
        for out in outages {
            traffic.out = out.into_iter().filter(|index| *index < count).collect();
            let live = count - traffic.out.len();
            let letters = traffic.letters(3 * live);
            for (letter, target) in ('A'..).zip(0..count) {
                if live > 0 && !traffic.out.contains(&target) {
                    prop_assert_eq!(in_each_window(&letters, letter, live), always(1));
                }
            }
        }
    }

    /// Candidates that contradict the policy are ranked too, and nothing panics.
    #[test]
    fn strange_candidates_do_no_harm(
        targets in any_targets(),
        strange in prop::collection::vec((any::<usize>(), any::<bool>()), 0..20),
    ) {
        let mut traffic = Traffic::through(&targets);
        let key = CandidateKey::new(Uuid::nil(), "http://h/v1", "m");
        let candidates: Vec<Candidate<'_>> = strange
            .iter()
            .map(|(target, live)| Candidate {
                target: *target,
                key: &key,
                load: Load::default(),
                left_out: (!live).then_some(LeftOut::TargetOff),
            })
            .collect();
        let ranking = traffic.policy.rank(&candidates, &Facts::default(), &mut traffic.rotation);
        prop_assert_eq!(ranking.live.len() + ranking.left_out.len(), candidates.len());
    }
}
