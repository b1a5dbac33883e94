//! Routes that are valid because they were built.

use serde::{Deserialize, Serialize};

/// How a route decides; derived from its weights and scorers, never typed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RouteBy {
    RoundRobin,
    TargetWeight,
    Policy,
}
