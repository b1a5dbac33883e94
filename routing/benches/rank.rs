//! What ranking costs, by the number of candidates.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use routing::{Candidate, CandidateKey, Facts, Load, Policy, Rotation, Route, RouteDraft};
use uuid::Uuid;

fn policies() -> [(&'static str, Policy); 3] {
    let policy = |policy: serde_json::Value| {
        let draft: RouteDraft = serde_json::from_value(serde_json::json!({
            "name": "r", "targets": [{"provider": "p", "model": "m"}], "policy": policy,
        }))
        .unwrap();
        Policy::from(&Route::try_from(&draft).unwrap())
    };
    let both = serde_json::json!({"session_affinity": {}, "least_inflight": {}});
    [
        ("round-robin", policy(serde_json::json!({}))),
        (
            "least inflight",
            policy(serde_json::json!({"least_inflight": {}})),
        ),
        ("affinity and least inflight", policy(both)),
    ]
}

fn rank(c: &mut Criterion) {
    for (name, policy) in policies() {
        let mut group = c.benchmark_group(format!("rank by {name}"));
        for count in [2_u32, 8, 64, 512] {
            let keys: Vec<CandidateKey> = (0..count)
                .map(|n| CandidateKey::new(Uuid::nil(), &format!("http://10.0.0.{n}:8000/v1"), "m"))
                .collect();
            let candidates: Vec<Candidate<'_>> = (0..)
                .zip(&keys)
                .map(|(inflight, key)| Candidate {
                    target: 0,
                    key,
                    load: Load {
                        inflight,
                        ..Load::default()
                    },
                    left_out: None,
                })
                .collect();
            let facts = Facts {
                session: Some("7f9c2ba4-e88f-4ab1-8d3c-000000000001"),
                ticket: 0.5,
                ..Facts::default()
            };
            let mut rotation = Rotation::default();
            group.bench_function(BenchmarkId::from_parameter(count), |b| {
                b.iter(|| policy.rank(black_box(&candidates), &facts, &mut rotation));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, rank);
criterion_main!(benches);
