//! How much was used, over time.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::price::Amount;

/// What is wanted of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::IntoParams))]
pub struct UsageQuery {
    /// From this moment on; cut to the hour.
    pub since: DateTime<Utc>,
    /// Until before this moment; now when absent.
    #[serde(default)]
    pub until: Option<DateTime<Utc>>,
    #[serde(default)]
    pub by: UsageBy,
    #[serde(default)]
    pub step: Step,
    /// Minutes by which the clock whose days are meant is ahead of UTC: 540 in Tokyo.
    #[serde(default)]
    pub offset_min: i32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum UsageBy {
    #[default]
    Route,
    Target,
    Key,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Step {
    #[default]
    Hour,
    Day,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Usage {
    /// When each step begins, without gaps, the oldest first.
    pub steps: Vec<DateTime<Utc>>,
    /// The busiest first.
    pub rows: Vec<UsageRow>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct UsageRow {
    /// Of the route, the target (`provider/model`) or the key; empty where there was none.
    pub name: String,
    /// Over all steps.
    pub total: Counts,
    /// One for each step.
    pub steps: Vec<Counts>,
}

/// What requests came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Counts {
    pub requests: u64,
    /// Those of them that ended in a status of 400 or more.
    pub errors: u64,
    /// Tokens, as far as upstreams said.
    pub input: u64,
    pub output: u64,
    /// Of the input.
    pub cached: u64,
    /// Of the output.
    pub reasoning: u64,
    /// Of tokens whose price is known.
    #[cfg_attr(feature = "ssr", schema(value_type = f64))]
    pub cost: Amount,
    /// Requests whose upstream said nothing of tokens although it answered.
    pub uncounted: u64,
}

impl Counts {
    pub fn add(&mut self, more: Self) {
        self.requests += more.requests;
        self.errors += more.errors;
        self.input += more.input;
        self.output += more.output;
        self.cached += more.cached;
        self.reasoning += more.reasoning;
        self.cost.millionths += more.cost.millionths;
        self.uncounted += more.uncounted;
    }
}
