//! What tokens cost, in whatever currency the operator counts.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::request::Tokens;

/// An amount of money, exact to the millionth: a number in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount {
    pub millionths: u64,
}

const MILLION: f64 = 1_000_000.0;
const MOST: f64 = 1_000_000.0;

impl Amount {
    pub fn new(millionths: u64) -> Self {
        Self { millionths }
    }

    /// Nothing unless it is a number from 0 to a million.
    pub fn from_number(number: f64) -> Option<Self> {
        let is_amount = (0.0..=MOST).contains(&number);
        is_amount.then(|| Self::new((number * MILLION).round() as u64))
    }

    pub fn to_number(self) -> f64 {
        self.millionths as f64 / MILLION
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_number())
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Self::from_number(number)
            .ok_or_else(|| serde::de::Error::custom("a price must be a number from 0 to 1,000,000"))
    }
}

/// Of a million tokens of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Price {
    #[cfg_attr(feature = "ssr", schema(value_type = f64))]
    pub input: Amount,
    #[cfg_attr(feature = "ssr", schema(value_type = f64))]
    pub output: Amount,
    /// Of input that was read from a cache; like all input when null.
    #[serde(default)]
    #[cfg_attr(feature = "ssr", schema(value_type = Option<f64>))]
    pub cached: Option<Amount>,
}

impl Price {
    pub fn of(&self, tokens: Tokens) -> Amount {
        let cached = tokens.cached.unwrap_or_default().min(tokens.input);
        let parts = [
            (tokens.input - cached, self.input),
            (cached, self.cached.unwrap_or(self.input)),
            (tokens.output, self.output),
        ];
        let sum: u128 = parts
            .iter()
            .map(|(count, price)| u128::from(*count) * u128::from(price.millionths))
            .sum();
        Amount::new(u64::try_from(sum / 1_000_000).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(number: f64) -> Amount {
        Amount::from_number(number).unwrap()
    }

    #[test]
    fn a_million_tokens_cost_their_price() {
        let price = Price {
            input: amount(2.5),
            output: amount(10.0),
            cached: Some(amount(0.25)),
        };
        let tokens = |input, output, cached| Tokens {
            input,
            output,
            cached,
            reasoning: None,
        };
        assert_eq!(price.of(tokens(1_000_000, 0, None)), amount(2.5));
        assert_eq!(price.of(tokens(0, 500_000, None)), amount(5.0));
        assert_eq!(
            price.of(tokens(1_000_000, 0, Some(1_000_000))),
            amount(0.25)
        );
        assert_eq!(price.of(tokens(1_000, 100, Some(400))), amount(0.0026));
        assert_eq!(
            price.of(tokens(7, 0, Some(9))),
            price.of(tokens(7, 0, Some(7)))
        );
        let dear = Price {
            cached: None,
            ..price
        };
        assert_eq!(
            dear.of(tokens(10, 0, Some(10))),
            dear.of(tokens(10, 0, None))
        );
        assert_eq!(
            price.of(tokens(u64::MAX, u64::MAX, None)).millionths,
            u64::MAX
        );
    }

    #[test]
    fn amounts_are_numbers_in_json() {
        let price: Price = serde_json::from_str(r#"{"input": 0.15, "output": 3}"#).unwrap();
        assert_eq!(
            (price.input.millionths, price.output.millionths),
            (150_000, 3_000_000)
        );
        let json = serde_json::to_string(&price).unwrap();
        assert_eq!(json, r#"{"input":0.15,"output":3.0,"cached":null}"#);
        for bad in ["-1", "1000001", "\"1\"", "null"] {
            assert!(serde_json::from_str::<Amount>(bad).is_err(), "{bad}");
        }
    }
}
