//! Least Inflight Request: the idlest instance.

use serde::{Deserialize, Serialize};

use super::{ScorerName, scorer_weight};
use crate::draft::LeastInflightDraft;
use crate::field_errors::FieldErrors;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LeastInflight {
    pub enabled: bool,
    pub weight: f64,
}

impl LeastInflight {
    const WEIGHT: f64 = 1.0;

    pub(super) fn check(draft: &LeastInflightDraft, errors: &mut FieldErrors) -> Self {
        Self {
            enabled: draft.enabled,
            weight: scorer_weight(
                draft.weight,
                Self::WEIGHT,
                ScorerName::LeastInflight,
                errors,
            ),
        }
    }
}

/// Off, with the values it has when switched on.
impl Default for LeastInflight {
    fn default() -> Self {
        Self {
            enabled: false,
            weight: Self::WEIGHT,
        }
    }
}

impl From<LeastInflight> for LeastInflightDraft {
    fn from(settings: LeastInflight) -> Self {
        Self {
            enabled: settings.enabled,
            weight: Some(settings.weight),
        }
    }
}
