//! Requests under way, counted per instance and per model of it, over all routes and endpoints.
//!
//! The counts are kept by who an instance is (provider id and normalised URL), not by where a snapshot
//! has it, so that they are right over any number of saves. A request is counted by an [`Inflight`]
//! guard from the moment its candidate is chosen; the guard travels with the request and then with the
//! answer's body, and however either ends, by its last byte, a client that leaves, an upstream that
//! breaks, a timeout or a panic, dropping it takes the request off again.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use super::health::Health;
use crate::weak_map::WeakMap;

/// All instances that somebody still knows.
#[derive(Debug, Default)]
pub struct Loads {
    instances: WeakMap<(Uuid, String), InstanceLoad>,
    placing: Mutex<()>,
}

/// What one instance has to do just now.
#[derive(Debug, Default)]
pub struct InstanceLoad {
    /// Over all models.
    inflight: AtomicU32,
    by_model: WeakMap<String, ModelLoad>,
    pub health: Health,
    last_error: Mutex<Option<String>>,
}

/// What one model of an instance has to do just now.
#[derive(Debug, Default)]
pub struct ModelLoad(AtomicU32);

/// One request under way; it ends when this is dropped.
#[derive(Debug)]
pub struct Inflight {
    instance: Arc<InstanceLoad>,
    model: Option<Arc<ModelLoad>>,
}

/// While it is held, nobody else places a request.
#[derive(Debug)]
pub struct Placing<'a> {
    _lock: MutexGuard<'a, ()>,
}

impl Loads {
    /// The instance of this provider at this normalised URL.
    pub fn instance(&self, provider: Uuid, url: &str) -> Arc<InstanceLoad> {
        let key = (provider, url.to_owned());
        self.instances
            .get_or_insert_with(key, InstanceLoad::default)
    }

    /// Begins the short step of reading counts, ranking and taking the winner, which requests take one
    /// after the other: so k requests that arrive together at k idle instances take one each. Those
    /// that end meanwhile do not wait.
    pub fn place(&self) -> Placing<'_> {
        Placing {
            _lock: lock(&self.placing),
        }
    }
}

impl InstanceLoad {
    pub fn model(&self, model: &str) -> Arc<ModelLoad> {
        let models = &self.by_model;
        models.get_or_insert_with(model.to_owned(), ModelLoad::default)
    }

    /// Requests under way, over all models.
    pub fn inflight(&self) -> u32 {
        self.inflight.load(Ordering::Relaxed)
    }

    /// Notes why it gave no answer or half of one, in words that end a sentence: `could not be
    /// reached`.
    pub fn failed(&self, why: &str) {
        *lock(&self.last_error) = Some(why.to_owned());
    }

    pub fn last_error(&self) -> Option<String> {
        lock(&self.last_error).clone()
    }
}

impl ModelLoad {
    /// Requests under way for this model at its instance.
    pub fn inflight(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Inflight {
    /// Counts one request more.
    pub fn begin(instance: &Arc<InstanceLoad>, model: &Arc<ModelLoad>) -> Self {
        model.0.fetch_add(1, Ordering::Relaxed);
        let mut begun = Self::at(instance);
        begun.model = Some(Arc::clone(model));
        begun
    }

    /// One that is for no model.
    pub fn at(instance: &Arc<InstanceLoad>) -> Self {
        instance.inflight.fetch_add(1, Ordering::Relaxed);
        Self {
            instance: Arc::clone(instance),
            model: None,
        }
    }
}

impl Inflight {
    /// Notes why its instance did not see it through.
    pub fn failed(&self, why: &str) {
        self.instance.failed(why);
    }
}

impl Drop for Inflight {
    fn drop(&mut self) {
        self.instance.inflight.fetch_sub(1, Ordering::Relaxed);
        if let Some(model) = &self.model {
            model.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// What it guards stays usable whatever happened to a thread that held it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_belong_to_who_an_instance_is() {
        let loads = Loads::default();
        let provider = Uuid::from_u128(1);
        let before_a_save = loads.instance(provider, "http://h/v1");
        let (small, large) = (before_a_save.model("small"), before_a_save.model("large"));
        let one = Inflight::begin(&before_a_save, &small);
        let _other = Inflight::begin(&before_a_save, &large);
        drop((before_a_save, small, large));

        let after_it = loads.instance(provider, "http://h/v1");
        assert_eq!(after_it.inflight(), 2);
        assert_eq!(after_it.model("small").inflight(), 1);
        drop(one);
        assert_eq!(after_it.inflight(), 1);
        assert_eq!(after_it.model("small").inflight(), 0);
        assert_eq!(after_it.model("large").inflight(), 1);
        assert_eq!(
            loads.instance(Uuid::from_u128(2), "http://h/v1").inflight(),
            0
        );
    }

    #[test]
    fn a_panic_ends_a_request_too() {
        let loads = Loads::default();
        let instance = loads.instance(Uuid::nil(), "http://h/v1");
        let model = instance.model("m");
        let request = Inflight::begin(&instance, &model);
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let _request = request;
            panic!("a fault");
        }));
        assert!(ended.is_err());
        assert_eq!((instance.inflight(), model.inflight()), (0, 0));
    }
}
