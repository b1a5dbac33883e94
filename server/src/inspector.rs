//! What the gateway is doing and would do, for operators: instances, explanations and decisions tried
//! out. Nothing here changes how a request goes.

mod explain;
mod instances;
mod ranking;
mod try_decision;

use std::sync::Arc;

use crate::snapshot::Snapshots;

/// Looks into the gateway.
#[derive(Debug)]
pub struct Inspector {
    snapshots: Arc<Snapshots>,
}

impl Inspector {
    pub fn new(snapshots: Arc<Snapshots>) -> Self {
        Self { snapshots }
    }
}
