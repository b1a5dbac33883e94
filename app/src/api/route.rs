//! Routes as the management API and the pages see them.

use chrono::{DateTime, Utc};
use routing::{PolicySettings, RouteBy};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Route {
    pub id: Uuid,
    pub revision: i64,
    pub name: String,
    pub description: String,
    pub enabled: bool,
    pub targets: Vec<Target>,
    pub fallbacks: Vec<Fallback>,
    /// Every scorer with its settings, switched on or not.
    pub policy: PolicySettings,
    /// How the route decides; follows from weights and scorers.
    pub route_by: RouteBy,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Target {
    pub id: Uuid,
    /// The provider's name.
    pub provider: String,
    pub model: String,
    pub weight: Option<u32>,
    pub enabled: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Fallback {
    /// The provider's name.
    pub provider: String,
    pub model: String,
}
