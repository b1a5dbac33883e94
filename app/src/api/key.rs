//! API keys as the management API and the pages see them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Call routes under `/v1`.
    Inference,
    /// Call `/api/v1`.
    Management,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Key {
    pub id: Uuid,
    pub name: String,
    /// The public part, `sb_` and eight characters; the secret is not stored.
    pub prefix: String,
    pub scopes: Vec<Scope>,
    /// Names of the routes it may use; none means all.
    pub routes: Vec<String>,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub last_used_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct KeyDraft {
    pub name: String,
    #[serde(default = "inference")]
    pub scopes: Vec<Scope>,
    /// Names or ids of the routes it may use; none means all.
    #[serde(default)]
    pub routes: Vec<String>,
    /// Seconds from now; never when null.
    #[serde(default)]
    pub expires_in_s: Option<i64>,
}

fn inference() -> Vec<Scope> {
    vec![Scope::Inference]
}

/// The answer to a create, the only one that holds the secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct NewKey {
    #[serde(flatten)]
    pub about: Key,
    /// `sb_<8 public>_<32 secret>`; shown once.
    pub key: String,
}
