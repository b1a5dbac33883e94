//! Traces of requests for OpenTelemetry, exported to the operator's collector; nothing of it is there
//! unless one is given.
//!
//! Made from records, when requests are over: no request waits for it, and neither does the log's task,
//! which only hands records over. What a collector does not take in time is dropped and counted.

mod collector;
mod conventions;
mod ids;
mod otlp;
mod settings;
mod spans;

use std::sync::Arc;
use std::time::Duration;

use prometheus::IntCounter;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::collector::Collector;
pub use self::settings::Settings;
use crate::gateway::record::Record;

/// Requests whose traces wait to be exported, which is for as long as the collector stalls.
const MOST_WAITING: usize = 4_096;
/// Requests whose traces go in one call.
const BATCH: usize = 128;
/// How long the first of a batch waits for others.
const LINGER: Duration = Duration::from_secs(1);
/// How long a stop waits for what is left.
const LAST_EXPORT: Duration = Duration::from_secs(5);
/// How often it is said that traces are lost.
const SAID_EVERY: Duration = Duration::from_secs(60);

/// Takes in records of requests that have ended.
#[derive(Clone, Debug)]
pub struct Traces {
    waiting: mpsc::Sender<Arc<Record>>,
    share: f64,
    dropped: IntCounter,
}

/// Brings traces to the collector.
#[derive(Debug)]
pub struct Exporter {
    waiting: mpsc::Receiver<Arc<Record>>,
    batch: Vec<Arc<Record>>,
    collector: Collector,
    /// This process, as collectors tell processes apart.
    instance: String,
    losses: Losses,
}

/// What was lost, and when that was last said.
#[derive(Debug)]
struct Losses {
    dropped: IntCounter,
    told: u64,
    told_at: Option<Instant>,
}

/// # Errors
/// A sentence about why the collector cannot be called.
pub fn open(settings: Settings, dropped: IntCounter) -> Result<(Traces, Exporter), String> {
    let (sender, waiting) = mpsc::channel(MOST_WAITING);
    let traces = Traces {
        waiting: sender,
        share: settings.share,
        dropped: dropped.clone(),
    };
    let exporter = Exporter {
        waiting,
        batch: Vec::with_capacity(BATCH),
        collector: Collector::new(settings)?,
        instance: Uuid::new_v4().to_string(),
        losses: Losses {
            dropped,
            told: 0,
            told_at: None,
        },
    };
    Ok((traces, exporter))
}

impl Traces {
    /// Hands a record over, if its trace is to be kept.
    pub fn ended(&self, record: &Arc<Record>) {
        if ids::is_kept(record, self.share) && self.waiting.try_send(Arc::clone(record)).is_err() {
            self.dropped.inc();
        }
    }
}

impl Exporter {
    /// Until nobody hands anything over any more, and then what is left; not for long after the stop.
    pub async fn run(mut self, stop: CancellationToken) {
        let cut_off = async {
            stop.cancelled().await;
            tokio::time::sleep(LAST_EXPORT).await;
        };
        let is_done = tokio::select! {
            () = self.keep_exporting() => true,
            () = cut_off => false,
        };
        if !is_done {
            self.waiting.close();
            let left = self.batch.len() + self.waiting.len();
            self.losses.add(left);
            self.losses.tell("the stop did not wait longer");
        }
    }

    async fn keep_exporting(&mut self) {
        while self.fill_batch().await {
            let exported = self.export().await;
            if exported.is_err() {
                self.losses.add(self.batch.len());
            }
            self.batch.clear();
            let cause = exported.err();
            self.losses
                .tell_sometimes(cause.as_deref().unwrap_or("it takes them too slowly"));
        }
    }

    /// Whether there is anything to export, now or ever.
    async fn fill_batch(&mut self) -> bool {
        let Some(first) = self.waiting.recv().await else {
            return false;
        };
        self.batch.push(first);
        let until = Instant::now() + LINGER;
        while self.batch.len() < BATCH {
            match tokio::time::timeout_at(until, self.waiting.recv()).await {
                Ok(Some(next)) => self.batch.push(next),
                // It is time, or there will be no other.
                Ok(None) | Err(_) => break,
            }
        }
        true
    }

    async fn export(&self) -> Result<(), String> {
        let spans: Vec<_> = self
            .batch
            .iter()
            .flat_map(|record| spans::of(record))
            .collect();
        let call = otlp::encode(&spans, &self.instance).map_err(|error| error.to_string())?;
        drop(spans);
        self.collector.deliver(call.into()).await
    }
}

impl Losses {
    fn add(&self, count: usize) {
        self.dropped.inc_by(count as u64);
    }

    fn tell_sometimes(&mut self, why: &str) {
        let is_time = self.told_at.is_none_or(|told| told.elapsed() >= SAID_EVERY);
        if is_time {
            self.tell(why);
        }
    }

    fn tell(&mut self, why: &str) {
        let dropped = self.dropped.get();
        let count = dropped.saturating_sub(self.told);
        if count > 0 {
            tracing::warn!(count, why, "the collector did not get traces of requests");
            self.told = dropped;
            self.told_at = Some(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::Router;
    use axum::extract::State;
    use axum::routing::post;
    use http::StatusCode;
    use tokio::net::TcpListener;

    use super::*;
    use crate::cli::Otlp;
    use crate::snapshot::CompiledKey;

    /// A collector that answers so, and how often it was called.
    async fn collector(status: StatusCode, delay: Duration) -> (String, Arc<AtomicUsize>) {
        let calls: Arc<AtomicUsize> = Arc::default();
        let take = move |State(calls): State<Arc<AtomicUsize>>| async move {
            calls.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(delay).await;
            status
        };
        let router = Router::new().route("/v1/traces", post(take));
        let router = router.with_state(Arc::clone(&calls));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        (endpoint, calls)
    }

    fn opened(endpoint: String, share: f64) -> (Traces, Exporter, IntCounter) {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let settings = Settings::read(&Otlp {
            otlp_endpoint: Some(endpoint),
            otlp_headers: None,
            otlp_sample: share,
        });
        let dropped = IntCounter::new("dropped", "dropped").unwrap();
        let (traces, exporter) = open(settings.unwrap().unwrap(), dropped.clone()).unwrap();
        (traces, exporter, dropped)
    }

    fn end_requests(count: usize, traces: &Traces) {
        let key = Arc::new(CompiledKey::for_tests());
        for _ in 0..count {
            let record = Record::new(Uuid::now_v7(), "/v1/chat/completions", &key);
            traces.ended(&Arc::new(record));
        }
    }

    #[tokio::test]
    async fn what_is_left_at_the_end_is_exported_in_batches() {
        let (endpoint, calls) = collector(StatusCode::OK, Duration::ZERO).await;
        let (traces, exporter, dropped) = opened(endpoint, 1.0);
        end_requests(3 * BATCH + 1, &traces);
        drop(traces);
        let stop = CancellationToken::new();
        stop.cancel();
        exporter.run(stop).await;
        assert_eq!((calls.load(Ordering::Relaxed), dropped.get()), (4, 0));
    }

    #[tokio::test]
    async fn what_a_collector_refuses_is_dropped_and_counted_and_the_next_goes_on() {
        let (endpoint, calls) = collector(StatusCode::BAD_REQUEST, Duration::ZERO).await;
        let (traces, exporter, dropped) = opened(endpoint, 1.0);
        end_requests(BATCH + 1, &traces);
        drop(traces);
        exporter.run(CancellationToken::new()).await;
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        assert_eq!(dropped.get(), BATCH as u64 + 1);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_a_collector_that_stalls() {
        let (endpoint, _) = collector(StatusCode::OK, Duration::from_secs(60)).await;
        let (traces, exporter, dropped) = opened(endpoint, 1.0);
        end_requests(MOST_WAITING + 7, &traces);
        assert_eq!(dropped.get(), 7);
        let stop = CancellationToken::new();
        stop.cancel();
        let begun = Instant::now();
        // Somebody may still hand over: the stop does not wait for that either.
        exporter.run(stop).await;
        assert!(begun.elapsed() < LAST_EXPORT + Duration::from_secs(1));
        assert_eq!(dropped.get(), MOST_WAITING as u64 + 7);
        end_requests(1, &traces);
        assert_eq!(dropped.get(), MOST_WAITING as u64 + 8);
    }

    #[tokio::test(start_paused = true)]
    async fn tries_again_when_nobody_is_there_and_then_gives_up() {
        let (traces, exporter, dropped) = opened("http://127.0.0.1:9".to_owned(), 1.0);
        end_requests(2, &traces);
        drop(traces);
        let begun = Instant::now();
        exporter.run(CancellationToken::new()).await;
        assert!(
            begun.elapsed() > Duration::from_secs(5),
            "{:?}",
            begun.elapsed()
        );
        assert_eq!(dropped.get(), 2);
    }

    #[tokio::test]
    async fn what_is_not_sampled_is_not_handed_over() {
        let (traces, mut exporter, dropped) = opened("http://127.0.0.1:9".to_owned(), 0.0);
        end_requests(100, &traces);
        assert!(exporter.waiting.try_recv().is_err());
        assert_eq!(dropped.get(), 0);
    }
}
