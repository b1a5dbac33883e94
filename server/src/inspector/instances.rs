//! `GET /instances`

use app::api::instance::{Health, Instance};
use app::api::list::List;

use super::Inspector;

impl Inspector {
    /// Every instance of every provider, by the providers' names, as it is at this moment.
    pub fn instances(&self) -> List<Instance> {
        let snapshot = self.snapshots.load();
        let items = snapshot.providers.iter().flat_map(|provider| {
            provider.instances.iter().map(|instance| Instance {
                provider: provider.name.clone(),
                url: instance.base.to_string(),
                // Nobody is ejected yet.
                health: Health::Ok,
                inflight: instance.load.inflight(),
                max_inflight: instance.max_inflight,
                last_error: instance.load.last_error(),
                ejected_until: None,
            })
        });
        List {
            items: items.collect(),
            next: None,
        }
    }
}
