//! Routes that are valid because they were built.

use serde::{Deserialize, Serialize};

use crate::check;
use crate::draft::{RouteDraft, TargetDraft};
use crate::field_errors::FieldErrors;
use crate::name;
use crate::problem::Problem;
use crate::retry::Retry;
use crate::settings::PolicySettings;
use crate::target::{Fallback, MOST_TARGETS, Target, check_fallbacks, check_targets};

const MOST_DESCRIPTION: usize = 2_000;

/// A public model name, where its requests may go, and how it decides. There is no way to one but
/// through the checks of `Route::try_from`: what is stored comes back as a draft too.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    name: String,
    description: String,
    enabled: bool,
    targets: Vec<Target>,
    fallbacks: Vec<Fallback>,
    policy: PolicySettings,
    route_by: RouteBy,
    retry: Retry,
    keep_alive: bool,
    keep_bodies: bool,
}

impl Route {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn description(&self) -> &str {
        &self.description
    }

    pub fn enabled(&self) -> bool {
        self.enabled
    }

    /// At least one.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// In the order in which they are tried.
    pub fn fallbacks(&self) -> &[Fallback] {
        &self.fallbacks
    }

    pub fn policy(&self) -> &PolicySettings {
        &self.policy
    }

    pub fn route_by(&self) -> RouteBy {
        self.route_by
    }

    pub fn retry(&self) -> &Retry {
        &self.retry
    }

    /// Whether a stream is kept open with comments while its upstream is silent.
    pub fn keep_alive(&self) -> bool {
        self.keep_alive
    }

    /// Whether what is asked and answered is kept with the records of its requests.
    pub fn keep_bodies(&self) -> bool {
        self.keep_bodies
    }
}

/// How a route decides; derived from its weights and scorers, never typed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RouteBy {
    /// No weights and no scorer: targets in turn.
    RoundRobin,
    /// A weight on every target: each gets its share.
    TargetWeight,
    /// At least one scorer: the best total.
    Policy,
}

/// Finds everything that is wrong, not only the first thing.
impl TryFrom<&RouteDraft> for Route {
    type Error = FieldErrors;

    fn try_from(draft: &RouteDraft) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        if let Err(problem) = name::check(&draft.name) {
            errors.insert("name", problem);
        }
        check::bounded(
            &draft.description,
            MOST_DESCRIPTION,
            "description",
            &mut errors,
        );
        let targets = check_targets(&draft.targets, &mut errors);
        let fallbacks = check_fallbacks(&draft.fallbacks, &mut errors);
        let models: Vec<&str> = targets.iter().map(Target::model).collect();
        let policy = PolicySettings::check(&draft.policy, &models, &mut errors);
        let route_by = check_route_by(&draft.targets, &policy, &mut errors);
        let retry = Retry::check(&draft.retry, &mut errors);
        if errors.is_empty() {
            Ok(Self {
                name: draft.name.clone(),
                description: draft.description.clone(),
                enabled: draft.enabled,
                targets,
                fallbacks,
                policy,
                route_by,
                retry,
                keep_alive: draft.keep_alive,
                keep_bodies: draft.keep_bodies,
            })
        } else {
            Err(errors)
        }
    }
}

impl TryFrom<RouteDraft> for Route {
    type Error = FieldErrors;

    fn try_from(draft: RouteDraft) -> Result<Self, FieldErrors> {
        Self::try_from(&draft)
    }
}

/// Target weights and scorers are two answers to one question, so both at once are refused.
fn check_route_by(
    drafts: &[TargetDraft],
    policy: &PolicySettings,
    errors: &mut FieldErrors,
) -> RouteBy {
    let scorers = policy.scorers();
    if scorers.is_empty() {
        let weighted = drafts.iter().any(|draft| draft.weight.is_some());
        return match weighted {
            true => RouteBy::TargetWeight,
            false => RouteBy::RoundRobin,
        };
    }
    let mut weighted = false;
    for (index, draft) in drafts.iter().take(MOST_TARGETS).enumerate() {
        if draft.weight.is_some() {
            weighted = true;
            let scorers = scorers.clone();
            errors.insert(
                format!("targets[{index}].weight"),
                Problem::WeightBesideScorers { scorers },
            );
        }
    }
    if weighted {
        for scorer in scorers {
            errors.insert(scorer.path(), Problem::ScorerBesideWeights);
        }
    }
    RouteBy::Policy
}

/// Back into what an editor shows and a store keeps, without a revision.
impl From<Route> for RouteDraft {
    fn from(route: Route) -> Self {
        Self {
            revision: None,
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

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
