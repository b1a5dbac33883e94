//! Routes with their targets, instances and the state that their decisions carry on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use http::HeaderValue;
use routing::{
    Candidate, CandidateKey, Facts, FallbackDraft, FieldErrors, LeftOut, Load, Policy, Rotation,
    Route, RouteDraft, TargetDraft,
};
use uuid::Uuid;

use super::providers::{CompiledInstance, CompiledProvider};
use crate::gateway::Endpoint;
use crate::store::RouteRecord;

/// What round-robin and Target Weight carry from request to request, by route. Outlives snapshots, so
/// that saving one route does not restart another.
pub(super) type Rotations = HashMap<Uuid, Arc<Mutex<Rotation>>>;

/// All routes, by name.
#[derive(Debug, Default)]
pub struct Routes {
    by_name: HashMap<String, Arc<CompiledRoute>>,
    in_order: Vec<Arc<CompiledRoute>>,
}

#[derive(Debug)]
pub struct CompiledRoute {
    pub id: Uuid,
    pub name: String,
    pub enabled: bool,
    pub created_at: DateTime<Utc>,
    targets: Vec<CompiledTarget>,
    policy: Policy,
    rotation: Arc<Mutex<Rotation>>,
}

#[derive(Debug)]
pub struct CompiledTarget {
    pub enabled: bool,
    pub provider: Arc<CompiledProvider>,
    pub model: String,
    /// `provider/model`, for the answer's header.
    pub label: HeaderValue,
    /// One a instance of the provider, in the same order.
    keys: Vec<CandidateKey>,
}

/// Why a stored route cannot be compiled: somebody changed the database by hand.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("it is not valid: {0}")]
    Invalid(FieldErrors),
    #[error("its provider {0} is not there")]
    NoProvider(Uuid),
}

/// A target's instance that a request goes to.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    pub target: &'a CompiledTarget,
    pub instance: &'a CompiledInstance,
}

impl Routes {
    pub(super) fn compile(
        records: Vec<RouteRecord>,
        providers: &HashMap<Uuid, Arc<CompiledProvider>>,
        rotations: &mut Rotations,
    ) -> Self {
        let mut kept = Rotations::with_capacity(records.len());
        let mut in_order = Vec::with_capacity(records.len());
        for record in records {
            let rotation = rotations.remove(&record.id).unwrap_or_default();
            kept.insert(record.id, Arc::clone(&rotation));
            match CompiledRoute::compile(&record, providers, rotation) {
                Ok(route) => in_order.push(Arc::new(route)),
                Err(reason) => tracing::error!(route = record.name, %reason, "route left out"),
            }
        }
        *rotations = kept;
        in_order.sort_by(|a, b| a.name.cmp(&b.name));
        let by_name = in_order
            .iter()
            .map(|route| (route.name.clone(), Arc::clone(route)))
            .collect();
        Self { by_name, in_order }
    }

    pub fn get(&self, name: &str) -> Option<&Arc<CompiledRoute>> {
        self.by_name.get(name)
    }

    /// By name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<CompiledRoute>> {
        self.in_order.iter()
    }
}

impl CompiledRoute {
    fn compile(
        record: &RouteRecord,
        providers: &HashMap<Uuid, Arc<CompiledProvider>>,
        rotation: Arc<Mutex<Rotation>>,
    ) -> Result<Self, Unusable> {
        let route = Route::try_from(draft(record)).map_err(Unusable::Invalid)?;
        let targets = record
            .targets
            .iter()
            .map(|target| {
                let provider = providers
                    .get(&target.provider_id)
                    .ok_or(Unusable::NoProvider(target.provider_id))?;
                Ok(CompiledTarget::new(
                    target.enabled,
                    Arc::clone(provider),
                    target.model.clone(),
                ))
            })
            .collect::<Result<_, Unusable>>()?;
        Ok(Self {
            id: record.id,
            name: record.name.clone(),
            enabled: record.enabled,
            created_at: record.created_at,
            targets,
            policy: Policy::from(&route),
            rotation,
        })
    }

    /// Asks the policy, which moves on by one step; `None` when no candidate is live.
    pub fn choose(&self, endpoint: Endpoint) -> Option<Choice<'_>> {
        let mut choices = Vec::new();
        let mut candidates = Vec::new();
        for (place, target) in self.targets.iter().enumerate() {
            let left_out = target.left_out(endpoint);
            for (instance, key) in target.provider.instances.iter().zip(&target.keys) {
                choices.push(Choice { target, instance });
                candidates.push(Candidate {
                    target: place,
                    key,
                    load: Load::default(),
                    left_out,
                });
            }
        }
        let ranking = {
            let mut rotation = self.rotation.lock().unwrap_or_else(PoisonError::into_inner);
            self.policy
                .rank(&candidates, &Facts::default(), &mut rotation)
        };
        ranking
            .live
            .first()
            .and_then(|best| choices.get(best.candidate))
            .copied()
    }

    /// Whether there are targets switched on, but none whose provider serves the endpoint.
    pub fn is_spoken_by_none(&self, endpoint: Endpoint) -> bool {
        let mut reasons = self
            .targets
            .iter()
            .filter_map(|target| target.left_out(endpoint));
        let all_left_out = self
            .targets
            .iter()
            .all(|target| target.left_out(endpoint).is_some());
        all_left_out && reasons.any(|reason| reason == LeftOut::EndpointNotSpoken)
    }

    /// Of its targets, each once, in their order.
    pub fn provider_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for target in &self.targets {
            if !names.contains(&target.provider.name.as_str()) {
                names.push(&target.provider.name);
            }
        }
        names
    }
}

impl CompiledTarget {
    fn new(enabled: bool, provider: Arc<CompiledProvider>, model: String) -> Self {
        let label = format!("{}/{model}", provider.name);
        // Beyond ASCII the bytes are UTF-8; names hold no control characters.
        let label = HeaderValue::from_bytes(label.as_bytes())
            .unwrap_or(HeaderValue::from_static("unnamed"));
        let keys = provider
            .instances
            .iter()
            .map(|instance| CandidateKey::new(provider.id, instance.base.as_str(), &model))
            .collect();
        Self {
            enabled,
            provider,
            model,
            label,
            keys,
        }
    }

    fn left_out(&self, endpoint: Endpoint) -> Option<LeftOut> {
        if !self.enabled {
            Some(LeftOut::TargetOff)
        } else if !self.provider.enabled {
            Some(LeftOut::ProviderOff)
        } else if !self.provider.speaks(endpoint.name()) {
            Some(LeftOut::EndpointNotSpoken)
        } else {
            None
        }
    }
}

/// What is stored goes through the same checks as what is typed.
fn draft(record: &RouteRecord) -> RouteDraft {
    RouteDraft {
        revision: Some(record.revision),
        name: record.name.clone(),
        description: record.description.clone(),
        enabled: record.enabled,
        targets: record
            .targets
            .iter()
            .map(|target| TargetDraft {
                id: Some(target.id),
                provider: target.provider_id.to_string(),
                model: target.model.clone(),
                weight: target.weight.map(f64::from),
                enabled: target.enabled,
            })
            .collect(),
        fallbacks: record
            .fallbacks
            .iter()
            .map(|fallback| FallbackDraft {
                provider: fallback.provider_id.to_string(),
                model: fallback.model.clone(),
            })
            .collect(),
        policy: record.policy.clone().into(),
    }
}
