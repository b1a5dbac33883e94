//! What holds for every draft.

use proptest::prelude::*;

use super::*;
use crate::draft::*;

/// Texts that are right or nearly so.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-c]{1,2}",
        1 => "[ -~]{0,4}",
        1 => any::<String>(),
        1 => Just("/responses".to_owned()),
        1 => Just("*".to_owned()),
    ]
}

fn number() -> impl Strategy<Value = Option<f64>> {
    let number = prop_oneof![(1_u32..5).prop_map(f64::from), any::<f64>()];
    prop::option::of(number)
}

prop_compose! {
    fn target()(
        id in prop::option::of((0_u128..9).prop_map(uuid::Uuid::from_u128)),
        provider in text(), model in text(), weight in number(), enabled in any::<bool>(),
    ) -> TargetDraft {
        TargetDraft { id, provider, model, weight, enabled }
    }
}

prop_compose! {
    fn session_affinity()(
        enabled in any::<bool>(), weight in number(),
        body_paths in prop::option::of(prop::collection::vec(text(), 0..3)),
        keys in prop::option::of(prop::collection::vec(
            (prop::option::of(text()), prop::option::of(text()))
                .prop_map(|(header, body)| SessionKeyDraft { header, body }),
            0..3,
        )),
    ) -> SessionAffinityDraft {
        SessionAffinityDraft { enabled, weight, body_paths, keys }
    }
}

prop_compose! {
    fn decision_service()(
        enabled in any::<bool>(), weight in number(), provider in prop::option::of(text()),
        model in prop::option::of(text()), instructions in text(),
        criteria in prop::collection::btree_map(text(), text(), 0..4),
        timeout_ms in prop::option::of(prop_oneof![100..30_000_u64, any::<u64>()]),
    ) -> DecisionServiceDraft {
        DecisionServiceDraft { enabled, weight, provider, model, instructions, criteria, timeout_ms }
    }
}

prop_compose! {
    fn retry()(
        attempts in number(),
        statuses in prop::option::of(prop::collection::vec(
            prop_oneof![3 => 500..600_u16, 1 => any::<u16>()], 0..3)),
    ) -> RetryDraft {
        RetryDraft { attempts, statuses }
    }
}

prop_compose! {
    fn any_draft()(
        revision in any::<Option<i64>>(), name in text(), description in any::<String>(),
        enabled in any::<bool>(),
        targets in prop::collection::vec(target(), 0..4),
        fallbacks in prop::collection::vec(
            (text(), text()).prop_map(|(provider, model)| FallbackDraft { provider, model }), 0..3),
        session_affinity in prop::option::of(session_affinity()),
        least_inflight in prop::option::of((any::<bool>(), number())
            .prop_map(|(enabled, weight)| LeastInflightDraft { enabled, weight })),
        decision_service in prop::option::of(decision_service()),
        retry in retry(), keep_alive in any::<bool>(),
        keep_bodies in any::<bool>(),
    ) -> RouteDraft {
        let policy = PolicyDraft { session_affinity, least_inflight, decision_service };
        RouteDraft {
            revision, name, description, enabled, targets, fallbacks, policy, retry, keep_alive,
            keep_bodies,
        }
    }
}

/// Drafts with nothing wrong in them.
fn valid_draft() -> impl Strategy<Value = RouteDraft> {
    let target = ("[a-z]{1,8}", "[a-z]{1,8}", 1_u32..=1_000_000, any::<bool>());
    (
        "[A-Za-z0-9]([A-Za-z0-9_.:/@+-]{0,20}[A-Za-z0-9])?",
        prop::collection::vec(target, 2..5),
        any::<[bool; 5]>(),
        1_u32..=4_000,
        (1_u32..=10, prop::collection::btree_set(500..600_u16, 0..3)),
    )
        .prop_map(
            |(name, targets, switches, thousandths, (attempts, statuses))| {
                let [weighted, affinity, inflight, decision, keep_alive] = switches;
                // Thousandths come through JSON as they are.
                let weight = Some(f64::from(thousandths) / 1_000.0);
                let targets: Vec<TargetDraft> = (0..)
                    .zip(targets)
                    .map(|(index, (provider, model, weight, enabled))| TargetDraft {
                        id: enabled.then(|| uuid::Uuid::from_u128(index)),
                        provider,
                        model: format!("{model}-{index}"),
                        weight: weighted.then(|| f64::from(weight)),
                        enabled,
                    })
                    .collect();
                let criteria = targets
                    .iter()
                    .map(|target| (target.model.clone(), "good".to_owned()));
                let policy = PolicyDraft {
                    session_affinity: affinity.then(|| SessionAffinityDraft {
                        enabled: !weighted,
                        weight,
                        ..SessionAffinityDraft::default()
                    }),
                    least_inflight: inflight.then_some(LeastInflightDraft {
                        enabled: !weighted,
                        weight,
                    }),
                    decision_service: decision.then(|| DecisionServiceDraft {
                        enabled: !weighted,
                        weight,
                        provider: Some("jev".to_owned()),
                        model: Some("jev-latest".to_owned()),
                        criteria: criteria.collect(),
                        ..DecisionServiceDraft::default()
                    }),
                };
                let fallbacks = vec![FallbackDraft {
                    provider: "x".to_owned(),
                    model: "y".to_owned(),
                }];
                RouteDraft {
                    name,
                    targets,
                    fallbacks,
                    policy,
                    retry: RetryDraft {
                        attempts: Some(f64::from(attempts)),
                        statuses: Some(statuses.into_iter().collect()),
                    },
                    keep_alive,
                    ..RouteDraft::default()
                }
            },
        )
}

proptest! {
    #[test]
    fn any_draft_is_a_route_or_has_named_problems(draft in any_draft()) {
        match Route::try_from(&draft) {
            Ok(route) => {
                prop_assert_eq!(Route::try_from(RouteDraft::from(route.clone())), Ok(route));
            }
            Err(problems) => prop_assert!(!problems.is_empty() && !problems.into_messages().is_empty()),
        }
    }

    #[test]
    fn a_route_goes_through_json_and_comes_back_equal(draft in valid_draft()) {
        let route = Route::try_from(draft)
            .map_err(|problems| TestCaseError::fail(problems.to_string()))?;
        let json = serde_json::to_string(&RouteDraft::from(route.clone())).unwrap();
        let draft: RouteDraft = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(Route::try_from(draft), Ok(route));
    }
}
