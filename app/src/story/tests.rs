//! Every kind of decision, with the sentence that tells it.

use std::collections::BTreeSet;

use chrono::DateTime;
use routing::{
    Abstention, Candidate, CandidateKey, DecidedBy, Decision, Facts, LeftOut, Load, NoDecision,
    Policy, Rotation, RouteBy, ScorerName,
};
use uuid::Uuid;

use super::why;
use crate::api::ranking::{Part, Ranked};
use crate::api::request::{Attempt, DecisionMade, KeyName, RequestRecord};
use crate::i18n::Locale;

const SMALL: &str = "local-a/qwen3-0.6b";
const LARGE: &str = "local-b/qwen3-32b";
const OTHER: &str = "local-c/gemma3";

const AFFINITY: ScorerName = ScorerName::SessionAffinity;
const LOAD: ScorerName = ScorerName::LeastInflight;
const DECISION: ScorerName = ScorerName::DecisionService;

/// On a route by Policy, and nobody asked yet.
fn by_policy(decided_by: DecidedBy, ranking: Vec<Ranked>) -> RequestRecord {
    let first = ranking.first().filter(|first| first.left_out.is_none());
    let attempts = first.map(|first| answered(&first.target, 200, &first.instance));
    RequestRecord {
        id: Uuid::nil(),
        at: DateTime::UNIX_EPOCH,
        route: Some("qwen3".into()),
        route_id: Some(Uuid::nil()),
        route_by: Some(RouteBy::Policy),
        path: "/v1/chat/completions".into(),
        key: KeyName {
            id: Uuid::nil(),
            name: "e2e".into(),
        },
        session: None,
        streaming: false,
        bound: false,
        bodies: false,
        why: "of no account".into(),
        decided_by: Some(decided_by),
        status: 200,
        target: None,
        instance: None,
        read_ms: 0,
        decide_ms: 0,
        ttfb_ms: None,
        duration_ms: 0,
        bytes: 0,
        tokens: None,
        cost: None,
        error: None,
        attempts: attempts.into_iter().collect(),
        ranking,
        tied: 1,
        abstained: [].into(),
        decision: None,
    }
}

fn in_turn(route_by: RouteBy, ranking: Vec<Ranked>) -> RequestRecord {
    let decided_by = match route_by {
        RouteBy::TargetWeight => DecidedBy::TargetWeight,
        _ => DecidedBy::RoundRobin,
    };
    RequestRecord {
        route_by: Some(route_by),
        tied: 0,
        ..by_policy(decided_by, ranking)
    }
}

/// Nobody was asked.
fn refused(status: u16, error: &str, ranking: Vec<Ranked>) -> RequestRecord {
    RequestRecord {
        status,
        error: Some(error.into()),
        decided_by: None,
        attempts: Vec::new(),
        ..by_policy(DecidedBy::Chance, ranking)
    }
}

fn without_route(record: RequestRecord) -> RequestRecord {
    RequestRecord {
        route: None,
        route_id: None,
        route_by: None,
        ..record
    }
}

fn answered(target: &str, status: u16, instance: &str) -> Attempt {
    Attempt {
        target: target.into(),
        instance: instance.into(),
        fallback: false,
        status: Some(status),
        error: None,
        ms: 1,
        refused_credentials: Vec::new(),
    }
}

fn failed(target: &str, error: &str) -> Attempt {
    Attempt {
        status: None,
        error: Some(error.into()),
        ..answered(target, 0, "http://h/v1")
    }
}

/// With so many requests in flight, and each scorer's share and weight.
fn ranked(target: &str, inflight: u32, parts: &[(ScorerName, f64, f64)]) -> Ranked {
    let scorers = parts.iter().map(|(scorer, share, weight)| {
        let part = Part {
            share: *share,
            weight: *weight,
        };
        (scorer.key().to_owned(), part)
    });
    Ranked {
        target: target.into(),
        instance: "http://h/v1".into(),
        total: (!parts.is_empty())
            .then(|| parts.iter().map(|(_, share, weight)| share * weight).sum()),
        scorers: scorers.collect(),
        inflight,
        left_out: None,
    }
}

fn at(instance: &str, ranked: Ranked) -> Ranked {
    Ranked {
        instance: instance.into(),
        ..ranked
    }
}

fn out(reason: LeftOut, target: &str) -> Ranked {
    Ranked {
        left_out: Some(reason.to_string()),
        ..ranked(target, 0, &[])
    }
}

fn full(ranked: Ranked) -> Ranked {
    Ranked {
        left_out: Some(format!(
            "it is full: {} requests are in flight",
            ranked.inflight
        )),
        ..ranked
    }
}

fn with_decision(record: RequestRecord, small: f64, confidence: f64) -> RequestRecord {
    let probabilities = [
        ("qwen3-0.6b".into(), small),
        ("qwen3-32b".into(), 1.0 - small),
    ];
    RequestRecord {
        decision: Some(DecisionMade {
            model: Some("jev-1.13.0".into()),
            probabilities: probabilities.into(),
            confidence,
            latency_ms: 40,
        }),
        ..record
    }
}

fn silent(record: RequestRecord, scorer: ScorerName, why: impl ToString) -> RequestRecord {
    let mut record = record;
    record
        .abstained
        .insert(scorer.key().to_owned(), why.to_string());
    record
}

/// Two targets, of which the large one has fewer in flight.
fn by_load() -> RequestRecord {
    let ranking = vec![
        ranked(LARGE, 1, &[(LOAD, 0.667, 1.0)]),
        ranked(SMALL, 3, &[(LOAD, 0.333, 1.0)]),
    ];
    by_policy(DecidedBy::LeastInflight, ranking)
}

fn by_affinity() -> RequestRecord {
    let ranking = vec![
        ranked(SMALL, 0, &[(AFFINITY, 0.667, 1.0)]),
        ranked(LARGE, 0, &[(AFFINITY, 0.333, 1.0)]),
    ];
    by_policy(DecidedBy::SessionAffinity, ranking)
}

/// The small one belongs to the session, the decision service wants the large one.
fn all_three(decided_by: DecidedBy, large_first: bool) -> RequestRecord {
    let weight = if large_first { 8.0 } else { 0.1 };
    let mut ranking = vec![
        ranked(
            LARGE,
            2,
            &[
                (AFFINITY, 0.333, 1.0),
                (LOAD, 0.25, 1.0),
                (DECISION, 0.9, weight),
            ],
        ),
        ranked(
            SMALL,
            0,
            &[
                (AFFINITY, 0.667, 1.0),
                (LOAD, 0.75, 1.0),
                (DECISION, 0.1, weight),
            ],
        ),
    ];
    if !large_first {
        ranking.reverse();
    }
    with_decision(by_policy(decided_by, ranking), 0.1, 0.8)
}

fn no_decision(why: impl ToString) -> RequestRecord {
    silent(by_load(), DECISION, why)
}

fn sentences() -> Vec<(RequestRecord, &'static str)> {
    vec![
        // Each scorer alone.
        (
            by_affinity(),
            "Went to qwen3-0.6b: it is this session's owner.",
        ),
        (
            by_load(),
            "Went to qwen3-32b: it had the fewest requests in flight (1; next 3).",
        ),
        (
            with_decision(
                by_policy(
                    DecidedBy::DecisionService,
                    vec![
                        ranked(LARGE, 0, &[(DECISION, 0.9, 8.0)]),
                        ranked(SMALL, 0, &[(DECISION, 0.1, 8.0)]),
                    ],
                ),
                0.1,
                0.8,
            ),
            "Went to qwen3-32b: the decision service gave it 0.90 with confidence 0.80.",
        ),
        // Together.
        (
            with_decision(
                by_policy(
                    DecidedBy::DecisionService,
                    vec![
                        ranked(LARGE, 0, &[(AFFINITY, 0.333, 1.0), (DECISION, 0.9, 8.0)]),
                        ranked(SMALL, 0, &[(AFFINITY, 0.667, 1.0), (DECISION, 0.1, 8.0)]),
                    ],
                ),
                0.1,
                0.8,
            ),
            "Went to qwen3-32b: the decision service gave it 0.90 with confidence 0.80, which outweighed \
             the session's owner qwen3-0.6b.",
        ),
        (
            all_three(DecidedBy::DecisionService, true),
            "Went to qwen3-32b: the decision service gave it 0.90 with confidence 0.80, which outweighed \
             the session's owner qwen3-0.6b and the fewer requests in flight at qwen3-0.6b (0 against 2).",
        ),
        (
            all_three(DecidedBy::SessionAffinity, false),
            "Went to qwen3-0.6b: it is this session's owner, which outweighed the decision service's \
             choice qwen3-32b (0.90).",
        ),
        (
            all_three(DecidedBy::LeastInflight, false),
            "Went to qwen3-0.6b: it had the fewest requests in flight (0; next 2), which outweighed the \
             decision service's choice qwen3-32b (0.90).",
        ),
        (
            by_policy(
                DecidedBy::SessionAffinity,
                vec![
                    ranked(SMALL, 1, &[(AFFINITY, 0.667, 2.0), (LOAD, 0.333, 1.0)]),
                    ranked(LARGE, 0, &[(AFFINITY, 0.333, 2.0), (LOAD, 0.667, 1.0)]),
                ],
            ),
            "Went to qwen3-0.6b: it is this session's owner, which outweighed the fewer requests in \
             flight at qwen3-32b (0 against 1).",
        ),
        // Of three, the second by both scorers.
        (
            by_policy(
                DecidedBy::SessionAffinity,
                vec![
                    ranked(OTHER, 1, &[(AFFINITY, 0.286, 1.0), (LOAD, 0.375, 1.0)]),
                    ranked(LARGE, 0, &[(AFFINITY, 0.1, 1.0), (LOAD, 0.525, 1.0)]),
                    ranked(SMALL, 9, &[(AFFINITY, 0.571, 1.0), (LOAD, 0.05, 1.0)]),
                ],
            ),
            "Went to gemma3: its total of 0.66 was the best, although no scorer put it first.",
        ),
        // The model by one, its instance by another.
        (
            with_decision(
                by_policy(
                    DecidedBy::LeastInflight,
                    vec![
                        at(
                            "http://b/v1",
                            ranked(LARGE, 1, &[(LOAD, 0.3, 1.0), (DECISION, 0.47, 8.0)]),
                        ),
                        at(
                            "http://a/v1",
                            ranked(LARGE, 3, &[(LOAD, 0.2, 1.0), (DECISION, 0.47, 8.0)]),
                        ),
                        ranked(SMALL, 0, &[(LOAD, 0.5, 1.0), (DECISION, 0.06, 8.0)]),
                    ],
                ),
                0.1,
                0.8,
            ),
            "Went to qwen3-32b at http://b/v1: the decision service gave it 0.90 with confidence 0.80, \
             which outweighed the fewer requests in flight at qwen3-0.6b (0 against 1), and of the \
             model's 2 instances it had the fewest requests in flight (1; next 3).",
        ),
        (
            by_policy(
                DecidedBy::LeastInflight,
                vec![
                    ranked(LARGE, 2, &[(LOAD, 0.6, 1.0)]),
                    ranked(SMALL, 1, &[(LOAD, 0.4, 1.0)]),
                ],
            ),
            "Went to qwen3-32b: it had the lightest load (2 in flight; qwen3-0.6b with 1 is recovering \
             and counts as busier).",
        ),
        // Chance.
        (
            RequestRecord {
                tied: 2,
                ..by_policy(
                    DecidedBy::Chance,
                    vec![
                        ranked(SMALL, 0, &[(LOAD, 0.5, 1.0)]),
                        ranked(LARGE, 0, &[(LOAD, 0.5, 1.0)]),
                    ],
                )
            },
            "Went to qwen3-0.6b: it was tied for the best total (0.50) with qwen3-32b, and chance decided.",
        ),
        // Scorers that abstain.
        (
            silent(by_load(), AFFINITY, Abstention::NoSessionKey),
            "Went to qwen3-32b: it had the fewest requests in flight (1; next 3); the request had no \
             session key.",
        ),
        (
            no_decision(Abstention::NoConfidence),
            "Went to qwen3-32b: it had the fewest requests in flight (1; next 3); the decision service \
             had no confidence in its answer.",
        ),
        (
            no_decision(Abstention::NothingRated),
            "Went to qwen3-32b: it had the fewest requests in flight (1; next 3); the decision service \
             gave every model 0.",
        ),
        (
            silent(
                RequestRecord {
                    route_by: Some(RouteBy::Policy),
                    ..in_turn(
                        RouteBy::RoundRobin,
                        vec![ranked(SMALL, 0, &[]), ranked(LARGE, 0, &[])],
                    )
                },
                AFFINITY,
                Abstention::NoSessionKey,
            ),
            "Went to qwen3-0.6b: no scorer had anything to go by, and it was its turn; the request had \
             no session key.",
        ),
        (
            silent(by_load(), AFFINITY, "the moon is full"),
            "Went to qwen3-32b: it had the fewest requests in flight (1; next 3); Session Affinity took \
             no part: the moon is full.",
        ),
        // No decision.
        (
            no_decision("the decision service `jev` did not answer within 3000 ms"),
            "Went to qwen3-32b: it had the fewest requests in flight (1; next 3); the decision service \
             jev did not answer within 3000 ms.",
        ),
        (
            no_decision("the decision service `jev` answered 500"),
            "Went to qwen3-32b: it had the fewest requests in flight (1; next 3); there was no decision: \
             the decision service `jev` answered 500.",
        ),
        (
            no_decision(NoDecision::Tripped),
            "Went to qwen3-32b: it had the fewest requests in flight (1; next 3); the decision service \
             was left alone for some seconds, as it had failed repeatedly.",
        ),
        (
            no_decision(NoDecision::TooFewModels),
            "Went to qwen3-32b: it had the fewest requests in flight (1; next 3); the decision service \
             was not asked, as fewer than two of the models that could answer have a criterion.",
        ),
        (
            no_decision(NoDecision::NoJsonBody),
            "Went to qwen3-32b: it had the fewest requests in flight (1; next 3); the decision service \
             was not asked, as there was no JSON body to decide by.",
        ),
        (
            no_decision(NoDecision::NestedTooDeep),
            "Went to qwen3-32b: it had the fewest requests in flight (1; next 3); the decision service \
             was not asked, as the body is nested deeper than 128 levels.",
        ),
        // More than one try.
        (
            RequestRecord {
                attempts: vec![
                    answered(SMALL, 503, "http://h/v1"),
                    answered(LARGE, 200, "http://h/v1"),
                ],
                ..by_affinity()
            },
            "Went to qwen3-32b after qwen3-0.6b answered 503; qwen3-0.6b came first, as it is this \
             session's owner.",
        ),
        (
            RequestRecord {
                attempts: vec![
                    failed(SMALL, "could not be reached"),
                    failed(LARGE, "did not accept a connection in time"),
                    Attempt {
                        fallback: true,
                        ..answered("hosted/gpt-5", 200, "https://h/v1")
                    },
                ],
                ..by_affinity()
            },
            "Went to the fallback gpt-5 after qwen3-0.6b could not be reached and qwen3-32b did not \
             accept a connection in time; qwen3-0.6b came first, as it is this session's owner.",
        ),
        (
            RequestRecord {
                status: 502,
                error: Some("upstream_unreachable".into()),
                attempts: vec![
                    answered(SMALL, 503, "http://h/v1"),
                    failed(LARGE, "closed the connection before it answered"),
                ],
                ..by_affinity()
            },
            "Failed with 502: qwen3-0.6b answered 503 and qwen3-32b closed the connection before it \
             answered; qwen3-0.6b came first, as it is this session's owner.",
        ),
        // Room.
        (
            by_policy(
                DecidedBy::Capacity,
                vec![
                    ranked(LARGE, 5, &[(AFFINITY, 0.333, 1.0)]),
                    full(ranked(SMALL, 4, &[(AFFINITY, 0.667, 1.0)])),
                ],
            ),
            "Went to qwen3-32b: it was the best with room for another request; full: qwen3-0.6b with 4 \
             in flight.",
        ),
        (
            refused(
                429,
                "all_full",
                vec![
                    full(ranked(SMALL, 4, &[(LOAD, 0.5, 1.0)])),
                    full(ranked(LARGE, 2, &[(LOAD, 0.5, 1.0)])),
                ],
            ),
            "Went nowhere: every candidate was full (qwen3-0.6b with 4 in flight and qwen3-32b with 2 in \
             flight), so it was refused with 429.",
        ),
        // Who is left out.
        (
            by_policy(
                DecidedBy::OnlyCandidate,
                vec![
                    ranked(SMALL, 0, &[(LOAD, 1.0, 1.0)]),
                    out(LeftOut::Ejected, LARGE),
                    out(LeftOut::TargetOff, OTHER),
                ],
            ),
            "Went to qwen3-0.6b: there was no other candidate; left out after repeated failures: \
             qwen3-32b; switched off: gemma3.",
        ),
        (
            by_policy(
                DecidedBy::OnlyCandidate,
                vec![ranked(SMALL, 0, &[(LOAD, 1.0, 1.0)])],
            ),
            "Went to qwen3-0.6b: there was no other candidate.",
        ),
        (
            {
                let mut record = by_load();
                record.ranking.push(out(LeftOut::Ejected, OTHER));
                record
                    .ranking
                    .push(out(LeftOut::ProviderOff, "local-d/off"));
                record
            },
            "Went to qwen3-32b: it had the fewest requests in flight (1; next 3); left out after \
             repeated failures: gemma3.",
        ),
        // Without scorers.
        (
            in_turn(
                RouteBy::TargetWeight,
                vec![ranked(LARGE, 0, &[]), ranked(SMALL, 0, &[])],
            ),
            "Went to qwen3-32b: targets share requests by weight, and it was its turn.",
        ),
        (
            in_turn(
                RouteBy::RoundRobin,
                vec![ranked(SMALL, 0, &[]), ranked(LARGE, 0, &[])],
            ),
            "Went to qwen3-0.6b: targets take turns, and it was its turn.",
        ),
        (
            in_turn(
                RouteBy::RoundRobin,
                vec![ranked(SMALL, 0, &[]), full(ranked(LARGE, 2, &[]))],
            ),
            "Went to qwen3-0.6b: targets take turns, and it was its turn; full: qwen3-32b with 2 in \
             flight.",
        ),
        // Where an earlier answer was made.
        (
            RequestRecord {
                bound: true,
                decided_by: None,
                ranking: Vec::new(),
                ..by_affinity()
            },
            "Went to qwen3-0.6b: it made the answer that this request goes on from.",
        ),
        (
            RequestRecord {
                bound: true,
                ..refused(429, "all_full", Vec::new())
            },
            "Went nowhere: the instance that made the answer it goes on from was full, so it was refused \
             with 429.",
        ),
        // Refused.
        (
            without_route(refused(404, "model_not_found", Vec::new())),
            "Went nowhere: there is no route of the name that was asked for.",
        ),
        (
            without_route(refused(404, "route_disabled", Vec::new())),
            "Went nowhere: the route that was asked for is switched off.",
        ),
        (
            without_route(refused(403, "not_allowed", Vec::new())),
            "Went nowhere: its API key may not use the route that was asked for.",
        ),
        (
            without_route(refused(413, "too_large", Vec::new())),
            "Went nowhere: it was refused with 413 (too_large).",
        ),
        (
            refused(503, "no_target", vec![out(LeftOut::TargetOff, SMALL)]),
            "Went nowhere: the route has no target that takes requests; switched off: qwen3-0.6b.",
        ),
        (
            refused(
                400,
                "endpoint_not_served",
                vec![out(LeftOut::EndpointNotSpoken, SMALL)],
            ),
            "Went nowhere: no provider of the route serves this endpoint; not serving this endpoint: \
             qwen3-0.6b.",
        ),
        // Clients that leave.
        (
            RequestRecord {
                status: 499,
                error: Some("the client left".into()),
                attempts: Vec::new(),
                ..by_affinity()
            },
            "Was on its way to qwen3-0.6b when the client left: it is this session's owner.",
        ),
        (
            RequestRecord {
                status: 499,
                error: Some("the client left".into()),
                attempts: vec![answered(SMALL, 503, "http://h/v1")],
                ..by_affinity()
            },
            "Was being tried again when the client left, after qwen3-0.6b answered 503; qwen3-0.6b came \
             first, as it is this session's owner.",
        ),
        (
            without_route(refused(499, "the client left", Vec::new())),
            "Went nowhere: the client left before anybody was chosen.",
        ),
        (
            RequestRecord {
                error: Some("the client left".into()),
                ..by_affinity()
            },
            "Went to qwen3-0.6b: it is this session's owner; the client left before the end of the answer.",
        ),
        // What the answer was.
        (
            RequestRecord {
                status: 404,
                attempts: vec![answered(SMALL, 404, "http://h/v1")],
                ..by_affinity()
            },
            "Went to qwen3-0.6b: it is this session's owner; qwen3-0.6b answered 404.",
        ),
    ]
}

#[test]
fn every_decision_has_its_sentence() {
    for (record, sentence) in sentences() {
        assert_eq!(why(&record, Locale::en), sentence);
    }
}

#[test]
fn every_sentence_is_there_in_japanese() {
    for (record, english) in sentences() {
        let japanese = why(&record, Locale::ja);
        assert_ne!(japanese, english);
        assert!(japanese.ends_with('。'), "{japanese}");
    }
}

#[test]
fn names_are_as_short_as_tells_them_apart() {
    let same_model = by_policy(
        DecidedBy::LeastInflight,
        vec![
            ranked("local-a/qwen3", 0, &[(LOAD, 0.667, 1.0)]),
            ranked("local-b/qwen3", 1, &[(LOAD, 0.333, 1.0)]),
        ],
    );
    let said = why(&same_model, Locale::en);
    assert!(said.starts_with("Went to local-a/qwen3: "), "{said}");

    let same_target = by_policy(
        DecidedBy::LeastInflight,
        vec![
            at("http://a/v1", ranked(SMALL, 0, &[(LOAD, 0.667, 1.0)])),
            at("http://b/v1", ranked(SMALL, 1, &[(LOAD, 0.333, 1.0)])),
        ],
    );
    let said = why(&same_target, Locale::en);
    assert!(
        said.starts_with("Went to qwen3-0.6b at http://a/v1: "),
        "{said}"
    );
}

/// What the engine itself ranks, told: nothing may be said that its shares deny.
#[test]
fn nothing_is_said_that_the_shares_deny() {
    let targets = [
        (SMALL, "http://a/v1"),
        (LARGE, "http://b/v1"),
        (LARGE, "http://c/v1"),
    ];
    let keys = targets.map(|(target, instance)| {
        let (_, model) = target.split_once('/').unwrap();
        CandidateKey::new(Uuid::nil(), instance, model)
    });
    let mut told = BTreeSet::new();
    for case in 0_u32..600 {
        let scorers: Vec<(ScorerName, f64)> = [
            (AFFINITY, 1.0),
            (LOAD, [0.5, 1.0, 3.0][case as usize % 3]),
            (DECISION, 10.0),
        ]
        .into_iter()
        .filter(|(scorer, _)| case / 100 % 6 != *scorer as u32)
        .collect();
        let policy = Policy::of_scorers(&scorers).unwrap();
        let inflight = [case % 4, case / 4 % 4, case / 16 % 4];
        let candidates: Vec<Candidate<'_>> = keys
            .iter()
            .enumerate()
            .map(|(target, key)| Candidate {
                target,
                key,
                load: Load {
                    inflight: inflight[target],
                    ..Load::default()
                },
                left_out: None,
            })
            .collect();
        let small = f64::from(case % 10) / 10.0;
        let probabilities = [
            ("qwen3-0.6b".to_owned(), small),
            ("qwen3-32b".to_owned(), 1.0 - small),
        ];
        let decision = Decision::from_probabilities(probabilities.into());
        let session = format!("session {case}");
        let facts = Facts {
            session: Some(&session),
            decision: Ok(&decision),
            ticket: 0.0,
        };
        let ranking = policy.rank(&candidates, &facts, &mut Rotation::default());
        let shown = ranking.live.iter().map(|one| {
            let (target, instance) = targets[one.candidate];
            let parts = ranking.parts(one.candidate).collect::<Vec<_>>();
            at(instance, ranked(target, inflight[one.candidate], &parts))
        });
        let decided_by = policy.decided_by(&ranking).unwrap();
        let record = RequestRecord {
            tied: ranking.tied,
            ..by_policy(decided_by, shown.collect())
        };
        let record = ranking
            .abstained
            .iter()
            .fold(record, |record, (scorer, reason)| {
                silent(record, *scorer, reason)
            });
        let record = with_decision(record, small, decision.confidence);
        let said = why(&record, Locale::en);

        let chosen = ranking.choice().unwrap();
        let best = |scorer: ScorerName| {
            let scored = ranking.scored.iter().find(|scored| scored.scorer == scorer);
            scored.is_some_and(|scored| {
                scored
                    .shares
                    .iter()
                    .all(|share| *share <= scored.shares[chosen] + 1e-9)
            })
        };
        if said.contains("it is this session's owner") {
            assert!(best(AFFINITY), "{said} {ranking:?}");
        }
        if said.contains(": it had the fewest") || said.contains(": it was among those") {
            assert!(best(LOAD), "{said} {ranking:?}");
        }
        if said.contains(": the decision service gave it") {
            assert!(best(DECISION), "{said} {ranking:?}");
        }
        for (words, scorer) in [
            ("the session's owner", AFFINITY),
            ("the fewer requests", LOAD),
            ("the decision service's choice", DECISION),
        ] {
            assert!(!said.contains(words) || !best(scorer), "{said} {ranking:?}");
        }
        let (_, reason) = said.split_once(": ").unwrap();
        told.insert(
            reason
                .chars()
                .filter(|c| !c.is_numeric())
                .take(25)
                .collect::<String>(),
        );
    }
    assert!(told.len() >= 5, "{told:?}");
}
