//! Sessions of people: an opaque cookie, stored as a hash, that ends by itself.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use app::api::account::{PasswordChange, Session};
use app::error::{ApiError, ErrorCode};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use http::{HeaderMap, HeaderValue, header};
use ipnet::IpNet;
use uuid::Uuid;

use super::client_address::client_address;
use super::origin::Site;
use super::password::{self, PasswordError, Passwords};
use super::throttle::Throttle;
use crate::cookies;
use crate::store::{SessionRecord, Store, UserRecord};

/// A session that is not used for so long ends.
const IDLE: TimeDelta = TimeDelta::hours(24);
/// A session ends after so long in any case.
const ABSOLUTE: TimeDelta = TimeDelta::days(30);
/// Its last use is written no oftener than this.
const TOUCH: TimeDelta = TimeDelta::minutes(1);

const LONGEST_NAME: usize = 255;

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
    /// Of the session's token.
    token_hash: [u8; 32],
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
        match self.verified(&username, password, address).await? {
            Some(user) => self.begin(user.id, address, headers).await,
            None => Err(ApiError::new(
                ErrorCode::Unauthenticated,
                "The user name or the password is wrong.",
            )),
        }
    }

    /// The user whose password it is; `None` when name or password is wrong. Slows down guessing.
    async fn verified(
        &self,
        username: &str,
        password: String,
        address: IpAddr,
    ) -> Result<Option<UserRecord>, ApiError> {
        // Nobody has so long a name, and the throttle remembers names.
        let username: String = username.chars().take(LONGEST_NAME).collect();
        if let Some(wait) = self.throttle.wait(&username, address, Instant::now()) {
            return Err(throttled(wait));
        }
        // Counted before the check and cleared after it, so that tries at the same moment count too.
        self.throttle.failed(&username, address, Instant::now());
        let user = self.store.user_by_name(&username).await?;
        let stored = user.as_ref().map(|user| user.password_hash.clone());
        let fits = self.passwords.verify(password, stored).await?;
        if !fits {
            tracing::info!(%address, "a password did not fit");
            return Ok(None);
        }
        self.throttle.succeeded(&username, address);
        Ok(user)
    }

    /// A new password for the signed-in person. All sessions end; the answer is the `Set-Cookie` value
    /// of a new one.
    ///
    /// # Errors
    /// 422 at `current` and `new`, 429.
    pub async fn change_password(
        &self,
        who: &SignedIn,
        change: PasswordChange,
        peer: SocketAddr,
        headers: &HeaderMap,
    ) -> Result<HeaderValue, ApiError> {
        password::check_new(&change.new)
            .map_err(|problem| ApiError::invalid_field("new", problem))?;
        let address = client_address(peer, headers, &self.trusted_proxies);
        let Some(user) = self
            .verified(&who.username, change.current, address)
            .await?
        else {
            return Err(ApiError::invalid_field(
                "current",
                "This is not the present password.",
            ));
        };
        let hash = self.passwords.hash(change.new).await?;
        self.store.set_password_hash(user.id, &hash).await?;
        self.begin(user.id, address, headers).await
    }

    /// The person's live sessions, the last used first.
    pub async fn list(&self, who: &SignedIn) -> Result<Vec<Session>, ApiError> {
        let now = Utc::now();
        let records = self.store.sessions_of_user(who.user_id).await?;
        let live = records.into_iter().filter(|record| is_alive(record, now));
        Ok(live
            .map(|record| Session {
                id: URL_SAFE_NO_PAD.encode(&record.token_hash),
                created_at: record.created_at,
                last_seen_at: record.last_seen_at,
                expires_at: record.expires_at.min(record.last_seen_at + IDLE),
                current: record.token_hash == who.token_hash,
                address: record.address,
                user_agent: record.user_agent,
            })
            .collect())
    }

    /// Ends one session of the person.
    ///
    /// # Errors
    /// 404 when it is not theirs or has ended.
    pub async fn end(&self, who: &SignedIn, id: &str) -> Result<(), ApiError> {
        let hash = URL_SAFE_NO_PAD.decode(id).unwrap_or_default();
        let theirs = self.store.sessions_of_user(who.user_id).await?;
        if !theirs.iter().any(|record| record.token_hash == hash) {
            return Err(ApiError::new(
                ErrorCode::NotFound,
                "This session has ended already.",
            ));
        }
        Ok(self.store.delete_session(&hash).await?)
    }

    /// Ends all sessions of the person but the one that asks.
    pub async fn end_others(&self, who: &SignedIn) -> Result<(), ApiError> {
        self.store
            .delete_sessions_of_user(who.user_id, Some(&who.token_hash))
            .await?;
        Ok(())
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
            token_hash: hash,
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
        cookies::find(headers, name)
    }
}

fn throttled(wait: Duration) -> ApiError {
    let seconds = wait.as_secs().max(1);
    let mut error = ApiError::new(
        ErrorCode::Throttled,
        format!("Too many wrong passwords from here. Try again in {seconds} s."),
    );
    error.retry_after_s = Some(seconds);
    error
}

impl From<PasswordError> for ApiError {
    fn from(error: PasswordError) -> Self {
        let code = match error {
            PasswordError::Busy => ErrorCode::Unavailable,
            PasswordError::Failed => ErrorCode::Internal,
        };
        Self::new(code, error.to_string())
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
