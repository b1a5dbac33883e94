//! A target's weight.

use std::num::NonZeroU32;

use crate::problem::Problem;

/// A whole number from 1 to 1,000,000: a target's share of the traffic, relative to the weights of
/// the other targets, whatever number of instances it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(NonZeroU32);

impl Weight {
    pub const LEAST: u32 = 1;
    pub const MOST: u32 = 1_000_000;

    pub fn get(self) -> u32 {
        self.0.get()
    }
}

impl TryFrom<u32> for Weight {
    type Error = Problem;

    fn try_from(number: u32) -> Result<Self, Problem> {
        NonZeroU32::new(number)
            .filter(|weight| weight.get() <= Self::MOST)
            .map(Self)
            .ok_or(Problem::TargetWeight(f64::from(number)))
    }
}

/// Takes a number as it came from JSON or a form; 100.0 is whole, 0.5 is not.
impl TryFrom<f64> for Weight {
    type Error = Problem;

    fn try_from(number: f64) -> Result<Self, Problem> {
        let in_range = f64::from(Self::LEAST)..=f64::from(Self::MOST);
        if !in_range.contains(&number) || number.fract() != 0.0 {
            return Err(Problem::TargetWeight(number));
        }
        // Exact: a whole number within the range of u32.
        Self::try_from(number as u32)
    }
}

impl From<Weight> for u32 {
    fn from(weight: Weight) -> Self {
        weight.get()
    }
}

impl From<Weight> for f64 {
    fn from(weight: Weight) -> Self {
        f64::from(weight.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_from_one_to_a_million() {
        for (number, weight) in [(1.0, 1), (100.0, 100), (1_000_000.0, 1_000_000)] {
            assert_eq!(Weight::try_from(number).unwrap().get(), weight);
        }
    }

    #[test]
    fn all_others_are_refused_with_advice() {
        for (number, advice) in [
            (0.0, "switch it off"),
            (-0.0, "switch it off"),
            (-1.0, "not -1; write a number"),
            (0.5, "multiply all weights"),
            (100.25, "multiply all weights"),
            (1_000_001.0, "divide all weights"),
            (f64::MAX, "divide all weights"),
            (f64::INFINITY, "not infinity; write a number"),
            (f64::NEG_INFINITY, "write a number"),
            (f64::NAN, "“not a number”; write a number"),
        ] {
            let sentence = Weight::try_from(number).unwrap_err().to_string();
            assert!(sentence.contains(advice), "{number}: {sentence}");
        }
    }
}
