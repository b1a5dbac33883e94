//! Asking how a route would decide, and trying a decision service out.

use std::collections::BTreeMap;

use routing::DecisionServiceDraft;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::ranking::Ranked;

/// A request that might come in.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Question {
    #[serde(default = "chat")]
    pub path: String,
    /// By name.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The JSON body, kept as it was written; without one the decision service is not asked and body
    /// keys do not count.
    #[serde(default)]
    #[cfg_attr(feature = "ssr", schema(value_type = Option<Object>))]
    pub body: Option<Box<RawValue>>,
    /// What the decision service would say; it is asked when this is left out.
    #[serde(default)]
    pub decision: Option<DecisionGiven>,
}

/// A decision to go by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct DecisionGiven {
    /// By model, each from 0 to 1.
    pub probabilities: BTreeMap<String, f64>,
    /// From 0 to 1; when left out, what Jev's own formula gives for the probabilities.
    #[serde(default)]
    pub confidence: Option<f64>,
}

fn chat() -> String {
    "/v1/chat/completions".to_owned()
}

/// What a decision service says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct DecisionSaid {
    /// By model, each from 0 to 1.
    pub probabilities: BTreeMap<String, f64>,
    /// From 0 to 1.
    pub confidence: f64,
}

/// The ranking that the request would get at this moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Explanation {
    /// Best first.
    pub ranking: Vec<Ranked>,
    /// How many totals are tied for the best; among them chance decides, each time anew.
    pub tied: usize,
    /// The scorers that took no part, and why.
    pub abstained: BTreeMap<String, String>,
    /// What the decision service said, where it was asked and answered.
    pub decision: Option<DecisionSaid>,
    /// The session key that was found.
    pub session: Option<String>,
}

/// A decision service to be tried out, with settings that need not be saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecisionTrial {
    pub settings: DecisionServiceDraft,
    /// What a client might ask.
    pub prompt: String,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecisionTried {
    /// What the service said, if it did.
    pub decision: Option<DecisionSaid>,
    pub latency_ms: u64,
    /// Why there is no decision: words about the service.
    pub reason: Option<String>,
}
