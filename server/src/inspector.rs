//! What the gateway did, does and would do, for operators: requests, instances, explanations and
//! decisions tried out. Nothing here changes how a request goes.

mod explain;
mod instances;
mod ranking;
mod requests;
mod try_decision;

use std::sync::Arc;

use crate::gateway::request_log::RequestLog;
use crate::snapshot::Snapshots;

/// Looks into the gateway.
#[derive(Debug)]
pub struct Inspector {
    snapshots: Arc<Snapshots>,
    log: Arc<RequestLog>,
}

impl Inspector {
    pub fn new(snapshots: Arc<Snapshots>, log: Arc<RequestLog>) -> Self {
        Self { snapshots, log }
    }
}
