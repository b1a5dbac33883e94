//! Who calls `/v1`: from memory, in either of the two headers that clients use.

use std::sync::Arc;

use app::api::key::Scope;
use chrono::{DateTime, Utc};
use http::HeaderMap;

use super::error::GatewayError;
use crate::auth::api_key::{KeyProblem, PresentedKey};
use crate::snapshot::{CompiledKey, KeyRefusal, Snapshot};

/// The key of a request. 401 when there is none that is good, 403 when it is not for inference.
pub fn authenticate<'a>(
    snapshot: &'a Snapshot,
    headers: &HeaderMap,
    now: DateTime<Utc>,
) -> Result<&'a Arc<CompiledKey>, GatewayError> {
    let presented = PresentedKey::of(headers).map_err(|problem| {
        GatewayError::unauthenticated(match problem {
            KeyProblem::Missing => "No API key. Send `Authorization: Bearer sb_…` or `x-api-key: sb_…`.",
            KeyProblem::Foreign => {
                "This is not a Signalbox API key: those start with `sb_` and are made on the API Keys page or by POST /api/v1/keys."
            }
        })
    })?;
    let key = snapshot.keys.verify(presented, now).map_err(|refusal| {
        GatewayError::unauthenticated(match refusal {
            KeyRefusal::Unknown => "This API key is not known here, or was deleted.",
            KeyRefusal::Expired => "This API key has expired. Ask for a new one.",
        })
    })?;
    if !key.has(Scope::Inference) {
        return Err(GatewayError::forbidden(
            "This API key is for management only: it lacks the scope `inference`.",
        ));
    }
    key.used(now);
    Ok(key)
}
