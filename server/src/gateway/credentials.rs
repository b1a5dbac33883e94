//! Which of a provider's credentials is used: the first that was not refused just now.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use http::HeaderValue;
use tokio::time::Instant;
use uuid::Uuid;

/// A credential, ready for its header.
#[derive(Clone, Debug)]
pub struct Credential {
    /// Marked sensitive, so that no log shows it.
    pub value: HeaderValue,
    pub rest: Arc<Rest>,
}

/// How long a credential is left alone. Outlives snapshots.
#[derive(Debug, Default)]
pub struct Rest {
    until: Mutex<Option<Instant>>,
}

/// The rests of all credentials, by their id.
#[derive(Debug, Default)]
pub struct Rests {
    by_id: Mutex<HashMap<Uuid, Weak<Rest>>>,
}

impl Rests {
    pub fn of(&self, credential: Uuid) -> Arc<Rest> {
        let mut rests = self.by_id.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = rests.get(&credential).and_then(Weak::upgrade) {
            return known;
        }
        rests.retain(|_, rest| rest.strong_count() > 0);
        let rest = Arc::default();
        rests.insert(credential, Arc::downgrade(&rest));
        rest
    }
}

impl Rest {
    /// It was refused: others go first for so long.
    pub fn begin(&self, duration: Duration) {
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        *until = Some(Instant::now() + duration);
    }

    /// Until when it rests, if it does.
    fn until(&self, now: Instant) -> Option<Instant> {
        let until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.filter(|end| *end > now)
    }
}

/// The credentials to try, in their order. When all rest, the one that rests least.
pub fn rested(credentials: &[Credential]) -> Vec<&Credential> {
    let now = Instant::now();
    let ready: Vec<&Credential> = credentials
        .iter()
        .filter(|credential| credential.rest.until(now).is_none())
        .collect();
    if !ready.is_empty() {
        return ready;
    }
    credentials
        .iter()
        .min_by_key(|credential| credential.rest.until(now))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_refused_credential_rests_and_comes_back() {
        let rests = Rests::default();
        let credentials = [1_u16, 2].map(|id| Credential {
            value: HeaderValue::from(id),
            rest: rests.of(Uuid::from_u128(id.into())),
        });
        let order = || -> Vec<&str> {
            let rested = rested(&credentials);
            rested
                .iter()
                .map(|one| one.value.to_str().unwrap())
                .collect()
        };
        assert_eq!(order(), ["1", "2"]);
        // As another snapshot would find it.
        rests.of(Uuid::from_u128(1)).begin(Duration::from_secs(30));
        assert_eq!(order(), ["2"]);
        tokio::time::advance(Duration::from_secs(10)).await;
        credentials[1].rest.begin(Duration::from_secs(30));
        assert_eq!(order(), ["1"], "all rest, this one least");
        tokio::time::advance(Duration::from_secs(20)).await;
        assert_eq!(order(), ["1"]);
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(order(), ["1", "2"]);
        assert!(rested(&[]).is_empty());
    }
}
