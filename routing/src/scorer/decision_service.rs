//! Decision Service Routing: rates each candidate with the probability of its model.
//!
//! The scorer uses its weight × the confidence of the answer. A model that the answer leaves out rates
//! 0, and one that is no candidate's is ignored.
//!
//! Without a decision it abstains, and so it does when the confidence is 0, or no number from 0 to 1.

use super::Ratings;
use crate::candidate::Candidate;
use crate::facts::{Abstention, Facts};

pub(super) fn rate(live: &[&Candidate<'_>], facts: &Facts<'_>) -> Result<Ratings, Abstention> {
    let decision = facts.decision.clone()?;
    // NaN fails both comparisons.
    if !(decision.confidence > 0.0 && decision.confidence <= 1.0) {
        return Err(Abstention::NoConfidence);
    }
    let probability = |candidate: &&Candidate<'_>| {
        let model = candidate.key.model();
        decision.probabilities.get(model).copied().unwrap_or(0.0)
    };
    Ok(Ratings {
        values: live.iter().map(probability).collect(),
        confidence: decision.confidence,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use uuid::Uuid;

    use super::*;
    use crate::candidate::{CandidateKey, Load};
    use crate::facts::{Decision, NoDecision};

    fn rated(decision: Result<&Decision, NoDecision>) -> Result<Ratings, Abstention> {
        let keys = ["small", "large", "large", "other"]
            .map(|model| CandidateKey::new(Uuid::nil(), "http://h/v1", model));
        let candidates = [0, 1, 2, 3].map(|target: usize| Candidate {
            target,
            key: &keys[target],
            load: Load::default(),
            left_out: None,
        });
        let facts = Facts {
            decision,
            ..Facts::default()
        };
        rate(&candidates.iter().collect::<Vec<_>>(), &facts)
    }

    fn decision(confidence: f64) -> Decision {
        let probabilities = [("small", 0.1), ("large", 0.9), ("stranger", 1.0)];
        Decision {
            probabilities: BTreeMap::from(probabilities.map(|(model, p)| (model.to_owned(), p))),
            confidence,
        }
    }

    #[test]
    fn every_candidate_of_a_model_rates_its_probability() {
        let rated = rated(Ok(&decision(0.8))).unwrap();
        assert_eq!(rated.values, [0.1, 0.9, 0.9, 0.0]);
        assert_eq!(rated.confidence, 0.8);
    }

    #[test]
    fn without_confidence_or_decision_it_abstains() {
        for confidence in [0.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(
                rated(Ok(&decision(confidence))),
                Err(Abstention::NoConfidence)
            );
        }
        assert_eq!(
            rated(Err(NoDecision::Tripped)),
            Err(Abstention::NoDecision(NoDecision::Tripped))
        );
    }
}
