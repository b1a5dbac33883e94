//! Sessions of people: an opaque cookie, stored as a hash, that ends by itself.

use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use app::error::{ApiError, ErrorCode};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use http::{HeaderMap, HeaderValue, header};
use ipnet::IpNet;
use uuid::Uuid;

use super::client_address::client_address;
use super::origin::Site;
use super::password::Passwords;
use super::throttle::Throttle;
use crate::store::{SessionRecord, Store};

/// A session that is not used for so long ends.
const IDLE: TimeDelta = TimeDelta::hours(24);
/// A session ends after so long in any case.
const ABSOLUTE: TimeDelta = TimeDelta::days(30);
/// Its last use is written no oftener than this.
const TOUCH: TimeDelta = TimeDelta::minutes(1);

const COOKIE: &str = "signalbox_session";
/// Behind TLS the browser itself guards that nobody but this host set it.
const COOKIE_TLS: &str = "__Host-signalbox_session";

/// Signs people in and out.
#[derive(Debug)]
pub struct Sessions {
    store: Store,
    passwords: Passwords,
    throttle: Throttle,
    secure: bool,
    trusted_proxies: Vec<IpNet>,
}

/// Somebody with a live session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    pub user_id: Uuid,
    pub username: String,
}

impl Sessions {
    pub fn new(store: Store, site: &Site, trusted_proxies: Vec<IpNet>) -> Self {
        Self {
            store,
            passwords: Passwords::default(),
            throttle: Throttle::default(),
            secure: site.is_https(),
            trusted_proxies,
        }
    }

    /// Checks the password; the answer is the `Set-Cookie` value.
    pub async fn sign_in(
        &self,
        username: String,
        password: String,
        peer: SocketAddr,
        headers: &HeaderMap,
    ) -> Result<HeaderValue, ApiError> {
        let address = client_address(peer, headers, &self.trusted_proxies);
        if let Some(wait) = self.throttle.wait(&username, address, Instant::now()) {
            let seconds = wait.as_secs().max(1);
            let mut error = ApiError::new(
                ErrorCode::Throttled,
                format!("Too many failed sign-ins from here. Try again in {seconds} s."),
            );
            error.retry_after_s = Some(seconds);
            return Err(error);
        }
        let user = self.store.user_by_name(&username).await?;
        let stored = user.as_ref().map(|user| user.password_hash.clone());
        let fits = self
            .passwords
            .verify(password, stored)
            .await
            .map_err(|error| ApiError::new(ErrorCode::Unavailable, error.to_string()))?;
        let Some(user) = user.filter(|_| fits) else {
            self.throttle.failed(&username, address, Instant::now());
            tracing::info!(%address, "sign-in failed");
            return Err(ApiError::new(
                ErrorCode::Unauthenticated,
                "The user name or the password is wrong.",
            ));
        };
        self.throttle.succeeded(&username, address);
        self.begin(user.id, address, headers).await
    }

    async fn begin(
        &self,
        user_id: Uuid,
        address: IpAddr,
        headers: &HeaderMap,
    ) -> Result<HeaderValue, ApiError> {
        let token = new_token()?;
        let now = Utc::now();
        let user_agent = headers
            .get(header::USER_AGENT)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        self.store
            .create_session(SessionRecord {
                token_hash: hash(&token).to_vec(),
                user_id,
                created_at: now,
                last_seen_at: now,
                expires_at: now + ABSOLUTE,
                address: address.to_string(),
                user_agent: user_agent.chars().take(256).collect(),
            })
            .await?;
        self.cookie(&token, ABSOLUTE)
    }

    /// Who the request's cookie belongs to; `None` when it has none that is alive.
    pub async fn signed_in(&self, headers: &HeaderMap) -> Result<Option<SignedIn>, ApiError> {
        let Some(token) = self.token(headers) else {
            return Ok(None);
        };
        let hash = hash(token);
        let Some((session, user)) = self.store.session_by_hash(&hash).await? else {
            return Ok(None);
        };
        let now = Utc::now();
        if !is_alive(&session, now) {
            return Ok(None);
        }
        // A read-only or full database must not sign anybody out.
        if now - session.last_seen_at >= TOUCH
            && let Err(error) = self.store.touch_session(&hash, now).await
        {
            tracing::warn!(%error, "could not note a session's use");
        }
        Ok(Some(SignedIn {
            user_id: user.id,
            username: user.name,
        }))
    }

    /// Ends the request's session; the answer is the `Set-Cookie` value that clears the cookie.
    pub async fn sign_out(&self, headers: &HeaderMap) -> Result<HeaderValue, ApiError> {
        if let Some(token) = self.token(headers) {
            self.store.delete_session(&hash(token)).await?;
        }
        self.cookie("", TimeDelta::zero())
    }

    /// Removes what ended by itself.
    pub async fn sweep(&self) {
        if let Err(error) = self.store.delete_expired_sessions(Utc::now()).await {
            tracing::warn!(%error, "could not remove ended sessions");
        }
    }

    fn cookie(&self, token: &str, age: TimeDelta) -> Result<HeaderValue, ApiError> {
        let (name, secure) = if self.secure {
            (COOKIE_TLS, "; Secure")
        } else {
            (COOKIE, "")
        };
        let text = format!(
            "{name}={token}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{secure}",
            age.num_seconds()
        );
        HeaderValue::try_from(text).map_err(|_| {
            ApiError::new(ErrorCode::Internal, "The session cookie could not be made.")
        })
    }

    fn token<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let name = if self.secure { COOKIE_TLS } else { COOKIE };
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
    }
}

fn is_alive(session: &SessionRecord, now: DateTime<Utc>) -> bool {
    now < session.expires_at && now - session.last_seen_at < IDLE
}

fn new_token() -> Result<String, ApiError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|_| {
        ApiError::new(
            ErrorCode::Internal,
            "The system gave no random bytes for a session.",
        )
    })?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The token has 256 random bits, so a fast hash is enough.
fn hash(token: &str) -> [u8; 32] {
    *blake3::hash(token.as_bytes()).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_when_idle_and_in_any_case() {
        let now = Utc::now();
        let session = |seen: TimeDelta, expires: TimeDelta| SessionRecord {
            token_hash: vec![],
            user_id: Uuid::nil(),
            created_at: now,
            last_seen_at: now - seen,
            expires_at: now + expires,
            address: String::new(),
            user_agent: String::new(),
        };
        assert!(is_alive(
            &session(TimeDelta::hours(23), TimeDelta::days(1)),
            now
        ));
        assert!(!is_alive(
            &session(TimeDelta::hours(24), TimeDelta::days(1)),
            now
        ));
        assert!(!is_alive(
            &session(TimeDelta::zero(), TimeDelta::zero()),
            now
        ));
    }

    #[test]
    fn tokens_differ_and_are_stored_hashed() {
        let (one, other) = (new_token().unwrap(), new_token().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), 43);
        assert_ne!(hash(&one).as_slice(), one.as_bytes());
    }
}
