//! What a request tells its scorers. The caller gathers it; scorers only read it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What is known of one request besides how busy each candidate is.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// What [`SessionKeys`](crate::SessionKeys) found, if anything.
    pub session: Option<&'a str>,
    /// What the decision service said, or why it said nothing.
    pub decision: Result<&'a Decision, NoDecision>,
    /// Chance: drawn uniformly from [0, 1), it breaks ties. Anything else counts as 0.
    pub ticket: f64,
}

impl Default for Facts<'_> {
    fn default() -> Self {
        Self {
            session: None,
            decision: Err(NoDecision::NotAsked),
            ticket: 0.0,
        }
    }
}

/// Which model fits a request, by a decision service.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// By model name, each from 0 to 1; a model that is not in it has 0.
    pub probabilities: BTreeMap<String, f64>,
    /// From 0, which abstains, to 1. The scorer's weight is multiplied by it.
    pub confidence: f64,
}

impl Decision {
    /// With the confidence that Jev itself would have in these probabilities:
    /// (max p − 1/n) / (1 − 1/n), which is 0 when all n are the same and 1 when one is certain.
    pub fn from_probabilities(probabilities: BTreeMap<String, f64>) -> Self {
        let even = 1.0 / probabilities.len() as f64;
        let most = probabilities.values().copied().fold(0.0, f64::max);
        let confidence = match probabilities.len() {
            0 => 0.0,
            1 => 1.0,
            _ => ((most - even) / (1.0 - even)).clamp(0.0, 1.0),
        };
        Self {
            probabilities,
            confidence,
        }
    }
}

/// Why a scorer took no part in a ranking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Abstention {
    NoSessionKey,
    /// No candidate got a rating above 0.
    NothingRated,
    NoConfidence,
    NoDecision(NoDecision),
}

/// Why there is no decision for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoDecision {
    NotAsked,
    TooFewModels,
    NoJsonBody,
    /// The service failed several times in a row and is left alone for a while.
    Tripped,
    NestedTooDeep,
    /// The service was asked in vain; the sentence holds no secret.
    Failed(Arc<str>),
}

impl From<NoDecision> for Abstention {
    fn from(reason: NoDecision) -> Self {
        Self::NoDecision(reason)
    }
}

impl fmt::Display for Abstention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSessionKey => f.write_str("the request has no session key"),
            Self::NothingRated => f.write_str("it rates every candidate 0"),
            Self::NoConfidence => {
                f.write_str("the decision service has no confidence in its answer")
            }
            Self::NoDecision(reason) => reason.fmt(f),
        }
    }
}

impl fmt::Display for NoDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAsked => "the decision service was not asked",
            Self::TooFewModels => "fewer than two of the models that can answer have a criterion",
            Self::NoJsonBody => "the request has no JSON body to decide by",
            Self::Tripped => {
                "the decision service failed repeatedly and is left alone for some seconds"
            }
            Self::NestedTooDeep => "the request's body is nested deeper than 128 levels",
            Self::Failed(why) => why,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_jevs_own() {
        let of = |probabilities: &[f64]| {
            let named = (0..)
                .zip(probabilities)
                .map(|(n, p): (i32, _)| (n.to_string(), *p));
            Decision::from_probabilities(named.collect()).confidence
        };
        assert!((of(&[0.1, 0.9]) - 0.8).abs() < 1e-12);
        assert_eq!(of(&[0.5, 0.5]), 0.0);
        assert_eq!(of(&[0.0, 1.0, 0.0]), 1.0);
        assert_eq!((of(&[0.3]), of(&[])), (1.0, 0.0));
        assert_eq!((of(&[0.1, 0.1]), of(&[f64::NAN, 7.0])), (0.0, 1.0));
    }
}
