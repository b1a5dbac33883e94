//! What outlives every snapshot, kept beside it by identity: connections, counts, and who failed.

use super::credentials::Rests;
use super::decision::breaker::Breakers;
use super::inflight::Loads;
use super::upstream::Upstreams;

/// One of each in a process.
#[derive(Debug)]
pub struct Lasting {
    pub upstreams: Upstreams,
    pub loads: Loads,
    pub rests: Rests,
    pub breakers: Breakers,
}

impl Lasting {
    pub fn new(upstreams: Upstreams) -> Self {
        Self {
            upstreams,
            loads: Loads::default(),
            rests: Rests::default(),
            breakers: Breakers::default(),
        }
    }
}
