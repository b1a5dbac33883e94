//! Routes as the management API and the pages see them.

use chrono::{DateTime, Utc};
use routing::{FallbackDraft, PolicySettings, Retry, RouteBy, RouteDraft, TargetDraft};
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
    /// What follows a failed attempt.
    pub retry: Retry,
    /// Whether a stream is kept open with a comment every 15 seconds while its upstream is silent.
    pub keep_alive: bool,
    /// Whether what is asked and answered is kept with the records of its requests, sealed, for some days.
    pub keep_bodies: bool,
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

/// What is there, as an edit begins: with its revision and the identities of its targets.
impl From<Route> for RouteDraft {
    fn from(route: Route) -> Self {
        Self {
            revision: Some(route.revision),
            name: route.name,
            description: route.description,
            enabled: route.enabled,
            targets: route.targets.into_iter().map(Into::into).collect(),
            fallbacks: route.fallbacks.into_iter().map(Into::into).collect(),
            policy: route.policy.into(),
            retry: route.retry.into(),
            keep_alive: route.keep_alive,
            keep_bodies: route.keep_bodies,
        }
    }
}

impl From<Target> for TargetDraft {
    fn from(target: Target) -> Self {
        Self {
            id: Some(target.id),
            provider: target.provider,
            model: target.model,
            weight: target.weight.map(f64::from),
            enabled: target.enabled,
        }
    }
}

impl From<Fallback> for FallbackDraft {
    fn from(fallback: Fallback) -> Self {
        Self {
            provider: fallback.provider,
            model: fallback.model,
        }
    }
}
