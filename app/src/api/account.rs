//! The signed-in person: password and sessions; and the server they are signed in to.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// A live session of the signed-in person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Names the session for ending it; is not what the cookie holds.
    pub id: String,
    pub created_at: DateTime<Utc>,
    pub last_seen_at: DateTime<Utc>,
    /// When it ends in any case.
    pub expires_at: DateTime<Utc>,
    pub address: String,
    /// What the browser says it is.
    pub user_agent: String,
    /// Whether it is the one that asks.
    pub current: bool,
}

/// A new password, with the old one to prove who asks.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasswordChange {
    pub current: String,
    pub new: String,
}

impl std::fmt::Debug for PasswordChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PasswordChange(…)")
    }
}

/// What runs here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    pub version: String,
    /// `sqlite` or `postgres`.
    pub database: String,
}
