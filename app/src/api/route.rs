//! Routes as the management API and the pages see them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use routing::{RouteBy, SessionKeyDraft};
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
    pub policy: Policy,
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

/// Every scorer with its settings, switched on or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Policy {
    pub session_affinity: SessionAffinity,
    pub least_inflight: LeastInflight,
    pub decision_service: DecisionService,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct SessionAffinity {
    pub enabled: bool,
    pub weight: f64,
    pub body_paths: Vec<String>,
    pub keys: Vec<SessionKeyDraft>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct LeastInflight {
    pub enabled: bool,
    pub weight: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct DecisionService {
    pub enabled: bool,
    pub weight: f64,
    /// The decision provider's name.
    pub provider: Option<String>,
    pub model: Option<String>,
    pub instructions: String,
    pub criteria: BTreeMap<String, String>,
    pub timeout_ms: u64,
}
