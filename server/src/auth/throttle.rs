//! Slows down guessing without locking the owner out: failures count per account *and* address, and
//! per address over all accounts, so nobody else's failures keep the owner from signing in.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failures of one account from one address before waiting starts.
const FREE_PER_ACCOUNT: u32 = 5;
/// Failures of one address over all accounts before waiting starts.
const FREE_PER_ADDRESS: u32 = 20;
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// Failures so old are forgotten.
const MEMORY: Duration = Duration::from_secs(60 * 60);
/// Beyond so many entries old ones make room.
const MOST_ENTRIES: usize = 20_000;

#[derive(Debug, Default)]
pub struct Throttle {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    accounts: Ledger<(String, IpAddr)>,
    addresses: Ledger<IpAddr>,
}

impl Throttle {
    /// How long a try has to wait; `None` when it may go on now.
    pub fn wait(&self, account: &str, address: IpAddr, now: Instant) -> Option<Duration> {
        let address = network(address);
        let state = self.lock();
        let account = state
            .accounts
            .wait(&(account.to_owned(), address), FREE_PER_ACCOUNT, now);
        let address = state.addresses.wait(&address, FREE_PER_ADDRESS, now);
        account.max(address)
    }

    pub fn failed(&self, account: &str, address: IpAddr, now: Instant) {
        let address = network(address);
        let mut state = self.lock();
        state.accounts.failed((account.to_owned(), address), now);
        state.addresses.failed(address, now);
    }

    /// A right password clears what this account failed from there.
    pub fn succeeded(&self, account: &str, address: IpAddr) {
        let address = network(address);
        let mut state = self.lock();
        state.accounts.0.remove(&(account.to_owned(), address));
        state.addresses.0.remove(&address);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // Counters stay usable whatever happened to a thread that held them.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Ledger<K>(HashMap<K, Failures>);

impl<K> Default for Ledger<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    last: Instant,
}

impl<K: Eq + Hash + Clone> Ledger<K> {
    fn wait(&self, key: &K, free: u32, now: Instant) -> Option<Duration> {
        let failures = self.0.get(key)?;
        let beyond = failures.count.checked_sub(free)?;
        // 1 s after the last free failure, then doubling.
        let wait = Duration::from_secs(1_u64 << beyond.min(20)).min(LONGEST_WAIT);
        let passed = now.saturating_duration_since(failures.last);
        wait.checked_sub(passed).filter(|left| !left.is_zero())
    }

    fn failed(&mut self, key: K, now: Instant) {
        if self.0.len() >= MOST_ENTRIES {
            self.0
                .retain(|_, failures| now.saturating_duration_since(failures.last) < MEMORY);
        }
        if self.0.len() >= MOST_ENTRIES
            && let Some(oldest) = self
                .0
                .iter()
                .min_by_key(|(_, failures)| failures.last)
                .map(|(key, _)| key.clone())
        {
            self.0.remove(&oldest);
        }
        let failures = self.0.entry(key).or_insert(Failures {
            count: 0,
            last: now,
        });
        if now.saturating_duration_since(failures.last) >= MEMORY {
            failures.count = 0;
        }
        failures.count += 1;
        failures.last = now;
    }
}

/// Whoever has one IPv6 address has its whole /64.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "10.0.0.1";

    fn at(address: &str) -> IpAddr {
        address.parse().unwrap()
    }

    #[test]
    fn five_failures_are_free_and_then_the_wait_doubles() {
        let throttle = Throttle::default();
        let now = Instant::now();
        for _ in 0..FREE_PER_ACCOUNT {
            assert_eq!(throttle.wait("admin", at(HERE), now), None);
            throttle.failed("admin", at(HERE), now);
        }
        assert_eq!(
            throttle.wait("admin", at(HERE), now),
            Some(Duration::from_secs(1))
        );
        throttle.failed("admin", at(HERE), now);
        assert_eq!(
            throttle.wait("admin", at(HERE), now),
            Some(Duration::from_secs(2))
        );
        assert_eq!(
            throttle.wait("admin", at(HERE), now + Duration::from_secs(2)),
            None
        );
        for _ in 0..50 {
            throttle.failed("admin", at(HERE), now);
        }
        assert_eq!(throttle.wait("admin", at(HERE), now), Some(LONGEST_WAIT));
    }

    #[test]
    fn the_owner_elsewhere_is_not_locked_out() {
        let throttle = Throttle::default();
        let now = Instant::now();
        for _ in 0..100 {
            throttle.failed("admin", at(HERE), now);
        }
        assert_eq!(throttle.wait("admin", at("10.0.0.2"), now), None);
    }

    #[test]
    fn one_address_cannot_try_many_accounts() {
        let throttle = Throttle::default();
        let now = Instant::now();
        for number in 0..FREE_PER_ADDRESS {
            throttle.failed(&number.to_string(), at("2001:db8::1"), now);
        }
        assert!(throttle.wait("fresh", at("2001:db8::2"), now).is_some());
        assert!(throttle.wait("fresh", at("2001:db8:0:1::1"), now).is_none());
    }

    #[test]
    fn success_clears_and_time_forgets() {
        let throttle = Throttle::default();
        let now = Instant::now();
        for _ in 0..10 {
            throttle.failed("admin", at(HERE), now);
        }
        throttle.succeeded("admin", at(HERE));
        assert_eq!(throttle.wait("admin", at(HERE), now), None);
        for _ in 0..10 {
            throttle.failed("admin", at(HERE), now);
        }
        throttle.failed("admin", at(HERE), now + MEMORY);
        assert_eq!(throttle.wait("admin", at(HERE), now + MEMORY), None);
    }
}
