//! Rankings: all candidates of a request, and why they stand where they stand.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One candidate at its place. In a list the best comes first; those with `left_out` come last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Ranked {
    /// `provider/model`
    pub target: String,
    /// The instance's base URL in its normal form.
    pub instance: String,
    /// Σ weight × share over `scorers`; null when it was not rated.
    pub total: Option<f64>,
    /// What each scorer brought to the total: `session_affinity`, `least_inflight`,
    /// `decision_service`. A scorer that abstained is not in it.
    pub scorers: BTreeMap<String, Part>,
    /// Requests that were under way there as it was ranked.
    #[serde(default)]
    pub inflight: u32,
    /// Why no request goes there for now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// One scorer's part of a total.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Part {
    /// Of 1, before weighting.
    pub share: f64,
    /// The scorer's weight; for the decision service times its confidence.
    pub weight: f64,
}
