//! Leaving a decision service alone that fails again and again.
//!
//! After three failures in a row nobody waits for it for ten seconds. Then one request asks again, as a
//! probe, while the others go on without: if it fails the ten seconds start anew, and if it succeeds all
//! is as before. What a client cancelled counts as neither.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use crate::weak_map::WeakMap;

const FAILURES: u32 = 3;
const TRIP: Duration = Duration::from_secs(10);

/// Who uses what: route, decision provider, and the model that is asked.
pub type Use = (Uuid, Uuid, String);

/// One route's use of one provider and model. Outlives snapshots.
#[derive(Debug, Default)]
pub struct Breaker {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    tripped_until: Option<Instant>,
    is_probed: bool,
}

#[derive(Debug, Default)]
pub struct Breakers {
    by_use: WeakMap<Use, Breaker>,
}

/// Leave to ask once. Dropped without a word it counts as neither success nor failure.
#[derive(Debug)]
pub struct Leave<'a> {
    breaker: &'a Breaker,
    is_probe: bool,
}

impl Breakers {
    pub fn of(&self, usage: Use) -> Arc<Breaker> {
        self.by_use.get_or_insert_with(usage, Breaker::default)
    }
}

impl Breaker {
    /// Nothing while the service is left alone.
    pub fn leave(&self) -> Option<Leave<'_>> {
        let mut state = self.state();
        let is_probe = match state.tripped_until {
            None => false,
            Some(until) if until > Instant::now() || state.is_probed => return None,
            Some(_) => true,
        };
        state.is_probed = is_probe;
        Some(Leave {
            breaker: self,
            is_probe,
        })
    }

    /// Whether a request would have to go without.
    pub fn is_tripped(&self) -> bool {
        let state = self.state();
        state
            .tripped_until
            .is_some_and(|until| until > Instant::now() || state.is_probed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Leave<'_> {
    pub fn succeeded(self) {
        let mut state = self.breaker.state();
        state.failures = 0;
        state.tripped_until = None;
    }

    pub fn failed(self) {
        let mut state = self.breaker.state();
        state.failures = state.failures.saturating_add(1);
        // Who began before the trip and fails after it does not prolong it.
        let is_tripped = state.tripped_until.is_some() && !self.is_probe;
        if state.failures >= FAILURES && !is_tripped {
            state.tripped_until = Some(Instant::now() + TRIP);
        }
    }
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if self.is_probe {
            self.breaker.state().is_probed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(breaker: &Breaker, times: usize) {
        for _ in 0..times {
            breaker.leave().unwrap().failed();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn three_failures_in_a_row_trip_it_and_one_probe_comes_after() {
        let breaker = Breaker::default();
        fail(&breaker, 2);
        breaker.leave().unwrap().succeeded();
        fail(&breaker, 2);
        assert!(!breaker.is_tripped(), "not in a row");
        fail(&breaker, 1);
        assert!(breaker.is_tripped() && breaker.leave().is_none());
        tokio::time::advance(TRIP - Duration::from_millis(1)).await;
        assert!(breaker.leave().is_none());
        tokio::time::advance(Duration::from_millis(1)).await;

        let probe = breaker.leave().unwrap();
        assert!(breaker.leave().is_none(), "one probe at a time");
        probe.failed();
        assert!(breaker.leave().is_none(), "ten seconds more");
        tokio::time::advance(TRIP).await;
        breaker.leave().unwrap().succeeded();
        fail(&breaker, 2);
        assert!(!breaker.is_tripped());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_cancelled_counts_as_neither() {
        let breaker = Breaker::default();
        fail(&breaker, 2);
        drop(breaker.leave());
        assert!(!breaker.is_tripped());
        fail(&breaker, 1);
        tokio::time::advance(TRIP).await;
        drop(breaker.leave().unwrap());
        // The probe said nothing, so the next request is the probe.
        breaker.leave().unwrap().succeeded();
        assert!(breaker.leave().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn those_that_began_before_a_trip_do_not_prolong_it() {
        let breaker = Breaker::default();
        let late: Vec<_> = (0..3).map(|_| breaker.leave().unwrap()).collect();
        fail(&breaker, 3);
        tokio::time::advance(TRIP / 2).await;
        late.into_iter().for_each(Leave::failed);
        tokio::time::advance(TRIP / 2).await;
        assert!(breaker.leave().is_some());
    }

    #[test]
    fn it_is_one_for_each_use_whatever_is_saved() {
        let breakers = Breakers::default();
        let usage = |route, model: &str| (Uuid::from_u128(route), Uuid::nil(), model.to_owned());
        let kept = breakers.of(usage(1, "jev-latest"));
        assert!(Arc::ptr_eq(&kept, &breakers.of(usage(1, "jev-latest"))));
        assert!(!Arc::ptr_eq(&kept, &breakers.of(usage(2, "jev-latest"))));
        assert!(!Arc::ptr_eq(&kept, &breakers.of(usage(1, "jev-preview"))));
    }
}
