//! What of a request's way is our own: looking at its body, putting the model's name in, checking its key.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::hint::black_box;

use bytes::Bytes;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use signalbox::auth::api_key::PresentedKey;
use signalbox::gateway::peek::peek;
use signalbox::gateway::splice::splice_model;
use signalbox::vault::{SecretKey, Vault};

/// A chat of about so many bytes.
fn body(bytes: usize) -> Bytes {
    let mut messages = String::new();
    while messages.len() < bytes {
        messages.push_str(
            r#"{"role":"user","content":"Write a \"haiku\" about signal boxes, please."},"#,
        );
    }
    format!(r#"{{"messages":[{messages}null],"stream":true,"model":"qwen3"}}"#).into()
}

fn bodies(c: &mut Criterion) {
    for bytes in [200, 8_000, 80_000, 2_000_000] {
        let body = body(bytes);
        let mut group = c.benchmark_group("body");
        group.throughput(Throughput::Bytes(body.len() as u64));
        group.bench_function(BenchmarkId::new("peek", bytes), |b| {
            b.iter(|| peek(black_box(&body)));
        });
        let span = peek(&body).unwrap().model_span;
        group.bench_function(BenchmarkId::new("splice", bytes), |b| {
            b.iter(|| splice_model(black_box(&body), &span, "Qwen/Qwen3-32B", None));
        });
        group.finish();
    }
}

fn key(c: &mut Criterion) {
    let mut headers = http::HeaderMap::new();
    let text = "Bearer sb_0a1b2c3d_0123456789abcdefghijklmnopqrstuv";
    headers.insert(http::header::AUTHORIZATION, text.parse().unwrap());
    let vault = Vault::new(&SecretKey::generate().unwrap());
    c.bench_function("key: read and hash", |b| {
        b.iter(|| {
            let presented =
                PresentedKey::of(black_box(&headers)).unwrap_or_else(|_| unreachable!());
            vault.hash_api_key_secret(presented.secret)
        });
    });
}

criterion_group!(benches, bodies, key);
criterion_main!(benches);
