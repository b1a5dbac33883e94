//! What one request may choose from.

use std::fmt;
use std::sync::Arc;

use uuid::Uuid;

/// One instance of one target, as one request sees it.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its target, counted from 0 in the order of the route.
    pub target: usize,
    pub key: &'a CandidateKey,
    /// Why it takes no part; nothing when it is live.
    pub left_out: Option<LeftOut>,
}

impl Candidate<'_> {
    pub fn is_live(&self) -> bool {
        self.left_out.is_none()
    }
}

/// Why a candidate takes no part in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeftOut {
    TargetOff,
    ProviderOff,
    /// The provider does not speak the endpoint that the request came in on.
    EndpointNotSpoken,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TargetOff => "its target is switched off",
            Self::ProviderOff => "its provider is switched off",
            Self::EndpointNotSpoken => "its provider does not speak this endpoint",
        })
    }
}

/// Who a candidate is, over restarts and in every replica of the gateway: `provider id / normalised
/// instance url / model`. A normalised URL holds no space, so different candidates have different
/// keys whatever their models are called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CandidateKey(Arc<str>);

impl CandidateKey {
    pub fn new(provider: Uuid, instance: &str, model: &str) -> Self {
        Self(format!("{provider} / {instance} / {model}").into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CandidateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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
    }
}
