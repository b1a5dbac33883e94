//! The records of the latest requests, in memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::record::Record;

/// So many are kept.
const MOST: usize = 1_000;

#[derive(Debug, Default)]
pub struct RequestLog {
    /// In the order in which the requests ended.
    records: Mutex<VecDeque<Arc<Record>>>,
}

impl RequestLog {
    pub fn push(&self, record: Record) {
        let record = Arc::new(record);
        let mut records = self.records();
        // Dropped when the lock is free again: it may be the last to know an old snapshot's route.
        let oldest = (records.len() >= MOST).then(|| records.pop_front());
        records.push_back(record);
        drop(records);
        drop(oldest);
    }

    /// The newest first, by when they came in.
    pub fn newest(&self) -> Vec<Arc<Record>> {
        let mut records: Vec<_> = self.records().iter().cloned().collect();
        // Ids are made in the order in which requests come in.
        records.sort_unstable_by_key(|record| std::cmp::Reverse(record.id));
        records
    }

    fn records(&self) -> MutexGuard<'_, VecDeque<Arc<Record>>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
