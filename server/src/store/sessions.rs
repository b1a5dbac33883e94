//! Sessions of signed-in people, found by the hash of their cookie's token.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Store;
use super::dispatch::On;
use super::error::StoreError;
use super::users::UserRecord;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    pub token_hash: Vec<u8>,
    pub user_id: Uuid,
    pub created_at: DateTime<Utc>,
    pub last_seen_at: DateTime<Utc>,
    /// When it ends, however busy it is.
    pub expires_at: DateTime<Utc>,
    pub address: String,
    pub user_agent: String,
}

from_row!(
    SessionRecord: token_hash, user_id, created_at, last_seen_at, expires_at, address, user_agent
);

impl Store {
    pub async fn create_session(&self, session: SessionRecord) -> Result<(), StoreError> {
        let mut db = self.connection().await?;
        execute!(
            &mut db,
            "INSERT INTO sessions (token_hash, user_id, created_at, last_seen_at, expires_at, address,
                                   user_agent)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            session.token_hash,
            session.user_id,
            session.created_at,
            session.last_seen_at,
            session.expires_at,
            session.address,
            session.user_agent,
        )
        .map(drop)
    }

    /// The session, whether it has expired or not, and whose it is.
    pub async fn session_by_hash(
        &self,
        token_hash: &[u8],
    ) -> Result<Option<(SessionRecord, UserRecord)>, StoreError> {
        let mut db = self.connection().await?;
        let session = fetch_optional!(
            &mut db,
            SessionRecord,
            "SELECT token_hash, user_id, created_at, last_seen_at, expires_at, address, user_agent
               FROM sessions WHERE token_hash = $1",
            token_hash,
        )?;
        let Some(session) = session else {
            return Ok(None);
        };
        let user = fetch_optional!(
            &mut db,
            UserRecord,
            "SELECT id, name, password_hash, created_at, updated_at FROM users WHERE id = $1",
            session.user_id,
        )?;
        Ok(user.map(|user| (session, user)))
    }

    /// Notes that the session was used; never earlier than noted before.
    pub async fn touch_session(
        &self,
        token_hash: &[u8],
        last_seen_at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut db = self.connection().await?;
        execute!(
            &mut db,
            "UPDATE sessions SET last_seen_at = $2 WHERE token_hash = $1 AND last_seen_at < $2",
            token_hash,
            last_seen_at,
        )
        .map(drop)
    }

    /// Ends the session, if there is one.
    pub async fn delete_session(&self, token_hash: &[u8]) -> Result<(), StoreError> {
        let mut db = self.connection().await?;
        execute!(
            &mut db,
            "DELETE FROM sessions WHERE token_hash = $1",
            token_hash,
        )
        .map(drop)
    }

    /// Ends all sessions of the user, but for the one of this token where given.
    pub async fn delete_sessions_of_user(
        &self,
        user: Uuid,
        except: Option<&[u8]>,
    ) -> Result<u64, StoreError> {
        let mut db = self.connection().await?;
        execute!(
            &mut db,
            "DELETE FROM sessions WHERE user_id = $1 AND ($2 IS NULL OR token_hash <> $2)",
            user,
            except,
        )
    }

    /// The user's sessions, the one used last first.
    pub async fn sessions_of_user(&self, user: Uuid) -> Result<Vec<SessionRecord>, StoreError> {
        let mut db = self.connection().await?;
        fetch_all!(
            &mut db,
            SessionRecord,
            "SELECT token_hash, user_id, created_at, last_seen_at, expires_at, address, user_agent
               FROM sessions WHERE user_id = $1 ORDER BY last_seen_at DESC, token_hash",
            user,
        )
    }

    /// Removes what ended before `now` by its absolute end; answers how many.
    pub async fn delete_expired_sessions(&self, now: DateTime<Utc>) -> Result<u64, StoreError> {
        let mut db = self.connection().await?;
        execute!(&mut db, "DELETE FROM sessions WHERE expires_at <= $1", now,)
    }
}
