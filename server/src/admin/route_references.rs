//! Finds what a route refers to: providers by name or id, and models that they list.

use std::collections::HashMap;

use app::api::provider::ProviderKind;
use app::error::ApiError;
use routing::{Problem, Route};
use uuid::Uuid;

use super::fields::Fields;
use super::refusals::not_saved;
use crate::store::{Change, FallbackRecord, ProviderChoice, RouteRecord, TargetRecord};

/// The references of one route, within the change that will save it.
pub(super) struct References<'c> {
    change: &'c mut Change,
    found: HashMap<String, Option<ProviderChoice>>,
    fields: Fields,
}

impl<'c> References<'c> {
    pub(super) fn new(change: &'c mut Change) -> Self {
        Self {
            change,
            found: HashMap::new(),
            fields: Fields::default(),
        }
    }

    /// 422 if anything was not found.
    pub(super) fn finish(self) -> Result<(), ApiError> {
        self.fields.finish()
    }

    /// A target keeps its identity when the draft names it, or when it was the same model before.
    pub(super) async fn targets(
        &mut self,
        route: &Route,
        stored: Option<&RouteRecord>,
    ) -> Result<Vec<TargetRecord>, ApiError> {
        let mut targets: Vec<TargetRecord> = Vec::with_capacity(route.targets().len());
        for (index, target) in route.targets().iter().enumerate() {
            let path = format!("targets[{index}]");
            let Some(provider_id) = self.model(target.provider(), target.model(), &path).await?
            else {
                continue;
            };
            let same = targets.iter().position(|other| {
                other.provider_id == provider_id && other.model == target.model()
            });
            if let Some(earlier) = same {
                self.fields
                    .refuse(format!("{path}.model"), Problem::SameAs { earlier });
            }
            targets.push(TargetRecord {
                id: target.id().unwrap_or_default(),
                provider_id,
                model: target.model().to_owned(),
                weight: target.weight().map(u32::from),
                enabled: target.enabled(),
            });
        }
        keep_identities(
            &mut targets,
            stored.map_or(&[][..], |stored| &stored.targets),
        );
        Ok(targets)
    }

    pub(super) async fn fallbacks(
        &mut self,
        route: &Route,
    ) -> Result<Vec<FallbackRecord>, ApiError> {
        let mut fallbacks: Vec<FallbackRecord> = Vec::with_capacity(route.fallbacks().len());
        for (index, fallback) in route.fallbacks().iter().enumerate() {
            let path = format!("fallbacks[{index}]");
            let Some(provider_id) = self
                .model(fallback.provider(), fallback.model(), &path)
                .await?
            else {
                continue;
            };
            let record = FallbackRecord {
                provider_id,
                model: fallback.model().to_owned(),
            };
            if let Some(earlier) = fallbacks.iter().position(|other| *other == record) {
                self.fields
                    .refuse(format!("{path}.model"), Problem::SameAs { earlier });
            }
            fallbacks.push(record);
        }
        Ok(fallbacks)
    }

    /// The id of the decision provider, where the route has chosen one.
    pub(super) async fn decision_provider(
        &mut self,
        route: &Route,
    ) -> Result<Option<Uuid>, ApiError> {
        let settings = &route.policy().decision_service;
        let Some(reference) = &settings.provider else {
            return Ok(None);
        };
        let path = "policy.decision_service";
        let Some(choice) = self.provider(reference, path).await? else {
            return Ok(None);
        };
        let mut refuse = |field: &str, problem: String| {
            self.fields.refuse(format!("{path}.{field}"), problem);
        };
        if choice.kind != ProviderKind::Decision {
            refuse(
                "provider",
                format!(
                    "The provider \"{}\" answers requests, it does not decide; choose one of kind \
                     decision.",
                    choice.name
                ),
            );
        } else if let Some(model) = &settings.model
            && !choice.models.contains(model)
        {
            refuse("model", not_listed(&choice.name, model));
        }
        Ok(Some(choice.id))
    }

    /// The id of a provider that serves the model; none if `fields` tells what is wrong.
    async fn model(
        &mut self,
        reference: &str,
        model: &str,
        path: &str,
    ) -> Result<Option<Uuid>, ApiError> {
        let Some(choice) = self.provider(reference, path).await? else {
            return Ok(None);
        };
        if choice.kind == ProviderKind::Decision {
            let problem = format!(
                "\"{}\" is a decision service, which answers no requests; choose another provider.",
                choice.name
            );
            self.fields.refuse(format!("{path}.provider"), problem);
            return Ok(None);
        }
        if !choice.models.contains(model) {
            let problem = not_listed(&choice.name, model);
            self.fields.refuse(format!("{path}.model"), problem);
            return Ok(None);
        }
        Ok(Some(choice.id))
    }

    async fn provider(
        &mut self,
        reference: &str,
        path: &str,
    ) -> Result<Option<ProviderChoice>, ApiError> {
        if !self.found.contains_key(reference) {
            let choice = self
                .change
                .provider_choice(reference)
                .await
                .map_err(not_saved)?;
            self.found.insert(reference.to_owned(), choice);
        }
        let choice = self.found.get(reference).cloned().flatten();
        if choice.is_none() {
            self.fields.refuse(
                format!("{path}.provider"),
                format!(
                    "There is no provider \"{reference}\". Register it under Model Providers, or \
                     choose one that is there."
                ),
            );
        }
        Ok(choice)
    }
}

fn not_listed(provider: &str, model: &str) -> String {
    format!(
        "The provider \"{provider}\" does not list the model \"{model}\". Add it to the provider's \
         models, or choose one that it lists."
    )
}

/// Gives each target its id: the draft's own where it is one of this route's, else that of the same
/// provider and model before, else a new one. No id is given twice.
fn keep_identities(targets: &mut [TargetRecord], stored: &[TargetRecord]) {
    let mut free: HashMap<Uuid, &TargetRecord> =
        stored.iter().map(|target| (target.id, target)).collect();
    let mut unnamed = Vec::new();
    for target in targets {
        if free.remove(&target.id).is_none() {
            unnamed.push(target);
        }
    }
    let mut by_model: HashMap<(Uuid, &str), Uuid> = free
        .values()
        .map(|target| ((target.provider_id, &*target.model), target.id))
        .collect();
    for target in unnamed {
        target.id = by_model
            .remove(&(target.provider_id, &*target.model))
            .unwrap_or_else(Uuid::now_v7);
    }
}
