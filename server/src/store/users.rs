//! People who sign in.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::dispatch::On;
use super::error::StoreError;
use super::{Store, is_text, now};

/// No `Debug`: the password hash belongs in no log.
#[derive(Clone, PartialEq, Eq)]
pub struct UserRecord {
    pub id: Uuid,
    pub name: String,
    pub password_hash: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

from_row!(UserRecord: id, name, password_hash, created_at, updated_at);

impl Store {
    pub async fn user_by_name(&self, name: &str) -> Result<Option<UserRecord>, StoreError> {
        if !is_text(name) {
            return Ok(None);
        }
        let mut db = self.connection().await?;
        fetch_optional!(
            &mut db,
            UserRecord,
            "SELECT id, name, password_hash, created_at, updated_at FROM users WHERE name = $1",
            name,
        )
    }

    /// Makes the first user; false, with nothing done, when there is any user already.
    pub async fn create_first_user(
        &self,
        name: &str,
        password_hash: &str,
    ) -> Result<bool, StoreError> {
        // As a change: two processes that start at once come one after the other.
        let mut change = self.change().await?;
        let created = execute!(
            &mut change.transaction,
            "INSERT INTO users (id, name, password_hash, created_at, updated_at)
             SELECT $1, $2, $3, $4, $4 WHERE NOT EXISTS (SELECT 1 FROM users)",
            Uuid::now_v7(),
            name,
            password_hash,
            now(),
        )?;
        if created > 0 {
            change.commit().await?;
        }
        Ok(created > 0)
    }

    /// Sets the password and, with it, ends every session of the user.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn set_password_hash(
        &self,
        user: Uuid,
        password_hash: &str,
    ) -> Result<(), StoreError> {
        let mut change = self.change().await?;
        let updated = execute!(
            &mut change.transaction,
            "UPDATE users SET password_hash = $2, updated_at = $3 WHERE id = $1",
            user,
            password_hash,
            now(),
        )?;
        if updated == 0 {
            return Err(StoreError::NotFound);
        }
        execute!(
            &mut change.transaction,
            "DELETE FROM sessions WHERE user_id = $1",
            user,
        )?;
        change.commit().await
    }
}
