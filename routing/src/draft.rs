//! What a form or a JSON body says of a route, before anybody has checked it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A route as written by a person or a program. Every field may be wrong;
/// `Route::try_from` says which and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RouteDraft {
    /// The revision this edit started from; required when an existing route is written.
    #[serde(default)]
    pub revision: Option<i64>,
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default = "yes")]
    pub enabled: bool,
    #[serde(default)]
    pub targets: Vec<TargetDraft>,
    #[serde(default)]
    pub fallbacks: Vec<FallbackDraft>,
    #[serde(default)]
    pub policy: PolicyDraft,
}

/// One (provider, model) pair that the route may choose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TargetDraft {
    /// Kept from a read so that the target keeps its identity; new when absent.
    #[serde(default)]
    pub id: Option<Uuid>,
    /// The provider's name or id.
    pub provider: String,
    pub model: String,
    /// A whole number from 1 to 1,000,000; on every target or on none.
    #[serde(default)]
    pub weight: Option<f64>,
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// A (provider, model) pair that is tried, in order, when no target is left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FallbackDraft {
    /// The provider's name or id.
    pub provider: String,
    pub model: String,
}

/// The scorers of Route By Policy. An omitted scorer is off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PolicyDraft {
    #[serde(default)]
    pub session_affinity: Option<SessionAffinityDraft>,
    #[serde(default)]
    pub least_inflight: Option<LeastInflightDraft>,
    #[serde(default)]
    pub decision_service: Option<DecisionServiceDraft>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionAffinityDraft {
    #[serde(default = "yes")]
    pub enabled: bool,
    /// A positive number; 1 when absent.
    #[serde(default)]
    pub weight: Option<f64>,
    /// Ends of the paths on which body keys count; `*` means every path.
    #[serde(default)]
    pub body_paths: Option<Vec<String>>,
    /// Where a session key is looked for; the first that is present wins.
    #[serde(default)]
    pub keys: Option<Vec<SessionKeyDraft>>,
}

/// Exactly one of the two is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionKeyDraft {
    /// A request header's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// A dotted path into the JSON body, such as `metadata.user_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LeastInflightDraft {
    #[serde(default = "yes")]
    pub enabled: bool,
    /// A positive number; 1 when absent.
    #[serde(default)]
    pub weight: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DecisionServiceDraft {
    #[serde(default = "yes")]
    pub enabled: bool,
    /// A positive number; 10 when absent.
    #[serde(default)]
    pub weight: Option<f64>,
    /// Name or id of a provider of kind `decision`.
    #[serde(default)]
    pub provider: Option<String>,
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub instructions: String,
    /// What each target model is good at, by model name.
    #[serde(default)]
    pub criteria: BTreeMap<String, String>,
    /// 100 to 30,000 milliseconds; 3,000 when absent.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
}

fn yes() -> bool {
    true
}
