//! What operators' monitoring counts, in the conventional names and base units of Prometheus.
//!
//! Labels are few and bounded by the settings: routes, providers, endpoints and statuses, never keys,
//! sessions or what clients wrote.

use std::time::Duration;

use prometheus::{
    CounterVec, Encoder, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGaugeVec, Opts,
    Registry, TextEncoder,
};

use super::endpoint::Endpoint;
use super::record::{Attempt, Record};
use crate::gateway::health::Condition;
use crate::snapshot::Snapshot;

/// From what a cache answers to what a model thinks about for minutes.
const SECONDS: [f64; 16] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0,
];

#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    duration: HistogramVec,
    first_byte: HistogramVec,
    attempts: IntCounterVec,
    attempt_duration: HistogramVec,
    tokens: CounterVec,
    answer_bytes: IntCounter,
    dropped: IntCounter,
    pub traces_dropped: IntCounter,
    inflight: IntGaugeVec,
    up: IntGaugeVec,
}

impl Metrics {
    /// # Errors
    /// None but for a name that is given twice, which a test would see.
    pub fn new() -> Result<Self, prometheus::Error> {
        let registry = Registry::new();
        let counter = |name: &str, help: &str, labels: &[&str]| {
            let counter = IntCounterVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(counter.clone()))?;
            Ok::<_, prometheus::Error>(counter)
        };
        let gauge = |name: &str, help: &str, labels: &[&str]| {
            let gauge = IntGaugeVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(gauge.clone()))?;
            Ok::<_, prometheus::Error>(gauge)
        };
        let histogram = |name: &str, help: &str, labels: &[&str]| {
            let options = HistogramOpts::new(name, help).buckets(SECONDS.to_vec());
            let histogram = HistogramVec::new(options, labels)?;
            registry.register(Box::new(histogram.clone()))?;
            Ok::<_, prometheus::Error>(histogram)
        };
        let single = |name: &str, help: &str| {
            let counter = IntCounter::new(name, help)?;
            registry.register(Box::new(counter.clone()))?;
            Ok::<_, prometheus::Error>(counter)
        };
        let tokens = CounterVec::new(
            Opts::new(
                "signalbox_tokens_total",
                "Tokens that upstreams say they counted, by route and kind: input, output; of these cached and reasoning.",
            ),
            &["route", "kind"],
        )?;
        registry.register(Box::new(tokens.clone()))?;
        let build = gauge(
            "signalbox_build_info",
            "Always 1; the version is a label.",
            &["version"],
        )?;
        build.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        Ok(Self {
            requests: counter(
                "signalbox_requests_total",
                "Requests of known keys that have ended, by route, endpoint and the status that the client got (499: it left).",
                &["route", "endpoint", "status"],
            )?,
            duration: histogram(
                "signalbox_request_duration_seconds",
                "From a request's head to the last byte of its answer.",
                &["endpoint"],
            )?,
            first_byte: histogram(
                "signalbox_time_to_first_byte_seconds",
                "From a request's head to the head of its answer.",
                &["endpoint"],
            )?,
            attempts: counter(
                "signalbox_attempts_total",
                "Tries at upstreams, by provider and outcome: the status, or how no answer came.",
                &["provider", "outcome"],
            )?,
            attempt_duration: histogram(
                "signalbox_attempt_duration_seconds",
                "From a try's start to the head of the upstream's answer.",
                &["provider"],
            )?,
            tokens,
            answer_bytes: single(
                "signalbox_answer_bytes_total",
                "Bytes of answers' bodies that were passed on.",
            )?,
            dropped: single(
                "signalbox_records_dropped_total",
                "Records of requests that were lost because nobody kept up with them.",
            )?,
            traces_dropped: single(
                "signalbox_traces_dropped_total",
                "Requests whose traces the collector (--otlp-endpoint) did not get.",
            )?,
            inflight: gauge(
                "signalbox_inflight_requests",
                "Requests under way at an instance, over all models.",
                &["provider", "instance"],
            )?,
            up: gauge(
                "signalbox_instance_up",
                "1 when requests go to an instance, 0 while it is left alone.",
                &["provider", "instance"],
            )?,
            registry,
        })
    }

    /// Counts a request that has ended.
    pub fn ended(&self, record: &Record) {
        let route = record
            .route
            .as_ref()
            .map_or("", |route| route.name.as_str());
        let endpoint = endpoint_of(&record.path);
        let status = record.status.as_str();
        self.requests
            .with_label_values(&[route, endpoint, status])
            .inc();
        self.duration
            .with_label_values(&[endpoint])
            .observe(record.duration.as_secs_f64());
        if let Some(first_byte) = record.first_byte {
            self.first_byte
                .with_label_values(&[endpoint])
                .observe(first_byte.as_secs_f64());
        }
        self.answer_bytes.inc_by(record.bytes);
        for attempt in &record.attempts {
            self.tried(attempt);
        }
        if let Some(usage) = record.usage {
            let kinds = [
                ("input", Some(usage.input)),
                ("output", Some(usage.output)),
                ("cached", usage.cached),
                ("reasoning", usage.reasoning),
            ];
            for (kind, count) in kinds {
                if let Some(count) = count.filter(|count| *count > 0) {
                    self.tokens
                        .with_label_values(&[route, kind])
                        .inc_by(count as f64);
                }
            }
        }
    }

    fn tried(&self, attempt: &Attempt) {
        let provider = attempt.provider();
        let outcome = |outcome: &str, took: Duration| {
            self.attempts.with_label_values(&[provider, outcome]).inc();
            self.attempt_duration
                .with_label_values(&[provider])
                .observe(took.as_secs_f64());
        };
        for refused in &attempt.refused {
            outcome(refused.status.as_str(), refused.took);
        }
        match attempt.outcome {
            Ok(status) => outcome(status.as_str(), attempt.took),
            Err(failure) => outcome(failure.name(), attempt.took),
        }
    }

    /// All of it as Prometheus reads it.
    pub fn text(&self, snapshot: &Snapshot, dropped: u64) -> String {
        // What is gone from the settings is gone from here.
        self.inflight.reset();
        self.up.reset();
        for provider in &snapshot.providers {
            for instance in &provider.instances {
                let labels = [provider.name.as_str(), &*instance.url];
                let is_ejected =
                    matches!(instance.load.health.condition(), Condition::Ejected { .. });
                self.inflight
                    .with_label_values(&labels)
                    .set(instance.load.inflight().into());
                self.up.with_label_values(&labels).set((!is_ejected).into());
            }
        }
        self.dropped
            .inc_by(dropped.saturating_sub(self.dropped.get()));
        let mut families = self.registry.gather();
        families.extend(prometheus::gather());
        let mut text = Vec::new();
        if let Err(error) = TextEncoder::new().encode(&families, &mut text) {
            tracing::error!(%error, "metrics could not be written");
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// A path as a label: what stands for an id in it would be different each time.
fn endpoint_of(path: &str) -> &'static str {
    Endpoint::of(path).map_or("/responses/{id}", Endpoint::path)
}
