//! What was asked and answered, sealed for the row of its request.

use app::api::request::{Bodies, Body};
use uuid::Uuid;

use crate::gateway::bodies::Text;
use crate::gateway::record::Record;
use crate::store::BodiesRow;
use crate::vault::{Row, Vault, VaultError};

pub(super) fn sealed(record: &Record, vault: &Vault) -> Option<BodiesRow> {
    let kept = record.bodies.as_ref()?;
    let body = |Text { text, is_cut }: Text| Body { text, cut: is_cut };
    let bodies = Bodies {
        asked: body(kept.asked()),
        answered: body(kept.answered()),
    };
    let text = serde_json::to_string(&bodies).ok()?;
    let sealed = vault.seal(Row::Bodies(record.id), &text);
    let sealed = sealed
        .inspect_err(|error| tracing::error!(%error, "the bodies of a request were not kept"))
        .ok()?;
    Some(BodiesRow {
        id: record.id,
        sealed,
    })
}

/// # Errors
/// When they were sealed for another row or by another vault.
pub fn unseal(id: Uuid, sealed: &[u8], vault: &Vault) -> Result<Bodies, VaultError> {
    let text = vault.unseal(Row::Bodies(id), sealed)?;
    serde_json::from_str(&text).map_err(|_| VaultError::Damaged)
}
