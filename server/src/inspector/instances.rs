//! `GET /instances`

use app::api::instance::{Health, Instance};
use app::api::list::List;

use super::Inspector;
use crate::gateway::health::{Condition, by_calendar};

impl Inspector {
    /// Every instance of every provider, by the providers' names, as it is at this moment.
    pub fn instances(&self) -> List<Instance> {
        let snapshot = self.snapshots.load();
        let items = snapshot.providers.iter().flat_map(|provider| {
            provider.instances.iter().map(|instance| {
                let (health, ejected_until) = match instance.load.health.condition() {
                    Condition::Ok => (Health::Ok, None),
                    Condition::Recovering { .. } => (Health::Recovering, None),
                    Condition::Ejected { until } => (Health::Ejected, Some(by_calendar(until))),
                };
                Instance {
                    provider: provider.name.clone(),
                    url: instance.base.to_string(),
                    health,
                    ejected_until,
                    inflight: instance.load.inflight(),
                    max_inflight: instance.max_inflight,
                    last_error: instance.load.last_error(),
                }
            })
        });
        List {
            items: items.collect(),
            next: None,
        }
    }
}
