//! Decision Service Routing: who is asked which model fits, and what it is told of the models.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ScorerName, scorer_weight};
use crate::check;
use crate::draft::DecisionServiceDraft;
use crate::field_errors::FieldErrors;
use crate::problem::{Needed, Problem};
use crate::target::{MOST_MODEL, MOST_PROVIDER, MOST_TARGETS};

const MOST_INSTRUCTIONS: usize = 10_000;
const MOST_CRITERION: usize = 2_000;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DecisionService {
    pub enabled: bool,
    pub weight: f64,
    /// The decision provider's name or id as written; its name when read back.
    pub provider: Option<String>,
    pub model: Option<String>,
    pub instructions: String,
    /// What each target model is good at, by model name.
    pub criteria: BTreeMap<String, String>,
    pub timeout_ms: u64,
}

impl DecisionService {
    const WEIGHT: f64 = 10.0;
    const TIMEOUT_MS: u64 = 3_000;

    pub(super) fn check(
        draft: &DecisionServiceDraft,
        models: &[&str],
        errors: &mut FieldErrors,
    ) -> Self {
        let scorer = ScorerName::DecisionService;
        let at = scorer.path();
        let settings = Self {
            enabled: draft.enabled,
            weight: scorer_weight(draft.weight, Self::WEIGHT, scorer, errors),
            provider: trimmed(draft.provider.as_deref()),
            model: trimmed(draft.model.as_deref()),
            instructions: draft.instructions.clone(),
            criteria: draft.criteria.clone(),
            timeout_ms: draft.timeout_ms.unwrap_or(Self::TIMEOUT_MS),
        };
        settings.check_sizes(at, errors);
        if settings.enabled {
            settings.check_service(at, errors);
            settings.check_criteria(at, models, errors);
        }
        settings
    }

    /// The criteria that are sent for a request: those of live models. Nothing when fewer than two are
    /// left, for then there is nothing to decide.
    pub fn options<'a>(
        &'a self,
        live_models: impl IntoIterator<Item = &'a str>,
    ) -> Option<BTreeMap<&'a str, &'a str>> {
        let options: BTreeMap<&str, &str> = live_models
            .into_iter()
            .filter_map(|model| Some((model, self.criteria.get(model)?.as_str())))
            .collect();
        (options.len() >= 2).then_some(options)
    }

    fn check_sizes(&self, at: &str, errors: &mut FieldErrors) {
        for (field, text, most) in [
            ("provider", self.provider.as_deref(), MOST_PROVIDER),
            ("model", self.model.as_deref(), MOST_MODEL),
            (
                "instructions",
                Some(self.instructions.as_str()),
                MOST_INSTRUCTIONS,
            ),
        ] {
            let text = text.unwrap_or_default();
            check::bounded(text, most, &format!("{at}.{field}"), errors);
        }
        let criteria = format!("{at}.criteria");
        let found = self.criteria.len();
        if found > MOST_TARGETS {
            let most = MOST_TARGETS;
            errors.insert(criteria.as_str(), Problem::TooMany { most, found });
        }
        for (model, text) in self.criteria.iter().take(MOST_TARGETS) {
            check::bounded(model, MOST_MODEL, &criteria, errors);
            check::bounded(text, MOST_CRITERION, &format!("{criteria}.{model}"), errors);
        }
        if !(100..=30_000).contains(&self.timeout_ms) {
            errors.insert(
                format!("{at}.timeout_ms"),
                Problem::Timeout(self.timeout_ms),
            );
        }
    }

    fn check_service(&self, at: &str, errors: &mut FieldErrors) {
        for (field, text, needed) in [
            ("provider", &self.provider, Needed::DecisionService),
            ("model", &self.model, Needed::DecisionModel),
        ] {
            if text.is_none() {
                errors.insert(format!("{at}.{field}"), Problem::Blank(needed));
            }
        }
    }

    fn check_criteria(&self, at: &str, models: &[&str], errors: &mut FieldErrors) {
        let criteria = format!("{at}.criteria");
        let found = self.criteria.len();
        if found < 2 {
            errors.insert(criteria.as_str(), Problem::TooFewCriteria { found });
        }
        for (model, text) in self.criteria.iter().take(MOST_TARGETS) {
            let path = format!("{criteria}.{model}");
            if !models.contains(&model.as_str()) {
                errors.insert(path.as_str(), Problem::NoTargetHasModel);
            }
            if text.trim().is_empty() {
                errors.insert(path, Problem::Blank(Needed::Criterion));
            }
        }
    }
}

fn trimmed(text: Option<&str>) -> Option<String> {
    text.map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

/// Off, with the values it has when switched on.
impl Default for DecisionService {
    fn default() -> Self {
        Self {
            enabled: false,
            weight: Self::WEIGHT,
            provider: None,
            model: None,
            instructions: String::new(),
            criteria: BTreeMap::new(),
            timeout_ms: Self::TIMEOUT_MS,
        }
    }
}

impl From<DecisionService> for DecisionServiceDraft {
    fn from(settings: DecisionService) -> Self {
        Self {
            enabled: settings.enabled,
            weight: Some(settings.weight),
            provider: settings.provider,
            model: settings.model,
            instructions: settings.instructions,
            criteria: settings.criteria,
            timeout_ms: Some(settings.timeout_ms),
        }
    }
}
