//! The records of requests that have ended, worked up by a task of its own: no request waits for it.
//!
//! When the task falls behind and its queue is full, records are dropped and counted.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::metrics::Metrics;
use super::record::Record;
use super::usage::Copied;

/// Kept in memory.
const MOST: usize = 1_000;
/// Waiting for the task.
const MOST_WAITING: usize = 16_384;
/// Worked up at once.
const BATCH: usize = 256;

#[derive(Debug)]
pub struct RequestLog {
    queue: mpsc::Sender<Message>,
    /// In the order in which the requests ended.
    recent: Mutex<VecDeque<Arc<Record>>>,
    dropped: AtomicU64,
}

/// What the task takes from.
#[derive(Debug)]
pub struct Queue(mpsc::Receiver<Message>);

#[derive(Debug)]
enum Message {
    /// A record, and of the answer what may say more.
    Ended(Box<Record>, Option<Copied>),
    /// Everything before it was worked up.
    Reached(oneshot::Sender<()>),
}

impl RequestLog {
    pub fn new() -> (Arc<Self>, Queue) {
        let (queue, waiting) = mpsc::channel(MOST_WAITING);
        let log = Self {
            queue,
            recent: Mutex::default(),
            dropped: AtomicU64::default(),
        };
        (Arc::new(log), Queue(waiting))
    }

    pub fn push(&self, record: Box<Record>, answer: Option<Copied>) {
        if self.queue.try_send(Message::Ended(record, answer)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many records were lost since the start.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// The newest first, by when they came in; those of all requests that have ended by now.
    pub async fn newest(&self) -> Vec<Arc<Record>> {
        let (reached, all_before) = oneshot::channel();
        if self.queue.send(Message::Reached(reached)).await.is_ok() {
            // At the stop nobody works anything up any more; what is there is there.
            let _ = all_before.await;
        }
        let mut records: Vec<_> = self.recent().iter().cloned().collect();
        // Ids are made in the order in which requests come in.
        records.sort_unstable_by_key(|record| std::cmp::Reverse(record.id));
        records
    }

    /// Works up what comes, until the stop and then what is left.
    pub async fn keep_up(
        self: Arc<Self>,
        queue: Queue,
        metrics: Arc<Metrics>,
        stop: CancellationToken,
    ) {
        let Queue(mut waiting) = queue;
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            let count = tokio::select! {
                count = waiting.recv_many(&mut batch, BATCH) => count,
                () = stop.cancelled(), if !waiting.is_closed() => {
                    waiting.close();
                    continue;
                }
            };
            if count == 0 {
                return;
            }
            let messages = std::mem::take(&mut batch);
            // Decoding a compressed answer takes its time.
            let is_work = messages.iter().any(Message::is_work);
            let (log, of_all) = (Arc::clone(&self), Arc::clone(&metrics));
            let work = move || {
                for message in messages {
                    log.take(message, &of_all);
                }
            };
            if is_work {
                if let Err(error) = tokio::task::spawn_blocking(work).await {
                    tracing::error!(%error, "records of requests could not be worked up");
                }
            } else {
                work();
            }
        }
    }

    fn take(&self, message: Message, metrics: &Metrics) {
        match message {
            Message::Ended(mut record, answer) => {
                record.usage = answer.and_then(Copied::usage);
                metrics.ended(&record);
                let mut recent = self.recent();
                // Dropped when the lock is free again: it may be the last to know an old snapshot's route.
                let oldest = (recent.len() >= MOST).then(|| recent.pop_front());
                recent.push_back(record.into());
                drop(recent);
                drop(oldest);
            }
            // Whoever asked may have left.
            Message::Reached(reached) => drop(reached.send(())),
        }
    }

    fn recent(&self) -> MutexGuard<'_, VecDeque<Arc<Record>>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Message {
    fn is_work(&self) -> bool {
        matches!(self, Self::Ended(_, Some(answer)) if answer.is_work())
    }
}

#[cfg(test)]
pub mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::gateway::record::Recording;
    use crate::snapshot::CompiledKey;

    /// A log that works.
    pub fn running() -> Arc<RequestLog> {
        let (log, queue) = RequestLog::new();
        let metrics = Arc::new(Metrics::new().unwrap());
        tokio::spawn(Arc::clone(&log).keep_up(queue, metrics, CancellationToken::new()));
        log
    }

    #[tokio::test]
    async fn when_nobody_keeps_up_records_are_dropped_and_counted() {
        let (log, queue) = RequestLog::new();
        let key = Arc::new(CompiledKey::for_tests());
        for _ in 0..MOST_WAITING + 7 {
            drop(Recording::begin(Uuid::now_v7(), "/v1/x", &key, &log));
        }
        assert_eq!(log.dropped(), 7);
        let metrics = Arc::new(Metrics::new().unwrap());
        tokio::spawn(Arc::clone(&log).keep_up(queue, metrics, CancellationToken::new()));
        assert_eq!(log.newest().await.len(), MOST);
    }
}
