//! The records of requests that have ended, worked up by a task of its own and written down by another:
//! no request waits for either.
//!
//! When they fall behind and a queue is full, records are dropped and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::metrics::Metrics;
use super::record::Record;
use super::traffic::Traffic;
use super::usage::Copied;
use crate::trace_export::Traces;

/// Waiting to be worked up.
const MOST_WAITING: usize = 16_384;
/// Worked up at once.
const BATCH: usize = 256;
/// Waiting to be written down, which is for as long as the database stalls.
const MOST_UNWRITTEN: usize = 16_384;
/// Written down at once.
const MOST_WRITTEN: usize = 1_024;
/// How long the first of those that have ended waits for others: waking a task for each would cost a
/// request more than what is done with it.
const GATHER: Duration = Duration::from_millis(20);
/// How long the first that is to be written down waits for others.
const LINGER: Duration = Duration::from_millis(250);
/// How long somebody who wants to see records waits for those that are not written yet.
const SETTLE: Duration = Duration::from_secs(2);

/// Where records outlive the process.
#[async_trait]
pub trait Archive: std::fmt::Debug + Send + Sync {
    /// Writes them down, all or none; answers whether it did.
    async fn write(&self, records: &[Arc<Record>]) -> bool;
    /// Lets go of those that are old or too many.
    async fn prune(&self);
}

#[derive(Debug)]
pub struct RequestLog {
    ended: mpsc::Sender<Ended>,
    unwritten: mpsc::Sender<Unwritten>,
    dropped: AtomicU64,
    hurry: Hurry,
}

/// Who counts requests that have ended.
#[derive(Clone, Debug)]
pub struct Counters {
    pub metrics: Arc<Metrics>,
    pub traffic: Arc<Traffic>,
    /// Where traces of requests go, if anywhere.
    pub traces: Option<Traces>,
}

/// What the two tasks take from.
#[derive(Debug)]
pub struct Queue {
    ended: mpsc::Receiver<Ended>,
    unwritten: mpsc::Receiver<Unwritten>,
}

#[derive(Debug)]
enum Ended {
    /// A record, and of the answer what may say more.
    Request(Box<Record>, Option<Copied>),
    /// Everything before it was worked up.
    Reached(oneshot::Sender<()>),
}

#[derive(Debug)]
enum Unwritten {
    Request(Arc<Record>),
    /// Everything before it was written down.
    Reached(oneshot::Sender<()>),
}

impl RequestLog {
    pub fn new() -> (Arc<Self>, Queue) {
        let (ended, to_work_up) = mpsc::channel(MOST_WAITING);
        let (unwritten, to_write) = mpsc::channel(MOST_UNWRITTEN);
        let log = Self {
            ended,
            unwritten,
            dropped: AtomicU64::default(),
            hurry: Hurry::default(),
        };
        let queue = Queue {
            ended: to_work_up,
            unwritten: to_write,
        };
        (Arc::new(log), queue)
    }

    pub fn push(&self, record: Box<Record>, answer: Option<Copied>) {
        if self.ended.try_send(Ended::Request(record, answer)).is_err() {
            self.drop_one();
        }
    }

    /// How many records were lost since the start.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Waits until the records of all requests that have ended by now are written down; not for long.
    pub async fn settled(&self) {
        let (reached, all_before) = oneshot::channel();
        let _hurrying = self.hurry.begin();
        let settled = async {
            if self.ended.send(Ended::Reached(reached)).await.is_ok() {
                // At the stop nobody works anything up any more; what is there is there.
                let _ = all_before.await;
            }
        };
        // What is not written by then can be seen another time.
        let _ = tokio::time::timeout(SETTLE, settled).await;
    }

    /// Works up what comes and writes it down, until the stop and then what is left.
    pub async fn keep_up(
        self: Arc<Self>,
        queue: Queue,
        counters: Counters,
        archive: Arc<dyn Archive>,
        stop: CancellationToken,
    ) {
        let worked_up = CancellationToken::new();
        tokio::join!(
            async {
                self.work_up(queue.ended, counters, stop).await;
                worked_up.cancel();
            },
            self.write_down(queue.unwritten, archive.as_ref(), &worked_up),
        );
    }

    async fn work_up(
        &self,
        mut waiting: mpsc::Receiver<Ended>,
        counters: Counters,
        stop: CancellationToken,
    ) {
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            let first = tokio::select! {
                first = waiting.recv() => first,
                () = stop.cancelled(), if !waiting.is_closed() => {
                    waiting.close();
                    continue;
                }
            };
            let Some(first) = first else {
                return;
            };
            if waiting.len() < BATCH {
                self.hurry.linger(GATHER, &stop).await;
            }
            batch.push(first);
            while batch.len() < BATCH
                && let Ok(next) = waiting.try_recv()
            {
                batch.push(next);
            }
            let mut messages = std::mem::take(&mut batch);
            // Decoding a compressed answer takes its time.
            if messages.iter().any(Ended::is_work) {
                let read = tokio::task::spawn_blocking(move || {
                    messages.iter_mut().for_each(Ended::read_usage);
                    messages
                });
                messages = match read.await {
                    Ok(messages) => messages,
                    Err(error) => {
                        tracing::error!(%error, "records of requests could not be worked up");
                        continue;
                    }
                };
            }
            for mut message in messages {
                message.read_usage();
                self.pass_on(message, &counters);
            }
        }
    }

    fn pass_on(&self, message: Ended, counters: &Counters) {
        let unwritten = match message {
            Ended::Request(record, _) => {
                counters.metrics.ended(&record);
                counters.traffic.ended(&record);
                let record: Arc<Record> = record.into();
                if let Some(traces) = &counters.traces {
                    traces.ended(&record);
                }
                Unwritten::Request(record)
            }
            Ended::Reached(reached) => Unwritten::Reached(reached),
        };
        if let Err(error) = self.unwritten.try_send(unwritten)
            && let Unwritten::Request(_) = error.into_inner()
        {
            self.drop_one();
        }
    }

    async fn write_down(
        &self,
        mut unwritten: mpsc::Receiver<Unwritten>,
        archive: &dyn Archive,
        stop: &CancellationToken,
    ) {
        const PRUNE: Duration = Duration::from_secs(10 * 60);
        let mut prune = tokio::time::interval(PRUNE);
        loop {
            let first = tokio::select! {
                first = unwritten.recv() => first,
                _ = prune.tick() => {
                    archive.prune().await;
                    continue;
                }
                () = stop.cancelled(), if !unwritten.is_closed() => {
                    unwritten.close();
                    continue;
                }
            };
            let Some(first) = first else {
                return;
            };
            if unwritten.len() < MOST_WRITTEN {
                self.hurry.linger(LINGER, stop).await;
            }
            let mut batch = Batch::default();
            batch.push(first);
            while batch.records.len() < MOST_WRITTEN
                && let Ok(next) = unwritten.try_recv()
            {
                batch.push(next);
            }
            self.write(batch, archive, stop).await;
        }
    }

    /// Again and again until it works; after the stop a few times.
    async fn write(&self, batch: Batch, archive: &dyn Archive, stop: &CancellationToken) {
        const PAUSE: Duration = Duration::from_secs(1);
        const TRIES_AT_STOP: u32 = 3;
        let mut tries = 0;
        while !batch.records.is_empty() && !archive.write(&batch.records).await {
            if stop.is_cancelled() {
                tries += 1;
            }
            if tries == TRIES_AT_STOP {
                let count = batch.records.len();
                tracing::error!(count, "records of requests could not be written down");
                self.dropped.fetch_add(count as u64, Ordering::Relaxed);
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        for reached in batch.reached {
            // Whoever asked may have left.
            let _ = reached.send(());
        }
    }

    fn drop_one(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// What is written down at once.
#[derive(Default)]
struct Batch {
    records: Vec<Arc<Record>>,
    reached: Vec<oneshot::Sender<()>>,
}

impl Batch {
    fn push(&mut self, message: Unwritten) {
        match message {
            Unwritten::Request(record) => self.records.push(record),
            Unwritten::Reached(reached) => self.reached.push(reached),
        }
    }
}

/// Whether somebody waits for what has ended to be written down.
#[derive(Debug, Default)]
struct Hurry {
    waiting: AtomicUsize,
    begun: Notify,
}

struct Hurrying<'a>(&'a Hurry);

impl Hurry {
    /// As long as the answer lives.
    fn begin(&self) -> Hurrying<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.begun.notify_waiters();
        Hurrying(self)
    }

    /// Lets others come, unless somebody waits for those that are there.
    async fn linger(&self, time: Duration, stop: &CancellationToken) {
        // Before the look, so that none who begins after it is missed.
        let begun = self.begun.notified();
        if self.waiting.load(Ordering::Relaxed) > 0 {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            () = begun => {}
            () = stop.cancelled() => {}
        }
    }
}

impl Drop for Hurrying<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Ended {
    fn is_work(&self) -> bool {
        matches!(self, Self::Request(_, Some(answer)) if answer.is_work())
    }

    fn read_usage(&mut self) {
        if let Self::Request(record, answer) = self
            && let Some(answer) = answer.take()
        {
            record.usage = answer.usage();
        }
    }
}

#[cfg(test)]
pub mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    use uuid::Uuid;

    use super::*;
    use crate::gateway::record::Recording;
    use crate::snapshot::CompiledKey;

    /// Keeps what it is given; may be told to stall.
    #[derive(Debug, Default)]
    pub struct Remembering {
        records: Mutex<Vec<Arc<Record>>>,
        stalled: AtomicBool,
    }

    #[async_trait]
    impl Archive for Remembering {
        async fn write(&self, records: &[Arc<Record>]) -> bool {
            if self.stalled.load(Ordering::Relaxed) {
                return false;
            }
            self.records.lock().unwrap().extend(records.iter().cloned());
            true
        }
        async fn prune(&self) {}
    }

    impl Remembering {
        pub fn records(&self) -> Vec<Arc<Record>> {
            self.records.lock().unwrap().clone()
        }
    }

    /// A log that works, and where it writes.
    pub fn running() -> (Arc<RequestLog>, Arc<Remembering>) {
        let (log, queue) = RequestLog::new();
        let archive: Arc<Remembering> = Arc::default();
        keep_up(&log, queue, &archive);
        (log, archive)
    }

    fn keep_up(log: &Arc<RequestLog>, queue: Queue, archive: &Arc<Remembering>) {
        let stop = CancellationToken::new();
        tokio::spawn(Arc::clone(log).keep_up(queue, counters(), archive.clone(), stop));
    }

    fn counters() -> Counters {
        Counters {
            metrics: Arc::new(Metrics::new().unwrap()),
            traffic: Arc::default(),
            traces: None,
        }
    }

    fn end_requests(count: usize, log: &Arc<RequestLog>) {
        let key = Arc::new(CompiledKey::for_tests());
        for _ in 0..count {
            drop(Recording::begin(Uuid::now_v7(), "/v1/x", &key, log));
        }
    }

    #[tokio::test]
    async fn when_nobody_keeps_up_records_are_dropped_and_counted() {
        let (log, queue) = RequestLog::new();
        end_requests(MOST_WAITING + 7, &log);
        assert_eq!(log.dropped(), 7);
        let archive = Arc::default();
        keep_up(&log, queue, &archive);
        log.settled().await;
        let lost = usize::try_from(log.dropped()).unwrap();
        assert_eq!(archive.records().len() + lost, MOST_WAITING + 7);
    }

    #[tokio::test(start_paused = true)]
    async fn while_the_archive_stalls_records_wait_and_then_are_dropped_and_counted() {
        let (log, archive) = running();
        archive.stalled.store(true, Ordering::Relaxed);
        let mut ended = 0;
        while log.dropped() == 0 {
            end_requests(100, &log);
            ended += 100;
            // Nobody waits for an archive that stalls.
            log.settled().await;
        }
        assert!(ended >= MOST_UNWRITTEN, "{ended}");
        archive.stalled.store(false, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_secs(2)).await;
        while archive.records().len() + usize::try_from(log.dropped()).unwrap() < ended {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let ids: std::collections::HashSet<_> =
            archive.records().iter().map(|record| record.id).collect();
        assert_eq!(ids.len(), archive.records().len(), "none is written twice");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_left_at_the_stop_is_written_down() {
        let (log, queue) = RequestLog::new();
        let archive: Arc<Remembering> = Arc::default();
        let stop = CancellationToken::new();
        end_requests(3_000, &log);
        stop.cancel();
        Arc::clone(&log)
            .keep_up(queue, counters(), archive.clone(), stop)
            .await;
        assert_eq!(archive.records().len(), 3_000);
        assert_eq!(log.dropped(), 0);
    }
}
