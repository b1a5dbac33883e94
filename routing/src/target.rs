//! Where a request may go: the targets of a route, and its fallbacks.

use uuid::Uuid;

use crate::check;
use crate::draft::{FallbackDraft, TargetDraft};
use crate::field_errors::FieldErrors;
use crate::problem::{Needed, Problem};
use crate::weight::Weight;

pub(crate) const MOST_TARGETS: usize = 1_000;
pub(crate) const MOST_FALLBACKS: usize = 100;
pub(crate) const MOST_PROVIDER: usize = 255;
pub(crate) const MOST_MODEL: usize = 1_000;

/// A (provider, model) pair that the route may choose. Lives in a checked `Route` only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    id: Option<Uuid>,
    provider: String,
    model: String,
    weight: Option<Weight>,
    enabled: bool,
}

impl Target {
    /// Its identity once it was saved, which outlives edits.
    pub fn id(&self) -> Option<Uuid> {
        self.id
    }

    /// The provider's name or id as written, without white space around it.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    /// Set on every target of a route or on none.
    pub fn weight(&self) -> Option<Weight> {
        self.weight
    }

    /// A target that is off takes no traffic.
    pub fn enabled(&self) -> bool {
        self.enabled
    }
}

/// A (provider, model) pair that is tried, in order, when no target is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    provider: String,
    model: String,
}

impl Fallback {
    /// The provider's name or id as written, without white space around it.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    pub fn model(&self) -> &str {
        &self.model
    }
}

/// Problems go to `errors`, and what comes back counts only if there are none.
pub(crate) fn check_targets(drafts: &[TargetDraft], errors: &mut FieldErrors) -> Vec<Target> {
    if drafts.is_empty() {
        errors.insert("targets", Problem::NoTargets);
    }
    let drafts = check::few(drafts, MOST_TARGETS, "targets", errors);
    let weighted = drafts.iter().any(|draft| draft.weight.is_some());
    let mut targets = Vec::with_capacity(drafts.len());
    for (index, draft) in drafts.iter().enumerate() {
        let at = format!("targets[{index}]");
        let (provider, model) = check_pair(&draft.provider, &draft.model, &at, errors);
        targets.push(Target {
            id: draft.id,
            provider,
            model,
            weight: check_weight(draft.weight, weighted, &at, errors),
            enabled: draft.enabled,
        });
    }
    check_distinct_pairs(
        targets
            .iter()
            .map(|target| (&target.provider, &target.model)),
        "targets",
        errors,
    );
    check::distinct(
        targets.iter().map(|target| target.id),
        |index| format!("targets[{index}].id"),
        |earlier| Problem::SameIdAs { earlier },
        errors,
    );
    targets
}

/// Problems go to `errors`, and what comes back counts only if there are none. A fallback may be a
/// target too: it is skipped when it was already tried.
pub(crate) fn check_fallbacks(drafts: &[FallbackDraft], errors: &mut FieldErrors) -> Vec<Fallback> {
    let drafts = check::few(drafts, MOST_FALLBACKS, "fallbacks", errors);
    let mut fallbacks = Vec::with_capacity(drafts.len());
    for (index, draft) in drafts.iter().enumerate() {
        let at = format!("fallbacks[{index}]");
        let (provider, model) = check_pair(&draft.provider, &draft.model, &at, errors);
        fallbacks.push(Fallback { provider, model });
    }
    check_distinct_pairs(
        fallbacks
            .iter()
            .map(|fallback| (&fallback.provider, &fallback.model)),
        "fallbacks",
        errors,
    );
    fallbacks
}

fn check_pair(provider: &str, model: &str, at: &str, errors: &mut FieldErrors) -> (String, String) {
    let field = format!("{at}.provider");
    let provider = check::needed(provider, Needed::Provider, MOST_PROVIDER, &field, errors);
    let field = format!("{at}.model");
    let model = check::needed(model, Needed::Model, MOST_MODEL, &field, errors);
    (provider, model)
}

/// By text; whether a name and an id are the same provider is for who can look providers up.
fn check_distinct_pairs<'a>(
    pairs: impl Iterator<Item = (&'a String, &'a String)>,
    list: &str,
    errors: &mut FieldErrors,
) {
    check::distinct(
        pairs.map(|pair| (!pair.0.is_empty() && !pair.1.is_empty()).then_some(pair)),
        |index| format!("{list}[{index}].model"),
        |earlier| Problem::SameAs { earlier },
        errors,
    );
}

fn check_weight(
    typed: Option<f64>,
    weighted: bool,
    at: &str,
    errors: &mut FieldErrors,
) -> Option<Weight> {
    let checked = match typed {
        Some(number) => Weight::try_from(number).map(Some),
        None if weighted => Err(Problem::WeightMissing),
        None => Ok(None),
    };
    checked.unwrap_or_else(|problem| {
        errors.insert(format!("{at}.weight"), problem);
        None
    })
}

impl From<Target> for TargetDraft {
    fn from(target: Target) -> Self {
        Self {
            id: target.id,
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
