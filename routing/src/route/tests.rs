//! What a draft may say, and what is said of the rest.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::draft::*;
use crate::settings::ScorerName;
use crate::weight::Weight;

/// The smallest route there is.
fn minimal() -> Value {
    json!({"name": "qwen3", "targets": [{"provider": "local-a", "model": "qwen3-0.6b"}]})
}

/// Two targets with a decision service that tells them apart.
fn decided() -> Value {
    json!({
        "name": "qwen3",
        "targets": [
            {"provider": "a", "model": "qwen3-0.6b"},
            {"provider": "b", "model": "qwen3-32b"},
        ],
        "policy": {"decision_service": {
            "provider": "jev",
            "model": "jev-latest",
            "criteria": {"qwen3-0.6b": "fast", "qwen3-32b": "strong"},
        }},
    })
}

/// What `json` becomes after a merge patch (RFC 7396, but null is set and not removed).
fn with(mut json: Value, patch: Value) -> Value {
    match (&mut json, patch) {
        (Value::Object(object), Value::Object(patch)) => {
            for (key, value) in patch {
                let old = object.remove(&key).unwrap_or_default();
                object.insert(key, with(old, value));
            }
            json
        }
        (_, patch) => patch,
    }
}

fn read(json: Value) -> RouteDraft {
    serde_json::from_value(json).unwrap()
}

fn route(json: Value) -> Route {
    Route::try_from(read(json)).unwrap()
}

fn problems(json: Value) -> FieldErrors {
    Route::try_from(read(json)).unwrap_err()
}

/// Paths of what is wrong, in order.
fn wrong(json: Value) -> Vec<String> {
    problems(json).into_messages().into_keys().collect()
}

fn targets(weights: &[Value]) -> Value {
    weights
        .iter()
        .enumerate()
        .map(|(index, weight)| {
            json!({"provider": format!("p{index}"), "model": "m", "weight": weight})
        })
        .collect()
}

#[test]
fn a_name_and_a_target_are_enough() {
    let route = route(minimal());
    assert_eq!(route.name(), "qwen3");
    assert_eq!(route.description(), "");
    assert!(route.enabled());
    assert_eq!(route.route_by(), RouteBy::RoundRobin);
    let [target] = route.targets() else { panic!() };
    assert_eq!(target.id(), None);
    assert_eq!(
        (target.provider(), target.model()),
        ("local-a", "qwen3-0.6b")
    );
    assert_eq!(target.weight(), None);
    assert!(target.enabled());
    assert!(route.fallbacks().is_empty());
    assert_eq!(route.policy(), &PolicySettings::default());
    assert_eq!(route.retry().attempts(), 2);
    assert_eq!(route.retry().statuses(), [429, 502, 503, 504]);
    assert!(route.keep_alive());
}

#[test]
fn nothing_at_all_is_readable_and_lacks_a_name_and_a_target() {
    assert_eq!(read(json!({})), RouteDraft::default());
    assert_eq!(wrong(json!({})), ["name", "targets"]);
}

#[test]
fn null_reads_like_a_missing_field() {
    let nulls = json!({
        "revision": null, "name": null, "description": null, "enabled": null, "targets": null,
        "fallbacks": null, "policy": null, "retry": null, "keep_alive": null,
    });
    assert_eq!(read(nulls), RouteDraft::default());
    let nulls =
        json!({"id": null, "provider": null, "model": null, "weight": null, "enabled": null});
    assert_eq!(
        read(json!({"targets": [nulls]})),
        read(json!({"targets": [{}]}))
    );
    let nulls = json!({"policy": {
        "session_affinity": {"enabled": null, "weight": null, "body_paths": null, "keys": null},
        "least_inflight": {"enabled": null, "weight": null},
        "decision_service": {"enabled": null, "weight": null, "provider": null, "model": null,
            "instructions": null, "criteria": null, "timeout_ms": null},
    }});
    let empty = json!({"policy": {
        "session_affinity": {}, "least_inflight": {}, "decision_service": {},
    }});
    assert_eq!(read(nulls), read(empty));
    let off = json!({"policy": {
        "session_affinity": null, "least_inflight": null, "decision_service": null,
    }});
    assert_eq!(read(off), RouteDraft::default());
    let nulls = json!({"retry": {"attempts": null, "statuses": null}});
    assert_eq!(read(nulls), RouteDraft::default());
}

#[test]
fn what_a_read_gave_can_be_written_back() {
    let given = json!({
        "id": "0199c0de-0000-7000-8000-000000000001", "revision": 3, "name": "qwen3",
        "description": "", "enabled": true,
        "targets": [{"id": "0199c0de-0000-7000-8000-000000000002", "provider": "local-a",
            "model": "qwen3-0.6b", "weight": null, "enabled": true},
            {"id": "0199c0de-0000-7000-8000-000000000003", "provider": "local-b",
            "model": "qwen3-32b", "weight": null, "enabled": false}],
        "fallbacks": [{"provider": "local-c", "model": "m"}],
        "policy": {
            "session_affinity": {"enabled": true, "weight": 1.0,
                "body_paths": ["/responses", "/messages"],
                "keys": [{"header": "session-id"}, {"header": "x-client-request-id"},
                    {"body": "prompt_cache_key"}]},
            "least_inflight": {"enabled": true, "weight": 1.0},
            "decision_service": {"enabled": true, "weight": 10.0, "provider": "jev",
                "model": "jev-latest", "instructions": "…",
                "criteria": {"qwen3-0.6b": "…", "qwen3-32b": "…"}, "timeout_ms": 3000}},
        "retry": {"attempts": 4, "statuses": [404, 500]}, "keep_alive": false,
        "route_by": "policy",
        "created_at": "2026-11-01T00:00:00Z", "updated_at": "2026-11-01T00:00:00Z",
    });
    let route = route(given.clone());
    assert_eq!(route.route_by(), RouteBy::Policy);
    assert_eq!(
        serde_json::to_value(route.policy()).unwrap(),
        given["policy"]
    );
    assert_eq!(serde_json::to_value(route.retry()).unwrap(), given["retry"]);
    assert!(!route.keep_alive());
}

#[test]
fn everything_wrong_is_said_at_once() {
    let problems = problems(json!({
        "name": "qwen 3",
        "description": "x".repeat(2_001),
        "targets": [{"provider": " ", "model": "m", "weight": 0}, {"provider": "p"}],
        "fallbacks": [{"model": "m"}],
        "policy": {"decision_service": {"weight": -1}},
        "retry": {"attempts": 0, "statuses": [400]},
    }));
    let expected = [
        "description",
        "fallbacks[0].provider",
        "name",
        "policy.decision_service",
        "policy.decision_service.criteria",
        "policy.decision_service.model",
        "policy.decision_service.provider",
        "policy.decision_service.weight",
        "retry.attempts",
        "retry.statuses[0]",
        "targets[0].provider",
        "targets[0].weight",
        "targets[1].model",
        "targets[1].weight",
    ];
    assert!(problems.iter().map(|(path, _)| path).eq(expected));
}

#[test]
fn every_problem_is_a_sentence() {
    let problems = problems(json!({
        "targets": [{"weight": 0.5}, {"provider": "a", "model": "b"}, {"provider": "a", "model": "b"}],
        "policy": {
            "session_affinity": {"keys": [{}, {"header": "a b"}, {"body": "a..b"}], "body_paths": ["x", ""]},
            "least_inflight": {"weight": 0},
            "decision_service": {"timeout_ms": 1, "criteria": {"z": " "}},
        },
        "retry": {"attempts": 1.5, "statuses": [400, 200]},
    }));
    assert!(problems.len() > 10);
    for (path, sentence) in problems.into_messages() {
        assert!(
            sentence.starts_with(|first: char| first.is_uppercase()),
            "{path}: {sentence}"
        );
        assert!(sentence.ends_with('.'), "{path}: {sentence}");
    }
}

#[test]
fn provider_and_model_lose_the_space_around_them() {
    let json = json!({"name": "n", "targets": [{"provider": " local-a ", "model": "m\n"}]});
    let route = route(json);
    let target = &route.targets()[0];
    assert_eq!((target.provider(), target.model()), ("local-a", "m"));
}

#[test]
fn the_same_target_twice_is_refused_at_the_second() {
    let pair = json!({"provider": "p", "model": "m"});
    let json = with(
        minimal(),
        json!({"targets": [pair, {"provider": "p", "model": "o"}, {"provider": "p ", "model": "m"}]}),
    );
    assert_eq!(
        problems(json).get("targets[2].model"),
        Some(&Problem::SameAs { earlier: 0 })
    );
    let json = with(minimal(), json!({"fallbacks": [pair, pair]}));
    assert_eq!(wrong(json), ["fallbacks[1].model"]);
}

#[test]
fn a_fallback_may_be_a_target_too() {
    route(with(
        minimal(),
        json!({"fallbacks": [{"provider": "local-a", "model": "qwen3-0.6b"}]}),
    ));
}

#[test]
fn one_identity_stands_for_one_target() {
    let id = "0199c0de-0000-7000-8000-000000000002";
    let json = with(
        minimal(),
        json!({"targets": [
            {"id": id, "provider": "a", "model": "m"}, {"id": id, "provider": "b", "model": "m"},
        ]}),
    );
    assert_eq!(wrong(json), ["targets[1].id"]);
}

#[test]
fn lists_are_bounded() {
    let many = |count: usize| -> Value { targets(&vec![Value::Null; count]) };
    route(with(
        minimal(),
        json!({"targets": many(1_000), "fallbacks": many(100)}),
    ));
    let json = with(
        minimal(),
        json!({"targets": many(1_001), "fallbacks": many(101)}),
    );
    assert_eq!(wrong(json), ["fallbacks", "targets"]);
    let nothing = vec![json!({}); 50_000];
    let json = with(minimal(), json!({"targets": nothing, "fallbacks": nothing}));
    assert!(problems(json).len() < 5_000);
}

#[test]
fn weights_on_every_target_make_it_target_weight() {
    let route = route(with(
        minimal(),
        json!({"targets": targets(&[json!(100), json!(300.0)])}),
    ));
    assert_eq!(route.route_by(), RouteBy::TargetWeight);
    let weights = route
        .targets()
        .iter()
        .map(|target| target.weight().map(Weight::get));
    assert!(weights.eq([Some(100), Some(300)]));
}

#[test]
fn weights_on_some_targets_name_those_that_miss_one() {
    let json = with(
        minimal(),
        json!({"targets": targets(&[json!(100), json!(null), json!(0), json!(null)])}),
    );
    let problems = problems(json);
    assert_eq!(problems.get("targets[0].weight"), None);
    assert_eq!(
        problems.get("targets[1].weight"),
        Some(&Problem::WeightMissing)
    );
    assert_eq!(
        problems.get("targets[2].weight"),
        Some(&Problem::TargetWeight(0.0))
    );
    assert_eq!(
        problems.get("targets[3].weight"),
        Some(&Problem::WeightMissing)
    );
}

#[test]
fn weights_and_scorers_together_name_both() {
    let json = with(
        minimal(),
        json!({
            "targets": targets(&[json!(100), json!(300)]),
            "policy": {"session_affinity": {}, "least_inflight": {}},
        }),
    );
    let problems = problems(json);
    let paths = [
        "policy.least_inflight",
        "policy.session_affinity",
        "targets[0].weight",
        "targets[1].weight",
    ];
    assert!(problems.iter().map(|(path, _)| path).eq(paths));
    assert_eq!(
        problems.get("targets[0].weight").unwrap().to_string(),
        "Weights and scorers exclude each other; clear all weights, or switch off Session Affinity and Least Inflight Request."
    );
}

#[test]
fn weights_beside_scorers_that_are_off_are_fine() {
    let route = route(with(
        minimal(),
        json!({
            "targets": targets(&[json!(100), json!(300)]),
            "policy": {"session_affinity": {"enabled": false, "weight": 2.5}, "least_inflight": {"enabled": false}},
        }),
    ));
    assert_eq!(route.route_by(), RouteBy::TargetWeight);
    assert_eq!(route.policy().session_affinity.weight, 2.5);
}

#[test]
fn one_scorer_makes_it_policy_with_default_weights() {
    let scorers = [
        (json!({"session_affinity": {}}), ScorerName::SessionAffinity),
        (json!({"least_inflight": {}}), ScorerName::LeastInflight),
    ];
    for (policy, scorer) in scorers {
        let route = route(with(minimal(), json!({"policy": policy})));
        assert_eq!(route.route_by(), RouteBy::Policy);
        assert_eq!(route.policy().scorers(), [scorer]);
        assert_eq!(route.policy().session_affinity.weight, 1.0);
        assert_eq!(route.policy().least_inflight.weight, 1.0);
        assert_eq!(route.policy().decision_service.weight, 10.0);
    }
    assert_eq!(
        route(decided()).policy().scorers(),
        [ScorerName::DecisionService]
    );
}

#[test]
fn scorer_weights_are_positive_numbers_of_sane_size_even_when_off() {
    let json = |weight: f64, enabled: bool| {
        with(
            minimal(),
            json!({"policy": {
                "least_inflight": {"weight": weight, "enabled": enabled},
            }}),
        )
    };
    for weight in [0.001, 1.5, 1_000_000.0] {
        assert_eq!(
            route(json(weight, true)).policy().least_inflight.weight,
            weight
        );
    }
    for weight in [0.0, -1.0, 1_000_000.5, 1e300] {
        for enabled in [true, false] {
            assert_eq!(
                wrong(json(weight, enabled)),
                ["policy.least_inflight.weight"]
            );
        }
    }
    for weight in [f64::NAN, f64::INFINITY] {
        let mut draft = read(minimal());
        draft.policy.least_inflight = Some(LeastInflightDraft {
            weight: Some(weight),
            ..LeastInflightDraft::default()
        });
        draft.targets[0].weight = Some(weight);
        let messages = Route::try_from(&draft).unwrap_err().into_messages();
        assert!(messages.contains_key("policy.least_inflight.weight"));
        assert!(messages.contains_key("targets[0].weight"));
    }
}

#[test]
fn session_affinity_has_the_default_chain() {
    let route = route(with(minimal(), json!({"policy": {"session_affinity": {}}})));
    let json = serde_json::to_value(&route.policy().session_affinity).unwrap();
    assert_eq!(
        json,
        json!({
            "enabled": true, "weight": 1.0, "body_paths": ["/responses", "/messages"],
            "keys": [{"header": "session-id"}, {"header": "x-client-request-id"}, {"body": "prompt_cache_key"}],
        })
    );
}

fn with_keys(keys: &Value) -> Value {
    with(
        minimal(),
        json!({"policy": {"session_affinity": {"keys": keys}}}),
    )
}

#[test]
fn session_keys_are_headers_in_lower_case_and_dotted_paths() {
    let route = route(with_keys(
        &json!([{"header": " X-Session-Id "}, {"body": "metadata.user_id"}]),
    ));
    let keys = serde_json::to_value(&route.policy().session_affinity.keys).unwrap();
    assert_eq!(
        keys,
        json!([{"header": "x-session-id"}, {"body": "metadata.user_id"}])
    );
}

#[test]
fn session_keys_that_cannot_be() {
    for (keys, path) in [
        (json!([]), "keys"),
        (json!([{}]), "keys[0]"),
        (json!([{"header": "a", "body": "b"}]), "keys[0]"),
        (json!([{"header": ""}]), "keys[0].header"),
        (json!([{"header": "session id"}]), "keys[0].header"),
        (json!([{"header": "session:id"}]), "keys[0].header"),
        (json!([{"header": "sitzung-für"}]), "keys[0].header"),
        (json!([{"header": "x".repeat(256)}]), "keys[0].header"),
        (json!([{"body": " "}]), "keys[0].body"),
        (json!([{"body": ".a"}]), "keys[0].body"),
        (json!([{"body": "a."}]), "keys[0].body"),
        (json!([{"body": "a..b"}]), "keys[0].body"),
        (json!([{"header": "a"}, {"header": "A"}]), "keys[1].header"),
        (
            json!([{"body": "a"}, {"header": "a"}, {"body": "a "}]),
            "keys[2].body",
        ),
    ] {
        assert_eq!(
            wrong(with_keys(&keys)),
            [format!("policy.session_affinity.{path}")]
        );
    }
}

#[test]
fn body_paths_begin_with_a_slash_or_are_the_star() {
    let json = |paths: Value| {
        with(
            minimal(),
            json!({"policy": {"session_affinity": {"body_paths": paths}}}),
        )
    };
    route(json(json!(["*"])));
    route(json(json!([])));
    let checked = route(json(json!([" /chat/completions "])));
    assert_eq!(
        checked.policy().session_affinity.body_paths,
        ["/chat/completions"]
    );
    for (paths, index) in [
        (json!(["responses"]), 0),
        (json!(["/a", ""]), 1),
        (json!(["/a", "**"]), 1),
        (json!(["/a", "/b", "/a"]), 2),
    ] {
        assert_eq!(
            wrong(json(paths)),
            [format!("policy.session_affinity.body_paths[{index}]")]
        );
    }
}

#[test]
fn a_scorer_that_is_off_keeps_what_was_typed() {
    let route = route(with(
        minimal(),
        json!({"policy": {
            "session_affinity": {"enabled": false, "keys": [{"header": "Half a "}, {}], "body_paths": ["x"]},
            "decision_service": {"enabled": false, "model": "jev", "criteria": {"gone": ""}},
        }}),
    ));
    let policy = serde_json::to_value(route.policy()).unwrap();
    assert_eq!(
        policy["session_affinity"]["keys"],
        json!([{"header": "Half a "}, {}])
    );
    assert_eq!(policy["session_affinity"]["body_paths"], json!(["x"]));
    assert_eq!(policy["decision_service"]["criteria"], json!({"gone": ""}));
    assert_eq!(route.route_by(), RouteBy::RoundRobin);
}

#[test]
fn a_decision_needs_a_service_a_model_and_two_criteria() {
    let json = |patch: Value| with(decided(), json!({"policy": {"decision_service": patch}}));
    let settings = route(decided()).policy().decision_service.clone();
    assert_eq!((settings.weight, settings.timeout_ms), (10.0, 3_000));
    for (patch, path) in [
        (json!({"provider": null}), "provider"),
        (json!({"provider": " "}), "provider"),
        (json!({"model": ""}), "model"),
        (json!({"criteria": null}), "criteria"),
        (json!({"criteria": {"qwen3-32b": ""}}), "criteria.qwen3-32b"),
        (json!({"criteria": {"gpt": "x"}}), "criteria.gpt"),
        (json!({"instructions": "x".repeat(10_001)}), "instructions"),
        (
            json!({"criteria": {"qwen3-32b": "x".repeat(2_001)}}),
            "criteria.qwen3-32b",
        ),
        (json!({"timeout_ms": 99}), "timeout_ms"),
        (json!({"timeout_ms": 30_001}), "timeout_ms"),
        (json!({"enabled": false, "timeout_ms": 0}), "timeout_ms"),
    ] {
        assert_eq!(
            wrong(json(patch)),
            [format!("policy.decision_service.{path}")]
        );
    }
    for timeout_ms in [100, 30_000] {
        route(json(json!({"timeout_ms": timeout_ms})));
    }
}

#[test]
fn one_criterion_is_no_choice() {
    let mut draft = read(decided());
    let decision = draft.policy.decision_service.as_mut().unwrap();
    decision.criteria.remove("qwen3-32b");
    let errors = Route::try_from(&draft).unwrap_err();
    let problem = errors.get("policy.decision_service.criteria");
    assert_eq!(problem, Some(&Problem::TooFewCriteria { found: 1 }));
}

fn with_retry(retry: &Value) -> Value {
    with(minimal(), json!({"retry": retry}))
}

#[test]
fn a_retry_that_is_partly_written_takes_the_other_default() {
    let route_of = |retry| route(with_retry(&retry));
    let retry = route_of(json!({"attempts": 10})).retry().clone();
    assert_eq!((retry.attempts(), retry.statuses().len()), (10, 4));
    assert!(retry.is_retried(503) && !retry.is_retried(500));
    let retry = route_of(json!({"statuses": []})).retry().clone();
    assert_eq!((retry.attempts(), retry.statuses().len()), (2, 0));
    assert!(!retry.is_retried(503));
    let all: Vec<u16> = [401, 403, 404, 408, 409, 425, 429]
        .into_iter()
        .chain(500..600)
        .collect();
    assert_eq!(route_of(json!({"statuses": all})).retry().statuses(), all);
}

#[test]
fn retries_that_cannot_be() {
    for (retry, path, part) in [
        (json!({"attempts": 0}), "attempts", "from 1 to 10"),
        (json!({"attempts": 11}), "attempts", "not 11"),
        (
            json!({"attempts": 2.5}),
            "attempts",
            "whole numbers, not 2.5",
        ),
        (
            json!({"attempts": -1}),
            "attempts",
            "nothing is tried again",
        ),
        (
            json!({"statuses": [503, 400]}),
            "statuses[1]",
            "400 says that the request",
        ),
        (
            json!({"statuses": [422]}),
            "statuses[0]",
            "remove this status",
        ),
        (
            json!({"statuses": [200]}),
            "statuses[0]",
            "statuses of failures",
        ),
        (
            json!({"statuses": [302]}),
            "statuses[0]",
            "statuses of failures",
        ),
        (json!({"statuses": [600]}), "statuses[0]", "500 to 599"),
        (json!({"statuses": [0]}), "statuses[0]", "500 to 599"),
        (
            json!({"statuses": [503, 429, 503]}),
            "statuses[2]",
            "repeats entry 1",
        ),
    ] {
        let messages = problems(with_retry(&retry)).into_messages();
        assert!(
            messages.keys().eq([&format!("retry.{path}")]),
            "{messages:?}"
        );
        let sentence = &messages[&format!("retry.{path}")];
        assert!(sentence.contains(part), "{path}: {sentence}");
    }
    let many = with_retry(&json!({"statuses": vec![503; 50_000]}));
    assert!(problems(many).len() < 200);
    let mut draft = read(minimal());
    draft.retry.attempts = Some(f64::NAN);
    assert!(Route::try_from(&draft).is_err());
}

#[test]
fn messages_are_by_path() {
    let messages = problems(with(minimal(), json!({"name": "-"}))).into_messages();
    let expected = "A route name cannot begin with “-”; begin it with a letter or a digit.";
    assert_eq!(
        messages,
        BTreeMap::from([("name".to_owned(), expected.to_owned())])
    );
}
