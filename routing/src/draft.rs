//! What a form or a JSON body says of a route, before anybody has checked it.
//!
//! Reading is lenient where a person would be: unknown fields are ignored, so that what a read gave
//! can be written back; a field that is missing or `null` takes its default; and a default that
//! cannot stand, such as a blank name, is for `Route::try_from` to name.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

/// A route as written by a person or a program. Every field may be wrong;
/// `Route::try_from` says which and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct RouteDraft {
    /// The revision this edit started from; required when an existing route is written.
    pub revision: Option<i64>,
    /// Letters, digits and `_ . : / @ + -`, beginning and ending with a letter or a digit; at most
    /// 255 characters.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub name: String,
    #[serde(deserialize_with = "null_is_default")]
    pub description: String,
    #[serde(deserialize_with = "null_is_yes")]
    pub enabled: bool,
    /// At least one.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub targets: Vec<TargetDraft>,
    #[serde(deserialize_with = "null_is_default")]
    pub fallbacks: Vec<FallbackDraft>,
    #[serde(deserialize_with = "null_is_default")]
    pub policy: PolicyDraft,
    #[serde(deserialize_with = "null_is_default")]
    pub retry: RetryDraft,
    /// Whether a stream is kept open with a comment every 15 seconds while its upstream is silent.
    #[serde(deserialize_with = "null_is_yes")]
    pub keep_alive: bool,
    /// Whether what is asked and answered is kept with the records of its requests.
    pub keep_bodies: bool,
}

impl Default for RouteDraft {
    fn default() -> Self {
        Self {
            revision: None,
            name: String::new(),
            description: String::new(),
            enabled: true,
            targets: Vec::new(),
            fallbacks: Vec::new(),
            policy: PolicyDraft::default(),
            retry: RetryDraft::default(),
            keep_alive: true,
            keep_bodies: false,
        }
    }
}

/// One (provider, model) pair that the route may choose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct TargetDraft {
    /// Kept from a read so that the target keeps its identity; new when absent.
    pub id: Option<Uuid>,
    /// The provider's name or id.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub provider: String,
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub model: String,
    /// A whole number from 1 to 1,000,000; on every target or on none.
    pub weight: Option<f64>,
    #[serde(deserialize_with = "null_is_yes")]
    pub enabled: bool,
}

impl Default for TargetDraft {
    fn default() -> Self {
        Self {
            id: None,
            provider: String::new(),
            model: String::new(),
            weight: None,
            enabled: true,
        }
    }
}

/// A (provider, model) pair that is tried, in order, when no target is left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct FallbackDraft {
    /// The provider's name or id.
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub provider: String,
    #[serde(deserialize_with = "null_is_default")]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub model: String,
}

/// What follows a failed attempt. What never answers is always tried again elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct RetryDraft {
    /// How many candidates are tried in all, fallbacks not counted: from 1 to 10; 2 when absent.
    pub attempts: Option<f64>,
    /// Of 401, 403, 404, 408, 409, 425, 429 and 500 to 599, the answers after which the next is tried;
    /// 429, 502, 503 and 504 when absent.
    pub statuses: Option<Vec<u16>>,
}

/// The scorers of Route By Policy. An omitted scorer is off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct PolicyDraft {
    pub session_affinity: Option<SessionAffinityDraft>,
    pub least_inflight: Option<LeastInflightDraft>,
    pub decision_service: Option<DecisionServiceDraft>,
}

/// A scorer that is written is on unless it says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct SessionAffinityDraft {
    #[serde(deserialize_with = "null_is_yes")]
    pub enabled: bool,
    /// A positive number, at most 1,000,000; 1 when absent.
    pub weight: Option<f64>,
    /// Ends of the paths on which body keys count; `*` means every path.
    pub body_paths: Option<Vec<String>>,
    /// Where a session key is looked for; the first that is present wins.
    pub keys: Option<Vec<SessionKeyDraft>>,
}

impl Default for SessionAffinityDraft {
    fn default() -> Self {
        Self {
            enabled: true,
            weight: None,
            body_paths: None,
            keys: None,
        }
    }
}

/// Exactly one of the two is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct SessionKeyDraft {
    /// A request header's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// A dotted path into the JSON body, such as `metadata.user_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// A scorer that is written is on unless it says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct LeastInflightDraft {
    #[serde(deserialize_with = "null_is_yes")]
    pub enabled: bool,
    /// A positive number, at most 1,000,000; 1 when absent.
    pub weight: Option<f64>,
}

impl Default for LeastInflightDraft {
    fn default() -> Self {
        Self {
            enabled: true,
            weight: None,
        }
    }
}

/// A scorer that is written is on unless it says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct DecisionServiceDraft {
    #[serde(deserialize_with = "null_is_yes")]
    pub enabled: bool,
    /// A positive number, at most 1,000,000; 10 when absent.
    pub weight: Option<f64>,
    /// Name or id of a provider of kind `decision`.
    pub provider: Option<String>,
    pub model: Option<String>,
    /// The question that is asked; a sensible one when blank.
    #[serde(deserialize_with = "null_is_default")]
    pub instructions: String,
    /// What each target model is good at, by model name; at least two.
    #[serde(deserialize_with = "null_is_default")]
    pub criteria: BTreeMap<String, String>,
    /// 100 to 30,000 milliseconds; 3,000 when absent.
    pub timeout_ms: Option<u64>,
}

impl Default for DecisionServiceDraft {
    fn default() -> Self {
        Self {
            enabled: true,
            weight: None,
            provider: None,
            model: None,
            instructions: String::new(),
            criteria: BTreeMap::new(),
            timeout_ms: None,
        }
    }
}

fn null_is_default<'de, D, T>(json: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::deserialize(json).map(Option::unwrap_or_default)
}

fn null_is_yes<'de, D: Deserializer<'de>>(json: D) -> Result<bool, D::Error> {
    Option::deserialize(json).map(|said| said.unwrap_or(true))
}
