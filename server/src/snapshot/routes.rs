//! A route with its targets, instances and the state that its decisions carry on.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use app::api::price::Price;
use chrono::{DateTime, Utc};
use http::HeaderValue;
use routing::{
    Candidate, CandidateKey, DecidedBy, DecisionService, Facts, FallbackDraft, FieldErrors,
    LeftOut, Load, Policy, Ranking, Retry, Rotation, Route, RouteBy, RouteDraft, ScorerName,
    SessionKeys, TargetDraft,
};
use uuid::Uuid;

use super::providers::{CompiledInstance, CompiledProvider};
use crate::gateway::Endpoint;
use crate::gateway::decision::breaker::{Breaker, Breakers};
use crate::gateway::health::Condition;
use crate::gateway::inflight::{Inflight, Loads, ModelLoad};
use crate::store::{Outdated, RouteRecord};

/// Providers by their id.
pub(super) type ById = HashMap<Uuid, Arc<CompiledProvider>>;

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
    pub retry: Retry,
    /// Whether comment frames are sent while a stream's upstream is silent.
    pub keep_alive: bool,
    /// Whether what is asked and answered is kept with the records.
    pub keep_bodies: bool,
    /// In the order in which they are tried.
    pub fallbacks: Vec<CompiledTarget>,
    targets: Vec<CompiledTarget>,
    /// Target and instance of each candidate.
    candidates: Vec<(usize, usize)>,
    policy: Policy,
    /// What round-robin and Target Weight carry from request to request. Outlives snapshots, so that
    /// a save does not restart it.
    pub(super) rotation: Arc<Mutex<Rotation>>,
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
    pub model: Arc<str>,
    /// `provider/model`
    pub name: Arc<str>,
    /// The same for the answer's header.
    pub label: HeaderValue,
    /// Of its tokens.
    pub price: Option<Price>,
    /// Whose turn it is among the instances of a fallback.
    turn: AtomicUsize,
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
pub(super) enum Unusable {
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

/// A choice that a request was counted at.
#[derive(Debug)]
pub struct Taken<'a> {
    pub choice: Choice<'a>,
    pub inflight: Inflight,
}

/// What came of ranking a route's candidates for one request.
#[derive(Debug)]
pub struct Placement {
    /// Of the route's candidates, which [`CompiledRoute::candidate`] knows.
    pub ranking: Ranking,
    /// What each of them had to do at that moment.
    pub loads: Vec<Load>,
}

impl Placement {
    /// Of a request that was not placed.
    pub const NONE: Self = Self {
        ranking: Ranking::EMPTY,
        loads: Vec::new(),
    };
}

/// Why a fallback takes no part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoFallback {
    /// It is off, or its provider does not serve the endpoint.
    NotLive,
    Full,
}

impl CompiledRoute {
    pub(super) fn compile(
        record: &RouteRecord,
        providers: &ById,
        breakers: &Breakers,
        rotation: Arc<Mutex<Rotation>>,
    ) -> Result<Self, Unusable> {
        let route = Route::try_from(draft(record)).map_err(Unusable::Invalid)?;
        let compile = |enabled, provider: Uuid, model: &str| {
            let provider = find(providers, provider)?;
            Ok::<_, Unusable>(CompiledTarget::new(enabled, provider, model))
        };
        let targets: Vec<CompiledTarget> = record
            .targets
            .iter()
            .map(|target| compile(target.enabled, target.provider_id, &target.model))
            .collect::<Result<_, _>>()?;
        let fallbacks = record
            .fallbacks
            .iter()
            .map(|fallback| compile(true, fallback.provider_id, &fallback.model))
            .collect::<Result<_, _>>()?;
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
            retry: route.retry().clone(),
            keep_alive: route.keep_alive(),
            keep_bodies: route.keep_bodies(),
            fallbacks,
            candidates: candidates_of(&targets),
            targets,
            policy,
            rotation,
        })
    }

    /// Whether it refers to one of these providers.
    pub(super) fn uses(&self, providers: &Outdated) -> bool {
        let targets = self.targets.iter().chain(&self.fallbacks);
        let deciders = self.decision.iter().map(|decision| &decision.provider);
        let mut used = targets.map(|target| &target.provider).chain(deciders);
        used.any(|provider| providers.contains(provider.id))
    }

    /// The same route on the providers as they are now.
    pub(super) fn rewired(&self, providers: &ById) -> Result<Self, Unusable> {
        let rewire = |targets: &[CompiledTarget]| {
            let rewired = targets.iter().map(|target| {
                let provider = find(providers, target.provider.id)?;
                Ok(CompiledTarget::new(target.enabled, provider, &target.model))
            });
            rewired.collect::<Result<Vec<_>, Unusable>>()
        };
        let decision = self.decision.as_ref().map(|decision| {
            Ok::<_, Unusable>(DecisionUse {
                settings: decision.settings.clone(),
                provider: find(providers, decision.provider.id)?,
                breaker: Arc::clone(&decision.breaker),
            })
        });
        let targets = rewire(&self.targets)?;
        Ok(Self {
            id: self.id,
            name: self.name.clone(),
            enabled: self.enabled,
            created_at: self.created_at,
            session_keys: self.session_keys.clone(),
            decision: decision.transpose()?,
            retry: self.retry.clone(),
            keep_alive: self.keep_alive,
            keep_bodies: self.keep_bodies,
            fallbacks: rewire(&self.fallbacks)?,
            candidates: candidates_of(&targets),
            targets,
            policy: self.policy.clone(),
            rotation: Arc::clone(&self.rotation),
        })
    }

    /// Ranks the candidates and takes the best that is not full, in one short step of which no two
    /// happen at once. The rotation moves on.
    pub fn place(
        &self,
        endpoint: Endpoint,
        facts: &Facts<'_>,
        loads: &Loads,
    ) -> (Placement, Option<Taken<'_>>) {
        let _placing = loads.place();
        let mut rotation = self.rotation.lock().unwrap_or_else(PoisonError::into_inner);
        let placement = self.rank_by(endpoint, facts, &mut rotation);
        let chosen = placement.ranking.choice();
        let taken = chosen.and_then(|candidate| Some(self.candidate(candidate)?.take()));
        (placement, taken)
    }

    /// What `place` would come to. Takes nothing and moves nothing.
    pub fn preview(&self, endpoint: Endpoint, facts: &Facts<'_>) -> Placement {
        let mut rotation = {
            let rotation = self.rotation.lock().unwrap_or_else(PoisonError::into_inner);
            rotation.clone()
        };
        self.rank_by(endpoint, facts, &mut rotation)
    }

    /// Takes the best of the ranking that was not tried yet and is not full now. Nothing when none is
    /// left.
    pub fn place_again(
        &self,
        ranking: &Ranking,
        tried: &[Choice<'_>],
        loads: &Loads,
    ) -> Option<Taken<'_>> {
        let _placing = loads.place();
        let next = ranking
            .live
            .iter()
            .filter_map(|ranked| self.candidate(ranked.candidate))
            .find(|choice| !tried.iter().any(|one| one.is(choice)) && !choice.instance.is_full())?;
        Some(next.take())
    }

    pub fn route_by(&self) -> RouteBy {
        self.policy.route_by()
    }

    /// What made the first of its rankings the first.
    pub fn decided_by(&self, ranking: &Ranking) -> Option<DecidedBy> {
        self.policy.decided_by(ranking)
    }

    pub fn targets(&self) -> impl Iterator<Item = &CompiledTarget> {
        self.targets.iter()
    }

    /// All candidates, as they stand in the slice that is ranked.
    pub fn candidates(&self) -> impl Iterator<Item = Choice<'_>> {
        (0..self.candidates.len()).filter_map(|index| self.candidate(index))
    }

    /// The candidate at that place of the slice that is ranked.
    pub fn candidate(&self, index: usize) -> Option<Choice<'_>> {
        let (target, place) = *self.candidates.get(index)?;
        self.targets.get(target)?.choice(place)
    }

    /// The instance of a target or fallback that is so named.
    pub fn find(&self, provider: Uuid, instance: &str, model: &str) -> Option<Choice<'_>> {
        let targets = self.targets.iter().chain(&self.fallbacks);
        targets
            .filter(|target| target.provider.id == provider && *target.model == *model)
            .flat_map(CompiledTarget::choices)
            .find(|choice| choice.instance.base.as_str() == instance)
    }

    fn rank_by(&self, endpoint: Endpoint, facts: &Facts<'_>, rotation: &mut Rotation) -> Placement {
        let candidates = self.look(endpoint);
        let ranking = self.policy.rank(&candidates, facts, rotation);
        let loads = candidates.iter().map(|candidate| candidate.load).collect();
        Placement { ranking, loads }
    }

    /// The candidates as they are at this moment.
    fn look(&self, endpoint: Endpoint) -> Vec<Candidate<'_>> {
        let mut recoveries = Vec::new();
        let mut candidates = Vec::with_capacity(self.candidates.len());
        let mut most = 0;
        for (index, target) in self.targets.iter().enumerate() {
            let left_out = target.left_out(endpoint);
            for choice in target.choices() {
                let mut left_out = left_out;
                match choice.instance.load.health.condition() {
                    Condition::Ok => {}
                    Condition::Recovering { left } => recoveries.push((candidates.len(), left)),
                    Condition::Ejected { .. } => left_out = left_out.or(Some(LeftOut::Ejected)),
                }
                let inflight = choice.place.load.inflight();
                if left_out.is_none() {
                    most = most.max(inflight);
                }
                candidates.push(Candidate {
                    target: index,
                    key: &choice.place.key,
                    load: Load {
                        inflight,
                        penalty: 0.0,
                        full: choice.instance.is_full(),
                    },
                    left_out,
                });
            }
        }
        for (index, left) in recoveries {
            if let Some(candidate) = candidates.get_mut(index) {
                candidate.load.penalty = f64::from(most + 1) * left;
            }
        }
        // Where all that could answer are ejected, trying is better than refusing.
        if !candidates.iter().any(Candidate::is_live) {
            for candidate in &mut candidates {
                candidate.left_out = candidate.left_out.filter(|why| *why != LeftOut::Ejected);
            }
        }
        candidates
    }

    /// The models of the live candidates, each as often as it has some.
    pub fn live_models(&self, endpoint: Endpoint) -> impl Iterator<Item = &str> {
        let live = self.look(endpoint).into_iter();
        live.filter(Candidate::is_live)
            .map(|candidate| candidate.key.model())
    }

    /// Whether a request may be tried more than once.
    pub fn may_try_again(&self) -> bool {
        let targets = self.targets.iter().chain(&self.fallbacks);
        let has_spare_credentials = |target: &CompiledTarget| target.provider.credentials.len() > 1;
        let has_others = self.candidates.len() > 1 && self.retry.attempts() > 1;
        has_others || !self.fallbacks.is_empty() || targets.clone().any(has_spare_credentials)
    }

    /// Whether there are targets or fallbacks switched on, but none whose provider serves the endpoint.
    pub fn is_spoken_by_none(&self, endpoint: Endpoint) -> bool {
        let reasons: Vec<Option<LeftOut>> = self
            .targets
            .iter()
            .chain(&self.fallbacks)
            .map(|target| target.left_out(endpoint))
            .collect();
        reasons.iter().all(Option::is_some) && reasons.contains(&Some(LeftOut::EndpointNotSpoken))
    }

    /// Of its targets and fallbacks, each once, in their order.
    pub fn provider_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for target in self.targets.iter().chain(&self.fallbacks) {
            if !names.contains(&target.provider.name.as_str()) {
                names.push(&target.provider.name);
            }
        }
        names
    }
}

impl CompiledTarget {
    fn new(enabled: bool, provider: Arc<CompiledProvider>, model: &str) -> Self {
        let name = format!("{}/{model}", provider.name);
        // Beyond ASCII the bytes are UTF-8; names hold no control characters.
        let label =
            HeaderValue::from_bytes(name.as_bytes()).unwrap_or(HeaderValue::from_static("unnamed"));
        let places = provider
            .instances
            .iter()
            .map(|instance| Place {
                key: CandidateKey::new(provider.id, instance.base.as_str(), model),
                load: instance.load.model(model),
            })
            .collect();
        Self {
            enabled,
            price: provider.prices.get(model).copied(),
            provider,
            model: model.into(),
            name: name.into(),
            label,
            turn: AtomicUsize::default(),
            places,
        }
    }

    fn choice(&self, place: usize) -> Option<Choice<'_>> {
        Some(Choice {
            target: self,
            instance: self.provider.instances.get(place)?,
            place: self.places.get(place)?,
        })
    }

    fn choices(&self) -> impl Iterator<Item = Choice<'_>> {
        (0..self.places.len()).filter_map(|place| self.choice(place))
    }

    /// Takes the next instance of a fallback that can be reached and is not full.
    ///
    /// # Errors
    /// Why there is none.
    pub fn take_as_fallback(
        &self,
        endpoint: Endpoint,
        loads: &Loads,
    ) -> Result<Taken<'_>, NoFallback> {
        if self.left_out(endpoint).is_some() || self.places.is_empty() {
            return Err(NoFallback::NotLive);
        }
        let _placing = loads.place();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let count = self.places.len();
        let in_turn = (0..count).filter_map(|step| self.choice((turn % count + step) % count));
        let (ejected, live): (Vec<_>, Vec<_>) = in_turn.partition(|choice| {
            let condition = choice.instance.load.health.condition();
            matches!(condition, Condition::Ejected { .. })
        });
        let tried = if live.is_empty() { ejected } else { live };
        let free = tried.iter().find(|choice| !choice.instance.is_full());
        free.map(Choice::take).ok_or(NoFallback::Full)
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

impl<'a> Choice<'a> {
    /// Counts one request more here.
    pub fn take(&self) -> Taken<'a> {
        Taken {
            choice: *self,
            inflight: Inflight::begin(&self.instance.load, &self.place.load),
        }
    }

    /// Requests under way there, over all routes.
    pub fn inflight(&self) -> u32 {
        self.place.load.inflight()
    }

    /// Whether the other is the same instance and model of the same provider.
    pub fn is(&self, other: &Choice<'_>) -> bool {
        self.place.key == other.place.key
    }
}

impl DecisionUse {
    fn compile(
        record: &RouteRecord,
        settings: &DecisionService,
        providers: &ById,
        breakers: &Breakers,
    ) -> Result<Self, Unusable> {
        let provider = record
            .decision_provider()
            .ok_or(Unusable::NoDecisionService)?;
        let compiled = find(providers, provider)?;
        let model = settings.model.clone().unwrap_or_default();
        Ok(Self {
            settings: settings.clone(),
            provider: compiled,
            breaker: breakers.of((record.id, provider, model)),
        })
    }
}

fn find(providers: &ById, id: Uuid) -> Result<Arc<CompiledProvider>, Unusable> {
    let found = providers.get(&id).map(Arc::clone);
    found.ok_or(Unusable::NoProvider(id))
}

/// Target and instance of each candidate.
fn candidates_of(targets: &[CompiledTarget]) -> Vec<(usize, usize)> {
    let of_one = |(index, target): (usize, &CompiledTarget)| {
        (0..target.places.len()).map(move |place| (index, place))
    };
    targets.iter().enumerate().flat_map(of_one).collect()
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
        keep_bodies: record.keep_bodies,
    }
}
