//! One memory budget for the request bodies of all requests together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that request bodies may hold in this process.
#[derive(Clone, Debug)]
pub struct BufferBudget {
    free: Arc<AtomicU64>,
}

impl BufferBudget {
    pub fn new(bytes: u64) -> Self {
        Self {
            free: Arc::new(AtomicU64::new(bytes)),
        }
    }

    /// A lease that holds nothing yet.
    pub fn lease(&self) -> BufferLease {
        BufferLease {
            free: Arc::clone(&self.free),
            held: 0,
        }
    }
}

/// What one request holds of the budget; given back when dropped.
#[derive(Debug)]
pub struct BufferLease {
    free: Arc<AtomicU64>,
    held: u64,
}

impl BufferLease {
    /// Takes as many as make it `bytes` in all; false when the budget does not have them.
    pub fn grow_to(&mut self, bytes: u64) -> bool {
        self.grow(bytes.saturating_sub(self.held))
    }

    /// Takes `bytes` more; false when the budget does not have them.
    pub fn grow(&mut self, bytes: u64) -> bool {
        let took = self
            .free
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| {
                free.checked_sub(bytes)
            })
            .is_ok();
        if took {
            self.held += bytes;
        }
        took
    }

    /// Gives all of it back.
    pub fn release(&mut self) {
        self.free
            .fetch_add(std::mem::take(&mut self.held), Ordering::Relaxed);
    }
}

impl Drop for BufferLease {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_gives_back_all_it_took() {
        let budget = BufferBudget::new(10);
        let mut one = budget.lease();
        let mut other = budget.lease();
        assert!(one.grow(4) && one.grow_to(8) && one.grow_to(3));
        assert!(!other.grow(3));
        assert!(other.grow(2));
        drop(one);
        assert!(other.grow(8));
        drop(other);
        assert!(budget.lease().grow(10));
    }
}
