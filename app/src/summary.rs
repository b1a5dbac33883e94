//! Providers and routes as the lists need them: far smaller than the whole, where there are
//! thousands of models, and in the wasm too.

use routing::{RouteBy, TargetDraft};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::api::provider::ProviderKind;
#[cfg(feature = "ssr")]
use crate::api::{provider::Provider, route::Route};

/// What can be a target, and how many instances share its traffic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upstream {
    pub provider: String,
    pub enabled: bool,
    /// Their URLs.
    pub instances: Vec<String>,
    pub models: Vec<String>,
}

/// What a list shows of a route.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RouteSummary {
    pub name: String,
    pub description: String,
    pub enabled: bool,
    pub targets: Vec<TargetDraft>,
    pub route_by: RouteBy,
}

/// What a list shows of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderSummary {
    pub id: Uuid,
    pub name: String,
    pub kind: ProviderKind,
    pub enabled: bool,
    /// Their URLs.
    pub instances: Vec<String>,
    /// How many.
    pub models: usize,
    /// The names of those that use it: as a target, a fallback or a decision service.
    pub routes: Vec<String>,
}

#[cfg(feature = "ssr")]
impl ProviderSummary {
    pub(crate) fn of(provider: Provider, routes: &[Route]) -> Self {
        let users = routes.iter().filter(|route| {
            let targets = route.targets.iter().map(|target| &target.provider);
            let fallbacks = route.fallbacks.iter().map(|fallback| &fallback.provider);
            targets
                .chain(fallbacks)
                .chain(&route.policy.decision_service.provider)
                .any(|used| *used == provider.name)
        });
        Self {
            routes: users.map(|route| route.name.clone()).collect(),
            id: provider.id,
            name: provider.name,
            kind: provider.kind,
            enabled: provider.enabled,
            models: provider.models.len(),
            instances: provider
                .instances
                .into_iter()
                .map(|instance| instance.url)
                .collect(),
        }
    }
}

#[cfg(feature = "ssr")]
impl Upstream {
    /// Nothing for a decision service, which cannot be a target.
    pub(crate) fn of(provider: Provider) -> Option<Self> {
        (provider.kind != ProviderKind::Decision).then(|| Self {
            provider: provider.name,
            enabled: provider.enabled,
            instances: provider
                .instances
                .into_iter()
                .map(|instance| instance.url)
                .collect(),
            models: provider
                .models
                .into_iter()
                .map(|model| model.name)
                .collect(),
        })
    }
}

#[cfg(feature = "ssr")]
impl From<Route> for RouteSummary {
    fn from(route: Route) -> Self {
        let targets = route.targets.into_iter().map(|target| TargetDraft {
            id: Some(target.id),
            provider: target.provider,
            model: target.model,
            weight: target.weight.map(f64::from),
            enabled: target.enabled,
        });
        Self {
            name: route.name,
            description: route.description,
            enabled: route.enabled,
            targets: targets.collect(),
            route_by: route.route_by,
        }
    }
}
