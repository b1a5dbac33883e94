//! What holds for every weighted sum, and a few by hand.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::candidate::{CandidateKey, LeftOut, Load};
use crate::facts::{Decision, NoDecision};
use crate::policy::Policy;
use crate::ranking::Ranking;
use crate::rotation::Rotation;

/// One request and all that it is decided by.
#[derive(Clone, Debug)]
struct Request {
    scorers: Vec<(ScorerName, f64)>,
    instances: Vec<(CandidateKey, Load, Option<LeftOut>)>,
    session: Option<String>,
    decision: Option<Decision>,
    ticket: f64,
}

impl Request {
    /// Of instances by (number, model, requests in flight), with scorers by weight.
    fn new(scorers: &[(ScorerName, f64)], instances: &[(u128, &str, u32)]) -> Self {
        let instances = instances.iter().map(|(number, model, inflight)| {
            let key = CandidateKey::new(Uuid::from_u128(*number), "http://h/v1", model);
            let load = Load {
                inflight: *inflight,
                ..Load::default()
            };
            (key, load, None)
        });
        Self {
            scorers: scorers.to_vec(),
            instances: instances.collect(),
            session: None,
            decision: None,
            ticket: 0.0,
        }
    }

    fn decided(mut self, probabilities: &[(&str, f64)], confidence: f64) -> Self {
        self.decision = Some(Decision {
            probabilities: probabilities
                .iter()
                .map(|(model, p)| ((*model).to_owned(), *p))
                .collect(),
            confidence,
        });
        self
    }

    fn candidates(&self) -> Vec<Candidate<'_>> {
        let instances = self.instances.iter();
        instances
            .map(|(key, load, left_out)| Candidate {
                target: 0,
                key,
                load: *load,
                left_out: *left_out,
            })
            .collect()
    }

    fn rank(&self) -> Ranking {
        let candidates = self.candidates();
        let facts = Facts {
            session: self.session.as_deref(),
            decision: self.decision.as_ref().ok_or(NoDecision::NotAsked),
            ticket: self.ticket,
        };
        let policy = Policy::WeightedSum {
            scorers: self.scorers.clone(),
            targets: vec![Uuid::nil()],
        };
        policy.rank(&candidates, &facts, &mut Rotation::default())
    }

    /// The keys, best first; those tied for the best as one set.
    fn order(&self) -> (BTreeSet<&str>, Vec<&str>) {
        let ranking = self.rank();
        let key = |index: usize| self.instances[index].0.as_str();
        let order: Vec<&str> = ranking.live.iter().map(|r| key(r.candidate)).collect();
        (order.iter().take(ranking.tied).copied().collect(), order)
    }

    fn winner(&self) -> Option<&str> {
        let choice = self.rank().choice()?;
        Some(self.instances[choice].0.as_str())
    }
}

#[test]
fn a_total_is_the_sum_of_weights_times_shares() {
    let scorers = [
        (ScorerName::LeastInflight, 2.0),
        (ScorerName::DecisionService, 10.0),
    ];
    let request = Request::new(&scorers, &[(1, "small", 0), (2, "large", 1)])
        .decided(&[("small", 0.2), ("large", 0.6)], 0.5);
    let ranking = request.rank();
    let total = |place: usize| ranking.live[place].total.unwrap();
    // 2 · 2/3 + 10 · 0.5 · 1/4 and 2 · 1/3 + 10 · 0.5 · 3/4
    assert!((total(1) - (4.0 / 3.0 + 1.25)).abs() < 1e-12);
    assert!((total(0) - (2.0 / 3.0 + 3.75)).abs() < 1e-12);
    assert_eq!(ranking.live[0].candidate, 1);
    let parts: Vec<_> = ranking.parts(1).collect();
    assert_eq!(parts[0].0, ScorerName::LeastInflight);
    assert_eq!(parts[1], (ScorerName::DecisionService, 0.6 / 0.8, 5.0));
    assert_eq!(ranking.tied, 1);
}

#[test]
fn the_decision_picks_the_model_and_load_the_instance() {
    let scorers = [
        (ScorerName::LeastInflight, 1.0),
        (ScorerName::DecisionService, 10.0),
    ];
    let mut request = Request::new(
        &scorers,
        &[(1, "large", 0), (2, "large", 0), (3, "small", 0)],
    )
    .decided(&[("large", 0.9), ("small", 0.1)], 0.8);
    for _ in 0..20 {
        let chosen = request.rank().choice().unwrap();
        assert_eq!(request.instances[chosen].0.model(), "large");
        request.instances[chosen].1.inflight += 1;
    }
    let busy = |index: usize| request.instances[index].1.inflight;
    assert_eq!((busy(0), busy(1), busy(2)), (10, 10, 0));
}

#[test]
fn requests_together_at_idle_instances_take_one_each() {
    let instances: Vec<(u128, &str, u32)> = (0..9).map(|number| (number, "m", 0)).collect();
    let mut request = Request::new(&[(ScorerName::LeastInflight, 1.0)], &instances);
    for number in 0..9_u32 {
        request.ticket = f64::from(number) / 9.0;
        let chosen = request.rank().choice().unwrap();
        assert_eq!(request.instances[chosen].1.inflight, 0);
        request.instances[chosen].1.inflight += 1;
    }
}

#[test]
fn a_full_candidate_is_rated_and_then_passed_over() {
    let mut request = Request::new(
        &[(ScorerName::LeastInflight, 1.0)],
        &[(1, "m", 0), (2, "m", 1), (3, "m", 2)],
    );
    let rated = request.rank().scored;
    request.instances[0].1.full = true;
    let ranking = request.rank();
    assert_eq!(ranking.scored, rated, "full or not, it counts in N");
    let order: Vec<_> = ranking.live.iter().map(|r| (r.candidate, r.full)).collect();
    assert_eq!(order, [(1, false), (2, false), (0, true)]);
    assert_eq!(ranking.choice(), Some(1));
    request
        .instances
        .iter_mut()
        .for_each(|(_, load, _)| load.full = true);
    assert_eq!(request.rank().choice(), None);
}

#[test]
fn those_left_out_count_for_nothing() {
    let mut request = Request::new(
        &[(ScorerName::LeastInflight, 1.0)],
        &[(1, "m", 0), (2, "m", 1), (3, "m", 0)],
    );
    request.instances[0].2 = Some(LeftOut::TargetOff);
    let ranking = request.rank();
    assert_eq!(ranking.left_out, [(0, LeftOut::TargetOff)]);
    assert_eq!(ranking.scored[0].shares, [0.0, 1.0 / 3.0, 2.0 / 3.0]);
}

#[test]
fn every_scorer_that_abstains_says_why() {
    let all = ScorerName::ALL.map(|scorer| (scorer, 1.0));
    let mut request = Request::new(&all, &[(1, "small", 0), (2, "large", 0)]);
    let abstained = request.rank().abstained;
    assert_eq!(
        abstained,
        [
            (ScorerName::SessionAffinity, Abstention::NoSessionKey),
            (
                ScorerName::DecisionService,
                Abstention::NoDecision(NoDecision::NotAsked)
            ),
        ]
    );
    request = request.decided(&[("other", 1.0)], 1.0);
    assert_eq!(request.rank().abstained[1].1, Abstention::NothingRated);
    request = request.decided(&[("small", 1.0)], 0.0);
    assert_eq!(request.rank().abstained[1].1, Abstention::NoConfidence);
}

/// Any facts and loads, sane or not.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => 0.0..1.0_f64,
        1 => any::<f64>(),
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(0.0),
    ]
}

prop_compose! {
    fn request(sane: bool)(
        weights in prop::collection::vec((0.001..1_000.0_f64, any::<bool>()), 3),
        instances in prop::collection::btree_map(
            0_u128..50, (0_usize..3, 0_u32..20, any_number(), any::<bool>(), 0_u8..5), 1..12),
        session in prop::option::of("[a-z]{1,8}"),
        probabilities in prop::collection::vec(any_number(), 3),
        confidence in any_number(),
        decided in any::<bool>(),
        ticket in any_number(),
    ) -> Request {
        let models = ["small", "medium", "large"];
        let clean = move |number: f64| match sane {
            true if number.is_finite() => number.abs().min(1.0),
            true => 0.5,
            false => number,
        };
        let scorers = ScorerName::ALL
            .into_iter()
            .zip(weights)
            .filter(|(_, (_, on))| *on)
            .map(|(scorer, (weight, _))| (scorer, weight))
            .collect();
        let instances = instances.into_iter().map(|(number, (model, inflight, penalty, full, out))| {
            let key = CandidateKey::new(Uuid::from_u128(number), "http://h/v1", models[model]);
            let penalty = if sane { 0.0 } else { penalty };
            let load = Load { inflight, penalty, full: full && !sane };
            (key, load, (out == 0).then_some(LeftOut::ProviderOff))
        });
        let probabilities: BTreeMap<String, f64> = models
            .iter()
            .zip(probabilities)
            .map(|(model, p)| ((*model).to_owned(), clean(p)))
            .collect();
        Request {
            scorers,
            instances: instances.collect(),
            session,
            decision: decided.then(|| Decision { probabilities, confidence: clean(confidence) }),
            ticket: clean(ticket),
        }
    }
}

proptest! {
    #[test]
    fn shares_sum_to_one(request in request(false)) {
        for scored in request.rank().scored {
            let sum: f64 = scored.shares.iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            prop_assert!(scored.shares.iter().all(|share| (0.0..=1.0).contains(share)));
        }
    }

    #[test]
    fn scaling_all_weights_changes_nothing(request in request(true), scale in 0.001..1_000.0_f64) {
        let mut scaled = request.clone();
        scaled.scorers.iter_mut().for_each(|(_, weight)| *weight *= scale);
        prop_assert_eq!(scaled.order(), request.order());
    }

    #[test]
    fn the_order_of_candidates_and_scorers_never_matters(request in request(true), turn in 0_usize..12) {
        let mut other = request.clone();
        other.instances.reverse();
        let middle = turn % other.instances.len();
        other.instances.rotate_left(middle);
        other.scorers.reverse();
        if !request.rank().scored.is_empty() {
            prop_assert_eq!(other.order(), request.order());
        }
    }

    /// What was said of a request, weighed anew, comes to what those weights would have made of it.
    #[test]
    fn ranking_again_is_ranking_anew(request in request(true), factor in 0.01..100.0_f64) {
        let mut other = request.clone();
        for ((_, weight), factor) in other.scorers.iter_mut().zip([1.0, factor, 1.0 / factor]) {
            *weight *= factor;
        }
        let mut scored = request.rank().scored;
        for one in &mut scored {
            let (_, weight) = other.scorers.iter().find(|(scorer, _)| *scorer == one.scorer).unwrap();
            let confidence = match (one.scorer, &request.decision) {
                (ScorerName::DecisionService, Some(decision)) => decision.confidence,
                _ => 1.0,
            };
            one.weight = weight * confidence;
        }
        if !scored.is_empty() {
            let again = Policy::rank_again(scored, &request.candidates(), request.ticket);
            let anew = other.rank();
            prop_assert_eq!((again.live, again.tied), (anew.live, anew.tied));
        }
    }

    /// A session whose owner stays has it still; one whose owner goes has the second it had before.
    #[test]
    fn removing_a_candidate_moves_only_its_own_sessions(
        count in 2_u128..10, gone in 0_usize..10, session in "\\PC{1,20}",
    ) {
        let instances: Vec<_> = (0..count).map(|number| (number, "m", 0)).collect();
        let mut request = Request::new(&[(ScorerName::SessionAffinity, 1.0)], &instances);
        request.session = Some(session);
        let gone = gone % instances.len();
        let mut before: Vec<String> = request.order().1.into_iter().map(str::to_owned).collect();
        let (removed, _, _) = request.instances.remove(gone);
        before.retain(|key| key != removed.as_str());
        prop_assert_eq!(request.order().1, before);
    }

    #[test]
    fn ties_are_uniform(count in 2_u32..7, others in 0_u32..4) {
        // Of the idle each is chosen as often, whoever else is there.
        let instances: Vec<_> = (0..count + others)
            .map(|number| (u128::from(number), "m", u32::from(number >= count)))
            .collect();
        let mut request = Request::new(&[(ScorerName::LeastInflight, 1.0)], &instances);
        let mut wins = BTreeMap::new();
        let mut seconds = BTreeMap::new();
        for draw in 0..2_100_u32 {
            request.ticket = f64::from(draw) / 2_100.0;
            let ranking = request.rank();
            prop_assert_eq!(ranking.tied, count as usize);
            *wins.entry(ranking.live[0].candidate).or_insert(0_u32) += 1;
            *seconds.entry(ranking.live[1].candidate).or_insert(0_u32) += 1;
        }
        prop_assert_eq!(wins.len(), count as usize);
        let expected = 2_100 / count;
        for tally in wins.values().chain(seconds.values().filter(|_| count > 1)) {
            prop_assert!(tally.abs_diff(expected) <= expected / 10 + 10, "{tally} of {expected}");
        }
    }

    /// Whatever comes in, every candidate is ranked once, the numbers are finite, the order is by
    /// total, and the best is no worse than any other.
    #[test]
    fn no_input_makes_a_nan_win(request in request(false)) {
        let ranking = request.rank();
        prop_assert_eq!(ranking.live.len() + ranking.left_out.len(), request.instances.len());
        prop_assert_eq!(ranking.scored.len() + ranking.abstained.len(), request.scorers.len());
        let totals: Vec<f64> = ranking
            .live
            .iter()
            .filter(|ranked| !ranked.full)
            .filter_map(|ranked| ranked.total)
            .collect();
        prop_assert!(totals.iter().all(|total| total.is_finite() && *total >= 0.0));
        for pair in totals.windows(2) {
            prop_assert!(pair[0] >= pair[1] - pair[1] * 1e-8, "{totals:?}");
        }
        if let Some(winner) = request.winner() {
            let winner = request.instances.iter().find(|(key, ..)| key.as_str() == winner).unwrap();
            prop_assert!(winner.2.is_none() && !winner.1.full);
        }
    }
}
