//! All routes, and the next ones after a save.

use std::sync::Arc;

use foldhash::HashMap;
use uuid::Uuid;

use super::providers::CompiledProvider;
use super::routes::{CompiledRoute, Unusable};
use crate::gateway::decision::breaker::Breakers;
use crate::store::{Outdated, Renewal, RouteRecord};

/// All routes, by name.
#[derive(Debug, Default)]
pub struct Routes {
    by_name: HashMap<String, Arc<CompiledRoute>>,
    by_id: HashMap<Uuid, Arc<CompiledRoute>>,
    in_order: Vec<Arc<CompiledRoute>>,
}

impl Routes {
    /// These with the outdated replaced, on the providers that are there now, of which `renewed` are
    /// not as they were.
    pub(super) fn updated(
        self: &Arc<Self>,
        Renewal { outdated, records }: Renewal<RouteRecord>,
        providers: &[Arc<CompiledProvider>],
        renewed: &Outdated,
        breakers: &Breakers,
    ) -> Arc<Self> {
        if outdated.is_empty() && renewed.is_empty() {
            return Arc::clone(self);
        }
        let providers = providers
            .iter()
            .map(|provider| (provider.id, Arc::clone(provider)))
            .collect();
        let mut in_order = Vec::with_capacity(self.in_order.len() + records.len());
        for route in &self.in_order {
            if outdated.contains(route.id) {
                continue;
            }
            if !route.uses(renewed) {
                in_order.push(Arc::clone(route));
                continue;
            }
            match route.rewired(&providers) {
                Ok(route) => in_order.push(Arc::new(route)),
                Err(reason) => left_out(&route.name, &reason),
            }
        }
        for record in records {
            let before = self.by_id.get(&record.id);
            let rotation = before.map_or_else(Arc::default, |route| Arc::clone(&route.rotation));
            match CompiledRoute::compile(&record, &providers, breakers, rotation) {
                Ok(route) => in_order.push(Arc::new(route)),
                Err(reason) => left_out(&record.name, &reason),
            }
        }
        Arc::new(Self::of(in_order))
    }

    fn of(mut in_order: Vec<Arc<CompiledRoute>>) -> Self {
        in_order.sort_by(|a, b| a.name.cmp(&b.name));
        let by_name = in_order
            .iter()
            .map(|route| (route.name.clone(), Arc::clone(route)))
            .collect();
        let by_id = in_order
            .iter()
            .map(|route| (route.id, Arc::clone(route)))
            .collect();
        Self {
            by_name,
            by_id,
            in_order,
        }
    }

    pub fn get(&self, name: &str) -> Option<&Arc<CompiledRoute>> {
        self.by_name.get(name)
    }

    pub fn by_id(&self, id: Uuid) -> Option<&Arc<CompiledRoute>> {
        self.by_id.get(&id)
    }

    /// By name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<CompiledRoute>> {
        self.in_order.iter()
    }
}

fn left_out(route: &str, reason: &Unusable) {
    tracing::error!(route, %reason, "route left out");
}
