//! Routes with their targets, instances and the state that their decisions carry on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use http::HeaderValue;
use routing::{
    Candidate, CandidateKey, DecisionService, Facts, FallbackDraft, FieldErrors, LeftOut, Load,
    Policy, Ranking, Rotation, Route, RouteDraft, ScorerName, SessionKeys, TargetDraft,
};
use uuid::Uuid;

use super::providers::{CompiledInstance, CompiledProvider};
use crate::gateway::Endpoint;
use crate::gateway::decision::breaker::{Breaker, Breakers};
use crate::gateway::inflight::{Inflight, Loads, ModelLoad};
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
    /// Where its sessions are recognised; nothing when they do not count.
    pub session_keys: Option<SessionKeys>,
    /// Who is asked which model fits; nothing when nobody is.
    pub decision: Option<DecisionUse>,
    targets: Vec<CompiledTarget>,
    policy: Policy,
    rotation: Arc<Mutex<Rotation>>,
}

/// A route's use of a decision service.
#[derive(Debug)]
pub struct DecisionUse {
    pub settings: DecisionService,
    pub provider: Arc<CompiledProvider>,
    pub breaker: Arc<Breaker>,
}

#[derive(Debug)]
pub struct CompiledTarget {
    pub enabled: bool,
    pub provider: Arc<CompiledProvider>,
    pub model: String,
    /// `provider/model`, for the answer's header.
    pub label: HeaderValue,
    /// One an instance of the provider, in the same order.
    places: Vec<Place>,
}

/// This target's model at one instance.
#[derive(Debug)]
pub(super) struct Place {
    key: CandidateKey,
    load: Arc<ModelLoad>,
}

/// Why a stored route cannot be compiled: somebody changed the database by hand.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("it is not valid: {0}")]
    Invalid(FieldErrors),
    #[error("its provider {0} is not there")]
    NoProvider(Uuid),
    #[error("it has no decision service to ask")]
    NoDecisionService,
}

/// A target's instance that a request goes to.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    pub target: &'a CompiledTarget,
    pub instance: &'a CompiledInstance,
    place: &'a Place,
}

/// What came of ranking a route's candidates for one request.
#[derive(Debug)]
pub struct Placement<'a> {
    /// The candidates, in the order of the targets and their instances.
    pub candidates: Vec<Choice<'a>>,
    pub ranking: Ranking,
    /// Where the request goes, already counted there. Nothing when no candidate is live, or all are
    /// full.
    pub taken: Option<(Choice<'a>, Inflight)>,
}

impl Routes {
    pub(super) fn compile(
        records: Vec<RouteRecord>,
        providers: &HashMap<Uuid, Arc<CompiledProvider>>,
        breakers: &Breakers,
        rotations: &mut Rotations,
    ) -> Self {
        let mut kept = Rotations::with_capacity(records.len());
        let mut in_order = Vec::with_capacity(records.len());
        for record in records {
            let rotation = rotations.remove(&record.id).unwrap_or_default();
            kept.insert(record.id, Arc::clone(&rotation));
            match CompiledRoute::compile(&record, providers, breakers, rotation) {
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
        breakers: &Breakers,
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
        let policy = Policy::from(&route);
        let settings = route.policy();
        let session_keys = policy
            .asks(ScorerName::SessionAffinity)
            .then(|| SessionKeys::from(&settings.session_affinity));
        let decision = policy
            .asks(ScorerName::DecisionService)
            .then(|| DecisionUse::compile(record, &settings.decision_service, providers, breakers))
            .transpose()?;
        Ok(Self {
            id: record.id,
            name: record.name.clone(),
            enabled: record.enabled,
            created_at: record.created_at,
            session_keys,
            decision,
            targets,
            policy,
            rotation,
        })
    }

    /// Ranks the candidates and takes the best that is not full, in one short step of which no two
    /// happen at once. The rotation moves on.
    pub fn place(&self, endpoint: Endpoint, facts: &Facts<'_>, loads: &Loads) -> Placement<'_> {
        let _placing = loads.place();
        let mut rotation = self.rotation.lock().unwrap_or_else(PoisonError::into_inner);
        let (candidates, ranking) = self.rank_by(endpoint, facts, &mut rotation);
        let taken = ranking
            .choice()
            .and_then(|choice| candidates.get(choice).copied())
            .map(|choice| (choice, choice.begin()));
        Placement {
            candidates,
            ranking,
            taken,
        }
    }

    /// What `place` would come to. Takes nothing and moves nothing.
    pub fn preview(&self, endpoint: Endpoint, facts: &Facts<'_>) -> Placement<'_> {
        let mut rotation = {
            let rotation = self.rotation.lock().unwrap_or_else(PoisonError::into_inner);
            rotation.clone()
        };
        let (candidates, ranking) = self.rank_by(endpoint, facts, &mut rotation);
        Placement {
            candidates,
            ranking,
            taken: None,
        }
    }

    fn rank_by(
        &self,
        endpoint: Endpoint,
        facts: &Facts<'_>,
        rotation: &mut Rotation,
    ) -> (Vec<Choice<'_>>, Ranking) {
        let mut choices = Vec::new();
        let mut candidates = Vec::new();
        for (index, target) in self.targets.iter().enumerate() {
            let left_out = target.left_out(endpoint);
            for (instance, place) in target.provider.instances.iter().zip(&target.places) {
                choices.push(Choice {
                    target,
                    instance,
                    place,
                });
                candidates.push(Candidate {
                    target: index,
                    key: &place.key,
                    load: Load {
                        inflight: place.load.inflight(),
                        // Recovering instances, and with them penalties, are not known yet.
                        penalty: 0.0,
                        full: instance.is_full(),
                    },
                    left_out,
                });
            }
        }
        let ranking = self.policy.rank(&candidates, facts, rotation);
        (choices, ranking)
    }

    /// The models of the candidates that can answer, each target's.
    pub fn live_models(&self, endpoint: Endpoint) -> impl Iterator<Item = &str> {
        self.targets
            .iter()
            .filter(move |target| target.left_out(endpoint).is_none())
            .filter(|target| !target.provider.instances.is_empty())
            .map(|target| target.model.as_str())
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
        let places = provider
            .instances
            .iter()
            .map(|instance| Place {
                key: CandidateKey::new(provider.id, instance.base.as_str(), &model),
                load: instance.load.model(&model),
            })
            .collect();
        Self {
            enabled,
            provider,
            model,
            label,
            places,
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

impl Choice<'_> {
    /// Counts one request more here.
    fn begin(&self) -> Inflight {
        Inflight::begin(&self.instance.load, &self.place.load)
    }
}

impl DecisionUse {
    fn compile(
        record: &RouteRecord,
        settings: &DecisionService,
        providers: &HashMap<Uuid, Arc<CompiledProvider>>,
        breakers: &Breakers,
    ) -> Result<Self, Unusable> {
        let provider = record
            .decision_provider()
            .ok_or(Unusable::NoDecisionService)?;
        let compiled = providers
            .get(&provider)
            .ok_or(Unusable::NoProvider(provider))?;
        let model = settings.model.clone().unwrap_or_default();
        Ok(Self {
            settings: settings.clone(),
            provider: Arc::clone(compiled),
            breaker: breakers.of((record.id, provider, model)),
        })
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
        retry: record.retry.clone().into(),
        keep_alive: record.keep_alive,
    }
}
