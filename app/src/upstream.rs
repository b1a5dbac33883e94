//! A provider as the route pages need it: what can be a target, and how many instances share its
//! traffic. Far smaller than the whole, where there are thousands of models.

use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::api::provider::{Provider, ProviderKind};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upstream {
    pub provider: String,
    pub enabled: bool,
    /// Their URLs.
    pub instances: Vec<String>,
    pub models: Vec<String>,
}

impl Upstream {
    /// Nothing for a decision service, which cannot be a target.
    #[cfg(feature = "ssr")]
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
