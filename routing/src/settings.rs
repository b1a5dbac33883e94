//! Every scorer with its settings, switched on or not: what a checked `PolicyDraft` becomes, what is
//! stored, and what reads back.
//!
//! A scorer that is off keeps what was typed, so that switching it on again brings it back; only its
//! sizes and numbers are checked. A scorer that is on must make sense as a whole.

mod decision_service;
mod least_inflight;
mod session_affinity;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::draft::PolicyDraft;
use crate::field_errors::FieldErrors;
use crate::problem::Problem;

pub use decision_service::DecisionService;
pub use least_inflight::LeastInflight;
pub use session_affinity::SessionAffinity;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PolicySettings {
    pub session_affinity: SessionAffinity,
    pub least_inflight: LeastInflight,
    pub decision_service: DecisionService,
}

impl PolicySettings {
    /// The scorers that are on; none means that the route does not decide by Policy.
    pub fn scorers(&self) -> Vec<ScorerName> {
        self.weights().map(|(name, _)| name).collect()
    }

    /// The scorers that are on, each with its weight, in the order of their names.
    pub(crate) fn weights(&self) -> impl Iterator<Item = (ScorerName, f64)> {
        let affinity = &self.session_affinity;
        let inflight = &self.least_inflight;
        let decision = &self.decision_service;
        [
            (
                ScorerName::SessionAffinity,
                affinity.enabled,
                affinity.weight,
            ),
            (ScorerName::LeastInflight, inflight.enabled, inflight.weight),
            (
                ScorerName::DecisionService,
                decision.enabled,
                decision.weight,
            ),
        ]
        .into_iter()
        .filter_map(|(name, enabled, weight)| enabled.then_some((name, weight)))
    }

    /// `models` are the targets' models, which criteria must name. Problems go to `errors`, and what
    /// comes back counts only if there are none.
    pub(crate) fn check(
        draft: &PolicyDraft,
        models: &[&str],
        errors: &mut FieldErrors,
    ) -> PolicySettings {
        let PolicyDraft {
            session_affinity,
            least_inflight,
            decision_service,
        } = draft;
        PolicySettings {
            session_affinity: session_affinity
                .as_ref()
                .map(|draft| SessionAffinity::check(draft, errors))
                .unwrap_or_default(),
            least_inflight: least_inflight
                .as_ref()
                .map(|draft| LeastInflight::check(draft, errors))
                .unwrap_or_default(),
            decision_service: decision_service
                .as_ref()
                .map(|draft| DecisionService::check(draft, models, errors))
                .unwrap_or_default(),
        }
    }
}

/// Back into what an editor shows.
impl From<PolicySettings> for PolicyDraft {
    fn from(settings: PolicySettings) -> Self {
        Self {
            session_affinity: Some(settings.session_affinity.into()),
            least_inflight: Some(settings.least_inflight.into()),
            decision_service: Some(settings.decision_service.into()),
        }
    }
}

/// A scorer as the pages name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScorerName {
    SessionAffinity,
    LeastInflight,
    DecisionService,
}

impl ScorerName {
    pub const ALL: [Self; 3] = [
        Self::SessionAffinity,
        Self::LeastInflight,
        Self::DecisionService,
    ];

    /// Path of its settings within a route.
    pub fn path(self) -> &'static str {
        match self {
            Self::SessionAffinity => "policy.session_affinity",
            Self::LeastInflight => "policy.least_inflight",
            Self::DecisionService => "policy.decision_service",
        }
    }

    /// As JSON names it.
    pub fn key(self) -> &'static str {
        match self {
            Self::SessionAffinity => "session_affinity",
            Self::LeastInflight => "least_inflight",
            Self::DecisionService => "decision_service",
        }
    }
}

impl fmt::Display for ScorerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SessionAffinity => "Session Affinity",
            Self::LeastInflight => "Least Inflight Request",
            Self::DecisionService => "Decision Service Routing",
        })
    }
}

const MOST_SCORER_WEIGHT: f64 = 1_000_000.0;

/// A scorer's weight: positive and finite, fractions meaningful.
fn scorer_weight(
    typed: Option<f64>,
    default: f64,
    scorer: ScorerName,
    errors: &mut FieldErrors,
) -> f64 {
    let weight = typed.unwrap_or(default);
    // NaN fails both comparisons.
    if !(weight > 0.0 && weight <= MOST_SCORER_WEIGHT) {
        errors.insert(
            format!("{}.weight", scorer.path()),
            Problem::ScorerWeight(weight),
        );
    }
    weight
}
