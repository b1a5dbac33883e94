//! What one request may choose from.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// One instance of one target, as one request sees it.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its target, counted from 0 in the order of the route.
    pub target: usize,
    pub key: &'a CandidateKey,
    pub load: Load,
    /// Why it takes no part; nothing when it is live.
    pub left_out: Option<LeftOut>,
}

/// How busy a candidate is, as read in the very step that takes the winner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Requests under way at this instance for this model, over all routes; the one that is being
    /// placed does not count.
    pub inflight: u32,
    /// Counts like requests in flight; above 0 only while an instance recovers.
    pub penalty: f64,
    /// Whether the instance takes no more for now. Such a candidate is rated and then passed over.
    pub full: bool,
}

impl Candidate<'_> {
    pub fn is_live(&self) -> bool {
        self.left_out.is_none()
    }
}

/// Why a candidate takes no part in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    TargetOff,
    ProviderOff,
    /// The provider does not speak the endpoint that the request came in on.
    EndpointNotSpoken,
    /// Its instance could not be reached several times in a row.
    Ejected,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TargetOff => "its target is switched off",
            Self::ProviderOff => "its provider is switched off",
            Self::EndpointNotSpoken => "its provider does not speak this endpoint",
            Self::Ejected => "its instance failed repeatedly and is left alone for some seconds",
        })
    }
}

/// Who a candidate is, over restarts and in every replica of the gateway: `provider id / normalised
/// instance url / model`. A normalised URL holds no space, so different candidates have different
/// keys whatever their models are called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CandidateKey {
    text: Arc<str>,
    /// Where the model begins.
    model: usize,
}

impl CandidateKey {
    pub fn new(provider: Uuid, instance: &str, model: &str) -> Self {
        let text = format!("{provider} / {instance} / {model}");
        Self {
            model: text.len() - model.len(),
            text: text.into(),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn model(&self) -> &str {
        self.text.get(self.model..).unwrap_or_default()
    }
}

impl fmt::Display for CandidateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_in_model_names_confuse_no_keys() {
        let provider = Uuid::from_u128(1);
        let a = CandidateKey::new(provider, "http://h/v1", "a/b");
        let b = CandidateKey::new(provider, "http://h/v1/a", "b");
        assert_ne!(a, b);
        assert_eq!(
            a.as_str(),
            "00000000-0000-0000-0000-000000000001 / http://h/v1 / a/b"
        );
        assert_eq!((a.model(), b.model()), ("a/b", "b"));
    }
}
