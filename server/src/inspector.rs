//! What the gateway did, does and would do, for operators: requests, usage, instances, explanations and
//! decisions tried out. Nothing here changes how a request goes.

mod explain;
mod filter;
mod instances;
mod names;
mod ranking;
mod recorded;
mod requests;
mod traffic;
mod try_decision;
mod usage;
mod what_if;

use std::sync::Arc;

use self::names::NameCache;
use crate::gateway::request_log::RequestLog;
use crate::gateway::traffic::Traffic;
use crate::snapshot::Snapshots;
use crate::store::Store;
use crate::vault::Vault;

pub use self::requests::Requests;

/// Looks into the gateway.
#[derive(Debug)]
pub struct Inspector {
    snapshots: Arc<Snapshots>,
    log: Arc<RequestLog>,
    traffic: Arc<Traffic>,
    store: Store,
    vault: Vault,
    names: NameCache,
}

impl Inspector {
    pub fn new(
        snapshots: Arc<Snapshots>,
        log: Arc<RequestLog>,
        traffic: Arc<Traffic>,
        store: Store,
        vault: Vault,
    ) -> Self {
        Self {
            snapshots,
            log,
            traffic,
            store,
            vault,
            names: NameCache::default(),
        }
    }
}
