//! Which of a provider's credentials is used: the first that was not refused just now.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use tokio::time::Instant;
use uuid::Uuid;

use crate::weak_map::WeakMap;

/// How long a credential that was refused is left alone, where the upstream does not say.
pub const REST: Duration = Duration::from_secs(30);
/// The longest that an upstream can ask for.
const LONGEST_REST: Duration = Duration::from_secs(60 * 60);

/// A credential, ready for its header.
#[derive(Clone, Debug)]
pub struct Credential {
    /// Marked sensitive, so that no log shows it.
    pub value: HeaderValue,
    /// The secret's last characters, for records.
    pub hint: Arc<str>,
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
    by_id: WeakMap<Uuid, Rest>,
}

impl Rests {
    pub fn of(&self, credential: Uuid) -> Arc<Rest> {
        self.by_id.get_or_insert_with(credential, Rest::default)
    }
}

impl Rest {
    /// It was refused: others go first for so long.
    pub fn begin(&self, duration: Duration) {
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        *until = Some(Instant::now() + duration);
    }

    /// Until when it rests, if it does.
    fn until(&self) -> Option<Instant> {
        let until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.filter(|end| *end > Instant::now())
    }
}

/// Whether an answer says that the credential is not taken, or asks too often.
pub fn is_refusal(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS
    )
}

/// For how long an answer asks its credential to be left alone.
pub fn rest_asked_by(status: StatusCode, headers: &HeaderMap, now: DateTime<Utc>) -> Duration {
    if status != StatusCode::TOO_MANY_REQUESTS {
        return REST;
    }
    let asked = headers.get(header::RETRY_AFTER);
    let text = asked.and_then(|value| value.to_str().ok()).map(str::trim);
    let Some(text) = text else { return REST };
    let rest = match text.parse::<u64>() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => DateTime::parse_from_rfc2822(text)
            .ok()
            .map(|until| (until.to_utc() - now).to_std().unwrap_or_default()),
    };
    rest.unwrap_or(REST).min(LONGEST_REST)
}

/// The credentials to try, in their order. When all rest, the one that rests least.
pub fn rested(credentials: &[Credential]) -> Vec<&Credential> {
    let ready: Vec<&Credential> = credentials
        .iter()
        .filter(|credential| credential.rest.until().is_none())
        .collect();
    if !ready.is_empty() {
        return ready;
    }
    credentials
        .iter()
        .min_by_key(|credential| credential.rest.until())
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_rests_as_long_as_its_refusal_says() {
        let now: DateTime<Utc> = "2026-11-29T12:00:00Z".parse().unwrap();
        let rest = |status: u16, retry_after: Option<&'static str>| {
            let retry_after = retry_after.map(HeaderValue::from_static);
            let headers = retry_after.map(|value| (header::RETRY_AFTER, value));
            let status = StatusCode::from_u16(status).unwrap();
            rest_asked_by(status, &headers.into_iter().collect(), now).as_secs()
        };
        let table = [
            (401, Some("5"), 30),
            (403, None, 30),
            (429, None, 30),
            (429, Some("5"), 5),
            (429, Some("0"), 0),
            (429, Some("Sun, 29 Nov 2026 12:00:20 GMT"), 20),
            (429, Some("Sun, 29 Nov 2026 11:00:00 GMT"), 0),
            (429, Some("soon"), 30),
            (429, Some("99999999999999999999"), 30),
            (429, Some("999999"), 3_600),
        ];
        for (status, retry_after, seconds) in table {
            assert_eq!(
                rest(status, retry_after),
                seconds,
                "{status} {retry_after:?}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_refused_credential_rests_and_comes_back() {
        let rests = Rests::default();
        let credentials = [1_u16, 2].map(|id| Credential {
            value: HeaderValue::from(id),
            hint: "".into(),
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
