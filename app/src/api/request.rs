//! Requests that came in through `/v1`: where each went, why, and how it ended.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

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
    /// Without the query.
    pub path: String,
    pub key: KeyName,
    /// What the client got; 499 when it left before there was anything to get.
    pub status: u16,
    /// `provider/model` of the answer, or of the last attempt.
    pub target: Option<String>,
    /// Base URL of the same.
    pub instance: Option<String>,
    /// Milliseconds until the head of the answer was there; null when there was none.
    pub ttfb_ms: Option<u64>,
    /// Milliseconds until the last byte was sent or it was given up.
    pub duration_ms: u64,
    /// Of the answer's body.
    pub bytes: u64,
    /// What the upstream says it counted; null where it says nothing.
    pub tokens: Option<Tokens>,
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

/// Which of the latest requests are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::IntoParams))]
pub struct RequestFilter {
    /// Name or id of a route.
    #[serde(default)]
    pub route: Option<String>,
    /// 1 to 1,000; 100 when absent.
    #[serde(default)]
    pub limit: Option<u32>,
    /// The `next` of the page before: the id of a request; only older ones are wanted.
    #[serde(default)]
    pub before: Option<String>,
}
