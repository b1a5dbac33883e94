//! Who made a response of the Responses API, and so is the one to ask for it again.
//!
//! Looked up in memory; only one that is not there, made before a restart or through another process, is
//! looked for in the database. New ones are written down by a task of their own that no request waits
//! for.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Kept in memory.
const MOST: usize = 65_536;
/// Waiting to be written down. Beyond that they are known in this process only.
const MOST_WAITING: usize = 8_192;
/// Written at once.
const BATCH: usize = 500;
/// Lookups at a time: ids that nobody knows must not keep the database busy.
const LOOKUPS: usize = 4;
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);
const LONGEST_ID: usize = 256;

/// Where a response was made, and for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    pub key: Uuid,
    pub route: Uuid,
    pub provider: Uuid,
    pub instance: Arc<str>,
    pub model: Arc<str>,
}

/// Where owners outlive the process.
#[async_trait]
pub trait Archive: std::fmt::Debug + Send + Sync {
    /// Answers whether they were written down.
    async fn note(&self, owners: &[(String, Owner)]) -> bool;
    async fn find(&self, id: &str) -> Option<Owner>;
    async fn forget(&self, id: &str);
    /// Lets go of those that are old or too many.
    async fn prune(&self);
}

#[derive(Debug)]
pub struct Owners {
    known: Mutex<Known>,
    archive: Arc<dyn Archive>,
    waiting: mpsc::Sender<(String, Owner)>,
    lookups: Semaphore,
}

#[derive(Debug, Default)]
struct Known {
    by_id: HashMap<String, Owner>,
    /// The oldest first; may name some that are gone already.
    order: VecDeque<String>,
}

/// What is still to be written down.
#[derive(Debug)]
pub struct Backlog(mpsc::Receiver<(String, Owner)>);

impl Owners {
    pub fn new(archive: Arc<dyn Archive>) -> (Self, Backlog) {
        let (waiting, backlog) = mpsc::channel(MOST_WAITING);
        let owners = Self {
            known: Mutex::default(),
            archive,
            waiting,
            lookups: Semaphore::new(LOOKUPS),
        };
        (owners, Backlog(backlog))
    }

    /// Remembers who made a response. An id that could not stand in a path is left alone.
    pub fn note(&self, id: &str, owner: Owner) {
        if !is_id(id) {
            return;
        }
        self.known().insert(id, owner.clone());
        if self.waiting.try_send((id.to_owned(), owner)).is_err() {
            tracing::warn!("too many new responses to write down where each was made");
        }
    }

    pub async fn find(&self, id: &str) -> Option<Owner> {
        if !is_id(id) {
            return None;
        }
        if let Some(owner) = self.known().by_id.get(id) {
            return Some(owner.clone());
        }
        let look = async {
            let _leave = self.lookups.acquire().await.ok()?;
            self.archive.find(id).await
        };
        let found = tokio::time::timeout(LOOKUP_TIMEOUT, look).await.ok()??;
        self.known().insert(id, found.clone());
        Some(found)
    }

    /// The response is gone.
    pub async fn forget(&self, id: &str) {
        self.known().by_id.remove(id);
        self.archive.forget(id).await;
    }

    /// Writes down what is new, until the stop and then what is left.
    pub async fn keep_writing(&self, backlog: Backlog, stop: CancellationToken) {
        const PRUNE: Duration = Duration::from_secs(10 * 60);
        let Backlog(mut backlog) = backlog;
        let mut prune = tokio::time::interval(PRUNE);
        loop {
            let mut batch = Vec::new();
            let goes_on = tokio::select! {
                count = backlog.recv_many(&mut batch, BATCH) => count > 0,
                _ = prune.tick() => {
                    self.archive.prune().await;
                    continue;
                }
                () = stop.cancelled() => {
                    backlog.close();
                    backlog.recv_many(&mut batch, MOST_WAITING).await > 0
                }
            };
            if !batch.is_empty() {
                self.write(batch).await;
            }
            if !goes_on {
                return;
            }
        }
    }

    async fn write(&self, batch: Vec<(String, Owner)>) {
        const TRIES: u32 = 3;
        for wait_s in 0..TRIES {
            tokio::time::sleep(Duration::from_secs(wait_s.into())).await;
            if self.archive.note(&batch).await {
                return;
            }
        }
        tracing::error!(
            count = batch.len(),
            "where responses were made could not be written down"
        );
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn insert(&mut self, id: &str, owner: Owner) {
        if self.by_id.insert(id.to_owned(), owner).is_none() {
            self.order.push_back(id.to_owned());
        }
        while self.order.len() > MOST {
            if let Some(oldest) = self.order.pop_front() {
                self.by_id.remove(&oldest);
            }
        }
    }
}

/// Whether it can stand in a path as it is, and stay one segment of it.
fn is_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(plain) && id.bytes().any(|b| b != b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default)]
    struct Remembered(Mutex<HashMap<String, Owner>>);

    #[async_trait]
    impl Archive for Remembered {
        async fn note(&self, owners: &[(String, Owner)]) -> bool {
            self.0.lock().unwrap().extend(owners.iter().cloned());
            true
        }
        async fn find(&self, id: &str) -> Option<Owner> {
            self.0.lock().unwrap().get(id).cloned()
        }
        async fn forget(&self, id: &str) {
            self.0.lock().unwrap().remove(id);
        }
        async fn prune(&self) {}
    }

    fn owner(number: u128) -> Owner {
        Owner {
            key: Uuid::from_u128(number),
            route: Uuid::nil(),
            provider: Uuid::nil(),
            instance: "http://h/v1".into(),
            model: "m".into(),
        }
    }

    #[tokio::test]
    async fn owners_outlive_the_process() {
        let archive: Arc<Remembered> = Arc::default();
        let (owners, backlog) = Owners::new(archive.clone());
        for number in 0..1_200 {
            owners.note(&format!("resp_{number}"), owner(number));
        }
        assert_eq!(owners.find("resp_7").await, Some(owner(7)));
        let stop = CancellationToken::new();
        stop.cancel();
        owners.keep_writing(backlog, stop).await;

        let (after_a_restart, _backlog) = Owners::new(archive);
        assert_eq!(after_a_restart.find("resp_1199").await, Some(owner(1_199)));
        assert_eq!(after_a_restart.find("resp_1200").await, None);
        after_a_restart.forget("resp_1199").await;
        assert_eq!(after_a_restart.find("resp_1199").await, None);
    }

    #[tokio::test]
    async fn what_could_leave_its_path_is_no_id() {
        let (owners, _backlog) = Owners::new(Arc::<Remembered>::default());
        for id in [
            "",
            ".",
            "..",
            "a/b",
            "a%2fb",
            "a?b",
            "a b",
            "é",
            &"x".repeat(257),
        ] {
            owners.note(id, owner(1));
            assert_eq!(owners.find(id).await, None, "{id}");
        }
        owners.note("resp_0a.b-c", owner(1));
        assert_eq!(owners.find("resp_0a.b-c").await, Some(owner(1)));
    }

    #[test]
    fn memory_is_bounded() {
        let mut known = Known::default();
        for number in 0..MOST + 10 {
            known.insert(&number.to_string(), owner(1));
        }
        assert_eq!((known.by_id.len(), known.order.len()), (MOST, MOST));
        assert!(!known.by_id.contains_key("9") && known.by_id.contains_key("10"));
    }
}
