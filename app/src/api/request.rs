//! Requests that came in through `/v1`: where each went, why, and how it ended.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use routing::{DecidedBy, RouteBy, SessionKeyDraft};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::price::Amount;
use super::ranking::Ranked;

/// One request. Neither what was asked nor what was answered is in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RequestRecord {
    /// As the answer's `x-signalbox-request-id` says.
    pub id: Uuid,
    /// When it came in.
    pub at: DateTime<Utc>,
    /// Null where there was none of the name that was asked for.
    pub route: Option<String>,
    pub route_id: Option<Uuid>,
    /// How the route decided at that time.
    pub route_by: Option<RouteBy>,
    /// Without the query.
    pub path: String,
    pub key: KeyName,
    /// Where its session key was found; null where there was none or nobody looked.
    pub session: Option<SessionKeyDraft>,
    /// Whether the answer came as a stream of events.
    pub streaming: bool,
    /// Whether it had to go to where an earlier answer was made.
    pub bound: bool,
    /// Whether what was asked and answered was kept; it goes before the record does.
    pub bodies: bool,
    /// One sentence: where it went and why.
    pub why: String,
    /// What made the first of the ranking the first; null when nothing was ranked.
    pub decided_by: Option<DecidedBy>,
    /// What the client got; 499 when it left before there was anything to get.
    pub status: u16,
    /// `provider/model` of the answer, or of the last attempt.
    pub target: Option<String>,
    /// Base URL of the same.
    pub instance: Option<String>,
    /// Milliseconds until its body had been read as far as the route's name.
    pub read_ms: u64,
    /// Of the time after that, what finding the session key and asking the decision service took.
    pub decide_ms: u64,
    /// Milliseconds until the head of the answer was there; null when there was none.
    pub ttfb_ms: Option<u64>,
    /// Milliseconds until the last byte was sent or it was given up.
    pub duration_ms: u64,
    /// Of the answer's body.
    pub bytes: u64,
    /// What the upstream says it counted; null where it says nothing.
    pub tokens: Option<Tokens>,
    /// What its tokens cost by the model's price; null where no price or no count is known.
    #[cfg_attr(feature = "ssr", schema(value_type = Option<f64>))]
    pub cost: Option<Amount>,
    /// Why it did not end well.
    pub error: Option<String>,
    /// Tries to get an answer, in their order.
    pub attempts: Vec<Attempt>,
    /// All candidates as they were ranked, best first. Empty for a request that had to go to where an
    /// earlier answer was made.
    pub ranking: Vec<Ranked>,
    /// How many totals were tied for the best.
    pub tied: usize,
    /// The scorers that took no part, and why.
    pub abstained: BTreeMap<String, String>,
    /// What the decision service said, where it was asked and answered.
    pub decision: Option<DecisionMade>,
}

/// What was asked and answered, as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Bodies {
    pub asked: Body,
    pub answered: Body,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Body {
    /// Empty where there was none, or none that is text.
    pub text: String,
    /// There was more than is kept.
    pub cut: bool,
}

/// A decision, and what it took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct DecisionMade {
    /// As the service names what it judged with; null where it does not.
    pub model: Option<String>,
    /// By model, each from 0 to 1.
    pub probabilities: BTreeMap<String, f64>,
    /// From 0 to 1.
    pub confidence: f64,
    /// Milliseconds.
    pub latency_ms: u64,
}

/// An API key by name; the id outlives the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct KeyName {
    pub id: Uuid,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Tokens {
    /// Those that were read from or put into a cache included.
    pub input: u64,
    pub output: u64,
    /// Of the input, what was read from a cache; null where that is not known.
    pub cached: Option<u64>,
    /// Of the output, what was thought and not said; null where that is not known.
    pub reasoning: Option<u64>,
}

/// One try at one instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Attempt {
    /// `provider/model`
    pub target: String,
    /// Base URL.
    pub instance: String,
    /// Whether it went to a fallback.
    pub fallback: bool,
    /// What the instance answered.
    pub status: Option<u16>,
    /// Why there was no answer.
    pub error: Option<String>,
    /// Milliseconds until the head of the answer, or until it was given up.
    pub ms: u64,
    /// Credentials that were refused before the one that led to the outcome.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_credentials: Vec<RefusedCredential>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct RefusedCredential {
    /// The secret's last four characters.
    pub hint: String,
    pub status: u16,
    pub ms: u64,
}

/// Which requests are wanted: those that fit all that is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "ssr", derive(utoipa::IntoParams))]
pub struct RequestFilter {
    /// Name or id of a route.
    pub route: Option<String>,
    /// `provider/model` of the answer or of the last attempt.
    pub target: Option<String>,
    /// Name or id of an API key.
    pub key: Option<String>,
    /// A status such as `429`, or all of a kind: `2xx`, `4xx`, `5xx`.
    pub status: Option<String>,
    /// The whole path, such as `/v1/chat/completions`.
    pub path: Option<String>,
    /// Those that came in at this moment or later.
    pub since: Option<DateTime<Utc>>,
    /// Those that came in before this moment.
    pub until: Option<DateTime<Utc>>,
    /// Those that took at least so many milliseconds.
    pub slow_ms: Option<u32>,
    /// What made the first of the ranking the first.
    pub decided_by: Option<DecidedBy>,
    /// Whether several totals were tied for the best.
    pub tie: Option<bool>,
    /// Whether a fallback was tried.
    pub fallback: Option<bool>,
    /// 1 to 1,000; 100 when absent.
    pub limit: Option<u32>,
    /// The `next` of the page before: the id of a request; only older ones are wanted.
    pub before: Option<String>,
}

/// What filters can be set to: what occurs in the records that are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestNames {
    pub routes: Vec<String>,
    pub targets: Vec<String>,
    pub keys: Vec<KeyName>,
    pub paths: Vec<String>,
    /// Records that were lost since the start, as nobody kept up with them.
    pub dropped: u64,
}

/// Other weights to try on requests that are over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct WhatIf {
    /// By scorer: `session_affinity`, `least_inflight`, `decision_service`. One that is left out is off.
    pub weights: BTreeMap<String, f64>,
    /// How many of the route's latest requests to look at: 1 to 100,000; 10,000 when absent.
    #[serde(default)]
    pub last: Option<u32>,
}

/// Where recorded requests would have gone with other weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct WhatIfAnswer {
    /// Records that were there to look at.
    pub looked_at: u64,
    /// Of these, the ones that can be told: they were ranked by Policy, with a choice between candidates.
    pub replayed: u64,
    /// Of these, the ones that would have gone elsewhere.
    pub moved: u64,
    /// By target, the busiest first.
    pub targets: Vec<WhatIfTarget>,
    /// The newest of those that would have moved, at most 100.
    pub examples: Vec<Moved>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct WhatIfTarget {
    /// `provider/model`
    pub target: String,
    /// Replayed requests that it was first for.
    pub before: u64,
    /// Those that it would have been first for.
    pub after: u64,
}

/// A request that would have gone elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Moved {
    pub id: Uuid,
    pub at: DateTime<Utc>,
    /// The candidate that was first, and the one that would have been.
    pub from: Place,
    pub to: Place,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Place {
    /// `provider/model`
    pub target: String,
    /// Base URL.
    pub instance: String,
}
