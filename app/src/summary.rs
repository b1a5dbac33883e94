//! Providers and routes as the lists need them: far smaller than the whole, where there are
//! thousands of models, and in the wasm too.

use chrono::{DateTime, Utc};
use routing::{RouteBy, TargetDraft};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::api::provider::{Provider, ProviderKind};
#[cfg(feature = "ssr")]
use crate::api::route::Route;

/// A provider as a track needs it: whether it takes traffic, and what shares it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upstream {
    pub id: Uuid,
    pub provider: String,
    pub enabled: bool,
    /// Their URLs in the form by which the gateway tells them apart.
    pub instances: Vec<String>,
}

/// A decision service that a route may ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decider {
    pub provider: String,
    pub models: Vec<String>,
}

/// What can be a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalog {
    pub upstreams: Vec<Upstream>,
    /// Each as `provider/model`.
    pub targets: Vec<String>,
    pub deciders: Vec<Decider>,
}

/// The list of routes, and what their tracks lead to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RouteList {
    pub routes: Vec<RouteSummary>,
    pub upstreams: Vec<Upstream>,
}

/// What a list shows of a route.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RouteSummary {
    pub id: Uuid,
    pub name: String,
    pub description: String,
    pub enabled: bool,
    pub targets: Vec<TargetDraft>,
    pub route_by: RouteBy,
    pub created_at: DateTime<Utc>,
}

/// A route that could not be deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotDeleted {
    pub id: Uuid,
    /// A sentence for a person.
    pub why: String,
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

/// A provider with the names of the routes that use it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsedProvider {
    pub provider: Provider,
    pub routes: Vec<String>,
}

#[cfg(feature = "ssr")]
impl ProviderSummary {
    pub(crate) fn of(provider: Provider, routes: Vec<String>) -> Self {
        Self {
            routes,
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
impl Catalog {
    /// `base_url` gives an instance's URL in its normal form.
    pub(crate) fn of(providers: Vec<Provider>, base_url: impl Fn(&str) -> String) -> Self {
        let mut catalog = Self {
            upstreams: Vec::new(),
            targets: Vec::new(),
            deciders: Vec::new(),
        };
        for provider in providers {
            let models = provider.models.into_iter().map(|model| model.name);
            if provider.kind == ProviderKind::Decision {
                catalog.deciders.push(Decider {
                    provider: provider.name,
                    models: models.collect(),
                });
                continue;
            }
            let name = &provider.name;
            let targets = models.map(|model| format!("{name}/{model}"));
            catalog.targets.extend(targets);
            let instances = provider.instances.iter();
            catalog.upstreams.push(Upstream {
                id: provider.id,
                provider: provider.name,
                enabled: provider.enabled,
                instances: instances.map(|instance| base_url(&instance.url)).collect(),
            });
        }
        catalog
    }
}

#[cfg(feature = "ssr")]
impl From<Route> for RouteSummary {
    fn from(route: Route) -> Self {
        Self {
            id: route.id,
            name: route.name,
            description: route.description,
            enabled: route.enabled,
            targets: route.targets.into_iter().map(Into::into).collect(),
            route_by: route.route_by,
            created_at: route.created_at,
        }
    }
}
