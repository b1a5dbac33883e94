//! Instances as the gateway has them at one moment.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "ssr", schema(as = InstanceState))]
pub struct Instance {
    /// The provider's name.
    pub provider: String,
    /// The base URL in its normal form.
    pub url: String,
    pub health: Health,
    /// Requests under way, over all models and routes.
    pub inflight: u32,
    /// How many it takes at once; no limit when null.
    pub max_inflight: Option<u32>,
    /// Why it last gave no answer, if it ever did so since the start.
    pub last_error: Option<String>,
    /// Until when it is left alone; null unless it is ejected.
    pub ejected_until: Option<DateTime<Utc>>,
}

/// Whether requests go to an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Health {
    Ok,
    /// Back after a while without requests, and still given fewer.
    Recovering,
    /// Left alone for a while because it could not be reached.
    Ejected,
}
