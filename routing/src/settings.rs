//! Every scorer with its settings, switched on or not: what a checked `PolicyDraft` becomes, what is
//! stored, and what reads back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::draft::SessionKeyDraft;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PolicySettings {
    pub session_affinity: SessionAffinity,
    pub least_inflight: LeastInflight,
    pub decision_service: DecisionService,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionAffinity {
    pub enabled: bool,
    pub weight: f64,
    pub body_paths: Vec<String>,
    pub keys: Vec<SessionKeyDraft>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LeastInflight {
    pub enabled: bool,
    pub weight: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DecisionService {
    pub enabled: bool,
    pub weight: f64,
    /// The decision provider's name or id as written; its name when read back.
    pub provider: Option<String>,
    pub model: Option<String>,
    pub instructions: String,
    pub criteria: BTreeMap<String, String>,
    pub timeout_ms: u64,
}
