//! Who calls `/v1`: from memory, in either of the two headers that clients use; or who was let in before.

use std::sync::Arc;

use app::api::key::Scope;
use chrono::{DateTime, Utc};
use http::HeaderMap;
use http::request::Parts;

use super::error::GatewayError;
use crate::auth::api_key::{KeyProblem, PresentedKey};
use crate::snapshot::{CompiledKey, KeyRefusal, Snapshot};

/// Who calls, by one state of the settings.
#[derive(Debug)]
pub struct Caller {
    pub key: Arc<CompiledKey>,
    settings: i64,
}

/// On a request, the key under which it is let in without one of its own.
#[derive(Clone, Debug)]
pub struct LetIn(pub Arc<CompiledKey>);

impl Caller {
    /// # Errors
    /// 401 without a good key, 403 for one that is not for inference.
    pub fn of(parts: &Parts, snapshot: &Snapshot) -> Result<Self, GatewayError> {
        let key = match parts.extensions.get::<LetIn>() {
            Some(LetIn(key)) => key,
            None => authenticate(snapshot, &parts.headers, Utc::now())?,
        };
        Ok(Self {
            key: Arc::clone(key),
            settings: snapshot.version,
        })
    }

    /// Who it is by the settings that are there now: a key may be deleted or limited while a body arrives.
    ///
    /// # Errors
    /// As for `of`.
    pub fn still(
        self,
        parts: &Parts,
        snapshot: &Snapshot,
    ) -> Result<Arc<CompiledKey>, GatewayError> {
        match self.settings == snapshot.version {
            true => Ok(self.key),
            false => Self::of(parts, snapshot).map(|caller| caller.key),
        }
    }
}

/// The key of a request. 401 when there is none that is good, 403 when it is not for inference.
fn authenticate<'a>(
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
