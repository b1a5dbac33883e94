//! Scorers: each rates every live candidate by one signal.
//!
//! A scorer knows neither its weight nor the other scorers, and gathers nothing itself. To add one,
//! write its file, name it in `ScorerName` and match it here.

mod decision_service;
mod least_inflight;
mod session_affinity;

use smallvec::SmallVec;

use crate::candidate::Candidate;
use crate::facts::{Abstention, Facts};
use crate::settings::ScorerName;

/// Up to so many candidates are ranked with nothing put aside on the heap but the ranking itself.
pub(crate) const FEW: usize = 8;

/// What a scorer says of the live candidates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ratings {
    /// One for each, in their order; higher is better, and what is no number ≥ 0 counts as 0.
    pub(crate) values: Vec<f64>,
    /// How sure the scorer is, above 0 and up to 1: what part of its weight it uses.
    pub(crate) confidence: f64,
}

impl Ratings {
    fn sure(values: Vec<f64>) -> Self {
        Self {
            values,
            confidence: 1.0,
        }
    }

    /// The ratings divided by their sum.
    ///
    /// # Errors
    /// Abstains when there is nothing to divide.
    pub(crate) fn into_shares(self) -> Result<Vec<f64>, Abstention> {
        let mut shares = self.values;
        let mut most = 0.0_f64;
        for rating in &mut shares {
            if !(rating.is_finite() && *rating > 0.0) {
                *rating = 0.0;
            }
            most = most.max(*rating);
        }
        if most == 0.0 {
            return Err(Abstention::NothingRated);
        }
        let mut sum = sum(&shares);
        if !sum.is_finite() || sum < f64::MIN_POSITIVE {
            // So large or so small that floats run out: measured by the largest they do not.
            shares.iter_mut().for_each(|rating| *rating /= most);
            sum = self::sum(&shares);
        }
        shares.iter_mut().for_each(|rating| *rating /= sum);
        Ok(shares)
    }
}

/// The smallest first: exact to the last bits, and the same in whatever order the candidates come.
fn sum(ratings: &[f64]) -> f64 {
    let mut sorted: SmallVec<[f64; FEW]> = ratings.into();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.iter().sum()
}

/// Asks one scorer for its ratings of the live candidates.
///
/// # Errors
/// Why it abstains.
pub(crate) fn rate(
    scorer: ScorerName,
    live: &[&Candidate<'_>],
    facts: &Facts<'_>,
) -> Result<Ratings, Abstention> {
    match scorer {
        ScorerName::SessionAffinity => session_affinity::rate(live, facts),
        ScorerName::LeastInflight => Ok(least_inflight::rate(live)),
        ScorerName::DecisionService => decision_service::rate(live, facts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(ratings: &[f64]) -> Result<Vec<f64>, Abstention> {
        Ratings::sure(ratings.to_vec()).into_shares()
    }

    #[test]
    fn ratings_become_shares_of_their_sum() {
        assert_eq!(shares(&[1.0, 3.0]), Ok(vec![0.25, 0.75]));
        assert_eq!(shares(&[f64::MAX, f64::MAX]), Ok(vec![0.5, 0.5]));
        assert_eq!(shares(&[5e-324, 5e-324]), Ok(vec![0.5, 0.5]));
    }

    #[test]
    fn what_is_no_rating_counts_as_nothing() {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -0.0] {
            assert_eq!(shares(&[odd, 2.0]), Ok(vec![0.0, 1.0]));
            assert_eq!(shares(&[odd, odd]), Err(Abstention::NothingRated));
        }
        assert_eq!(shares(&[]), Err(Abstention::NothingRated));
    }
}
