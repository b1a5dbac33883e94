//! What goes through routes and targets just now.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::instance::Instance;

/// One moment of it. Who is not in it had no requests for ten minutes and has none under way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Traffic {
    pub routes: Vec<RouteTraffic>,
    /// Instances that have requests under way, are not well, or were not.
    pub instances: Vec<Instance>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RouteTraffic {
    /// Its id.
    pub route: Uuid,
    pub all: Flow,
    pub targets: Vec<TargetTraffic>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TargetTraffic {
    /// `provider/model`
    pub target: String,
    /// Of the route's requests of the last ten minutes, from 0 to 1.
    pub share: f64,
    pub flow: Flow,
}

/// Requests as they come and go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Flow {
    /// Requests that ended within the last minute.
    pub per_minute: u32,
    /// Of these, the ones with a status of 400 or more.
    pub errors_per_minute: u32,
    /// Under way, over all routes.
    pub inflight: u32,
    /// Milliseconds to the first byte, as half of the latest requests took at most; null without any.
    pub p50_ms: Option<u32>,
    /// As 95 of 100 took at most.
    pub p95_ms: Option<u32>,
    /// Requests that ended in each ten seconds of the last ten minutes, the oldest first.
    pub steps: Vec<u32>,
}
