//! From what is written of a provider to what is kept of it.

use std::collections::HashMap;

use app::api::provider::{HealthCheck, Instance, Model, ProviderDraft, ProviderKind, Timeouts};
use app::error::ApiError;
use uuid::Uuid;

use super::Rules;
use super::fields::Fields;
use super::provider_rules::{self as rules, CheckedCredential, CheckedHeader};
use crate::store::{CredentialRecord, HeaderRecord, InstanceRecord, ProviderRecord, now};
use crate::vault::{Row, Vault};

/// A provider whose fields are right by themselves; what it says of stored secrets is not checked yet.
pub(super) struct CheckedProvider {
    name: String,
    kind: ProviderKind,
    enabled: bool,
    instances: Vec<Instance>,
    credentials: Option<Vec<CheckedCredential>>,
    credential_header: Option<String>,
    models: Vec<Model>,
    headers: Option<Vec<CheckedHeader>>,
    timeouts: Timeouts,
    speaks: Option<Vec<String>>,
    health_check: Option<HealthCheck>,
    include_usage: bool,
}

impl CheckedProvider {
    /// Problems go to `fields`, and what comes back counts only if there are none.
    pub(super) fn check(draft: ProviderDraft, rules: Rules, fields: &mut Fields) -> Self {
        rules::timeouts(&draft.timeouts, fields);
        rules::speaks(draft.speaks.as_deref(), fields);
        Self {
            name: rules::name(&draft, fields),
            kind: draft.kind,
            enabled: draft.enabled,
            instances: rules::instances(&draft.instances, rules, fields),
            credentials: draft
                .credentials
                .map(|drafts| rules::credentials(&drafts, fields)),
            credential_header: rules::credential_header(draft.credential_header.as_deref(), fields),
            models: rules::models(&draft.models, fields),
            headers: draft.headers.map(|drafts| rules::headers(&drafts, fields)),
            timeouts: draft.timeouts,
            speaks: draft.speaks,
            health_check: draft
                .health_check
                .map(|draft| rules::health_check(&draft, fields)),
            include_usage: draft.include_usage,
        }
    }

    /// The row of a new provider, or the one that replaces `stored`. Secrets are sealed here.
    ///
    /// # Errors
    /// 422 for a credential or header that is to be kept but is not stored.
    pub(super) fn into_record(
        self,
        stored: Option<&ProviderRecord>,
        vault: &Vault,
    ) -> Result<ProviderRecord, ApiError> {
        let mut fields = Fields::default();
        let now = now();
        let credentials = match self.credentials {
            None => stored.map_or_else(Vec::new, |stored| stored.credentials.clone()),
            Some(checked) => seal_credentials(checked, stored, vault, &mut fields)?,
        };
        let headers = match self.headers {
            None => stored.map_or_else(Vec::new, |stored| stored.headers.clone()),
            Some(checked) => seal_headers(checked, stored, vault, &mut fields)?,
        };
        let carrier = self
            .credential_header
            .as_deref()
            .unwrap_or(match self.kind {
                ProviderKind::Openai | ProviderKind::Decision => "authorization",
                ProviderKind::Anthropic => "x-api-key",
            });
        if !credentials.is_empty() && headers.iter().any(|header| header.name == carrier) {
            fields.refuse(
                format!("headers.{carrier}"),
                "This header carries the credential already; remove it or the credentials.",
            );
        }
        fields.finish()?;
        Ok(ProviderRecord {
            id: stored.map_or_else(Uuid::now_v7, |stored| stored.id),
            revision: stored.map_or(1, |stored| stored.revision + 1),
            name: self.name,
            kind: self.kind,
            enabled: self.enabled,
            instances: with_ids(self.instances, stored),
            credentials,
            credential_header: self.credential_header,
            models: self.models,
            headers,
            timeouts: self.timeouts,
            speaks: self.speaks,
            health_check: self.health_check,
            include_usage: self.include_usage,
            created_at: stored.map_or(now, |stored| stored.created_at),
            updated_at: now,
        })
    }
}

/// An instance whose URL stays keeps its id.
fn with_ids(instances: Vec<Instance>, stored: Option<&ProviderRecord>) -> Vec<InstanceRecord> {
    let known: HashMap<&str, Uuid> = stored
        .iter()
        .flat_map(|stored| &stored.instances)
        .map(|instance| (&*instance.url, instance.id))
        .collect();
    instances
        .into_iter()
        .map(|instance| InstanceRecord {
            id: known
                .get(&*instance.url)
                .copied()
                .unwrap_or_else(Uuid::now_v7),
            url: instance.url,
            max_inflight: instance.max_inflight,
        })
        .collect()
}

fn seal_credentials(
    checked: Vec<CheckedCredential>,
    stored: Option<&ProviderRecord>,
    vault: &Vault,
    fields: &mut Fields,
) -> Result<Vec<CredentialRecord>, ApiError> {
    let stored = stored.map_or(&[][..], |stored| &stored.credentials);
    let mut sealed: Vec<CredentialRecord> = Vec::with_capacity(checked.len());
    for (index, credential) in checked.into_iter().enumerate() {
        let path = format!("credentials[{index}].id");
        match credential {
            CheckedCredential::Kept(id) if sealed.iter().any(|earlier| earlier.id == id) => {
                fields.refuse(path, "This credential is named twice; remove one.");
            }
            CheckedCredential::Kept(id) => match stored.iter().find(|kept| kept.id == id) {
                Some(kept) => sealed.push(kept.clone()),
                None => fields.refuse(
                    path,
                    "This provider has no credential with this id; write the secret instead.",
                ),
            },
            CheckedCredential::New(secret) => {
                let id = Uuid::now_v7();
                sealed.push(CredentialRecord {
                    id,
                    sealed: vault.seal(Row::Credential(id), &secret)?,
                    hint: hint(&secret),
                });
            }
        }
    }
    Ok(sealed)
}

fn seal_headers(
    checked: Vec<CheckedHeader>,
    stored: Option<&ProviderRecord>,
    vault: &Vault,
    fields: &mut Fields,
) -> Result<Vec<HeaderRecord>, ApiError> {
    let stored = stored.map_or(&[][..], |stored| &stored.headers);
    let mut sealed = Vec::with_capacity(checked.len());
    for CheckedHeader { path, name, value } in checked {
        match (value, stored.iter().find(|kept| kept.name == name)) {
            (Some(value), _) => {
                let id = Uuid::now_v7();
                sealed.push(HeaderRecord {
                    id,
                    name,
                    sealed: vault.seal(Row::Header(id), &value)?,
                });
            }
            (None, Some(kept)) => sealed.push(kept.clone()),
            (None, None) => fields.refuse(path, "This header is new, so it needs a value."),
        }
    }
    sealed.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(sealed)
}

/// The last four characters, where they give away little of the whole.
fn hint(secret: &str) -> String {
    const SHOWN: usize = 4;
    const LONG_ENOUGH: usize = 12;
    let length = secret.chars().count();
    if length < LONG_ENOUGH {
        return "*".repeat(SHOWN);
    }
    secret.chars().skip(length - SHOWN).collect()
}
