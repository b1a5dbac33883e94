//! Values shared by who they belong to, for as long as somebody holds them.

use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use foldhash::HashMap;

/// One value for each key. It keeps none alive.
#[derive(Debug)]
pub struct WeakMap<K, V> {
    entries: Mutex<Entries<K, V>>,
}

#[derive(Debug)]
struct Entries<K, V> {
    by_key: HashMap<K, Weak<V>>,
    /// When there are so many, those that nobody holds are let go: so adding many costs a few looks at each.
    swept_at: usize,
}

const FIRST_SWEEP: usize = 16;

impl<K: Eq + Hash, V> WeakMap<K, V> {
    /// The value of this key that somebody holds, or a new one.
    pub fn get_or_insert_with(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = entries.by_key.get(&key).and_then(Weak::upgrade) {
            return held;
        }
        if entries.by_key.len() >= entries.swept_at {
            entries.by_key.retain(|_, value| value.strong_count() > 0);
            entries.swept_at = FIRST_SWEEP.max(2 * entries.by_key.len());
        }
        let value = Arc::new(make());
        entries.by_key.insert(key, Arc::downgrade(&value));
        value
    }
}

impl<K, V> Default for WeakMap<K, V> {
    fn default() -> Self {
        Self {
            entries: Mutex::new(Entries {
                by_key: HashMap::default(),
                swept_at: FIRST_SWEEP,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(map: &WeakMap<u32, u32>) -> usize {
        map.entries.lock().unwrap().by_key.len()
    }

    #[test]
    fn a_key_has_one_value_while_somebody_holds_it() {
        let map = WeakMap::default();
        let held = map.get_or_insert_with("a", || 1);
        assert!(Arc::ptr_eq(&held, &map.get_or_insert_with("a", || 2)));
        assert_eq!(*map.get_or_insert_with("b", || 3), 3);
        drop(held);
        assert_eq!(*map.get_or_insert_with("a", || 4), 4);
    }

    #[test]
    fn those_that_nobody_holds_are_let_go() {
        let map = WeakMap::default();
        let held: Vec<_> = (0..40)
            .map(|key| map.get_or_insert_with(key, || key))
            .collect();
        for key in 40..10_000 {
            map.get_or_insert_with(key, || key);
            assert!(entries(&map) <= 2 * held.len());
        }
        for key in 0..40 {
            assert!(Arc::ptr_eq(
                &map.get_or_insert_with(key, || 0),
                &held[key as usize]
            ));
        }
        drop(held);
        (0..200).for_each(|key| drop(map.get_or_insert_with(key, || key)));
        assert!(entries(&map) <= FIRST_SWEEP);
    }
}
