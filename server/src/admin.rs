//! The service layer that the pages and the management API share: it checks what people and programs
//! write, keeps it, and tells the gateway.
//!
//! Every write is one [`Change`](crate::store::Change) of the store: what a check has read still holds
//! when the row is written, also between two processes. Refusals are `ApiError`s by field.

mod fields;
mod key_text;
mod keys;
mod pages;
mod provider_draft;
mod provider_rules;
mod providers;
mod refusals;
mod route_references;
mod routes;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use app::error::ApiError;
use async_trait::async_trait;

use crate::store::{Change, Store};
use crate::vault::Vault;

use self::refusals::not_saved;

/// Makes a committed change count in this process at once.
#[async_trait]
pub trait Publish: Send + Sync {
    async fn publish(&self);
}

/// What the operator allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Instances at link-local addresses, where clouds serve their machines' secrets.
    pub allow_link_local: bool,
}

/// Providers, routes and keys, as pages and scripts read and write them.
#[derive(Clone)]
pub struct Admin {
    store: Store,
    vault: Vault,
    publisher: Arc<dyn Publish>,
    rules: Rules,
}

impl Admin {
    pub fn new(store: Store, vault: Vault, publisher: Arc<dyn Publish>, rules: Rules) -> Self {
        Self {
            store,
            vault,
            publisher,
            rules,
        }
    }

    /// Saves the change for good, then lets the gateway see it. A caller that leaves in between costs
    /// nothing but time: the gateway finds the new version by itself within a second.
    async fn commit(&self, change: Change) -> Result<(), ApiError> {
        change.commit().await.map_err(not_saved)?;
        self.publisher.publish().await;
        Ok(())
    }
}

impl std::fmt::Debug for Admin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Admin")
            .field("store", &self.store)
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}
