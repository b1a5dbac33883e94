//! Providers as the management API and the pages see them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::price::Price;

/// What language an upstream speaks and how it is authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Credentials go as `Authorization: Bearer`.
    Openai,
    /// Credentials go as `x-api-key`, with a default `anthropic-version`.
    Anthropic,
    /// A Jev-compatible decision service; cannot be a target.
    Decision,
}

/// What a model is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Category {
    Llm,
    Embedding,
    Reranker,
    Image,
    SpeechToText,
    TextToSpeech,
    Decision,
    #[default]
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Instance {
    /// The base to which the path after `/v1` is added; `http://h:8000` and `http://h:8000/v1` are the same.
    pub url: String,
    /// How many requests it takes at once, over all its models; no limit when null.
    #[serde(default)]
    pub max_inflight: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Model {
    pub name: String,
    #[serde(default)]
    pub category: Category,
    /// What its tokens cost; without it requests have no cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect_ms: u64,
    /// From the sent request to the first byte of the answer.
    pub first_byte_ms: u64,
    /// Between two pieces of the answer. The whole of a stream has no limit.
    pub idle_ms: u64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect_ms: 5_000,
            first_byte_ms: 600_000,
            idle_ms: 300_000,
        }
    }
}

/// A call that each instance is asked with now and then, to find out whether it is well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct HealthCheck {
    /// On the instance's host, not under its base path: `/health`.
    pub path: String,
    /// From 1 to 3,600 seconds between two calls.
    pub interval_s: u32,
}

/// A stored credential; its secret never comes back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Credential {
    pub id: Uuid,
    /// The secret's last four characters.
    pub hint: String,
}

/// A credential on write: `{"secret":"…"}` is new, `{"id":"…"}` keeps a stored one.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct CredentialDraft {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

impl std::fmt::Debug for CredentialDraft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CredentialDraft")
            .field("id", &self.id)
            .field("secret", &self.secret.as_ref().map(|_| "…"))
            .finish()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Provider {
    pub id: Uuid,
    pub revision: i64,
    pub name: String,
    pub kind: ProviderKind,
    pub enabled: bool,
    pub instances: Vec<Instance>,
    pub credentials: Vec<Credential>,
    /// The header that carries the credential where it is not the kind's own (Azure: `api-key`).
    pub credential_header: Option<String>,
    pub models: Vec<Model>,
    /// Names of extra headers; their values are secrets and read back as null.
    pub headers: BTreeMap<String, Option<String>>,
    pub timeouts: Timeouts,
    /// Endpoints served natively (`chat`, `responses`, `messages`, …); null means all.
    pub speaks: Option<Vec<String>>,
    /// Null where only requests show whether an instance is well.
    pub health_check: Option<HealthCheck>,
    /// Whether chat and completion streams are asked to count tokens at their end
    /// (`stream_options.include_usage`). A client that did not ask for it does not get that last event, but
    /// other events may differ: some servers add `"usage": null` to them.
    pub include_usage: bool,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// A provider on write. What is omitted takes its default, except `credentials` and `headers`:
/// omitted they stay as they are, empty they are removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ProviderDraft {
    /// The revision this edit started from; required when an existing provider is written.
    #[serde(default)]
    pub revision: Option<i64>,
    /// Unique, without `/`.
    pub name: String,
    pub kind: ProviderKind,
    #[serde(default = "yes")]
    pub enabled: bool,
    #[serde(default)]
    pub instances: Vec<Instance>,
    #[serde(default)]
    pub credentials: Option<Vec<CredentialDraft>>,
    #[serde(default)]
    pub credential_header: Option<String>,
    #[serde(default)]
    pub models: Vec<Model>,
    /// A value of null keeps the stored one.
    #[serde(default)]
    pub headers: Option<BTreeMap<String, Option<String>>>,
    #[serde(default)]
    pub timeouts: Timeouts,
    #[serde(default)]
    pub speaks: Option<Vec<String>>,
    #[serde(default)]
    pub health_check: Option<HealthCheck>,
    #[serde(default)]
    pub include_usage: bool,
}

/// What is there, as an edit begins. Secrets are omitted, and so stay.
impl From<Provider> for ProviderDraft {
    fn from(provider: Provider) -> Self {
        Self {
            revision: Some(provider.revision),
            name: provider.name,
            kind: provider.kind,
            enabled: provider.enabled,
            instances: provider.instances,
            credentials: None,
            credential_header: provider.credential_header,
            models: provider.models,
            headers: None,
            timeouts: provider.timeouts,
            speaks: provider.speaks,
            health_check: provider.health_check,
            include_usage: provider.include_usage,
        }
    }
}

fn yes() -> bool {
    true
}

/// What a real call to every instance of a provider showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct ProviderTest {
    /// True when every instance answered well.
    pub ok: bool,
    /// Of the slowest instance.
    pub latency_ms: u64,
    pub message: String,
    pub instances: Vec<InstanceTest>,
    /// The endpoints of the first instance that answers well, by the names that a provider's `speaks`
    /// uses; none for a decision service.
    pub speaks: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct InstanceTest {
    pub url: String,
    pub ok: bool,
    pub latency_ms: u64,
    /// The upstream's HTTP status, when it answered at all.
    pub status: Option<u16>,
    pub message: String,
}
