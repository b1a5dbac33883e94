//! What the fields of a provider must be.

use std::collections::{BTreeMap, HashMap};

use app::api::provider::{CredentialDraft, HealthCheck, Instance, Model, ProviderDraft, Timeouts};
use http::{HeaderName, HeaderValue};
use uuid::Uuid;

use super::Rules;
use super::fields::Fields;
use crate::upstream_url::BaseUrl;

const MOST_NAME: usize = 255;
const MOST_INSTANCES: usize = 256;
const MOST_CREDENTIALS: usize = 100;
/// As many as fit an index row of Postgres, whatever the alphabet.
const MOST_MODEL_NAME: usize = 500;
const MOST_MODELS: usize = 10_000;
const MOST_HEADERS: usize = 50;
/// Servers commonly take no longer header than this.
const MOST_HEADER_VALUE: usize = 8_000;
const DAY_MS: u64 = 86_400_000;
const MOST_HEALTH_PATH: usize = 500;
const HOUR_S: u32 = 3_600;

/// The endpoints of `/v1` by the names that `speaks` uses.
const ENDPOINTS: [&str; 11] = [
    "chat",
    "completions",
    "responses",
    "messages",
    "count_tokens",
    "embeddings",
    "rerank",
    "score",
    "moderations",
    "images",
    "audio",
];

/// Headers that belong to a connection, to HTTP itself or to Signalbox.
const RESERVED_HEADERS: [&str; 11] = [
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A credential of a draft: one that is stored already, or a new secret.
pub(super) enum CheckedCredential {
    Kept(Uuid),
    New(String),
}

/// An extra header of a draft. Its path is as it was typed.
pub(super) struct CheckedHeader {
    pub(super) path: String,
    pub(super) name: String,
    /// None keeps the stored value.
    pub(super) value: Option<String>,
}

pub(super) fn name(draft: &ProviderDraft, fields: &mut Fields) -> String {
    let name = fields.line(&draft.name, MOST_NAME, "name", "Give the provider a name.");
    if name.contains('/') {
        fields.refuse("name", "A provider name cannot hold \"/\".");
    }
    // Routes name providers by name or id, so a name must not look like one.
    if Uuid::try_parse(&name).is_ok() {
        fields.refuse("name", "A provider name cannot have the form of an id.");
    }
    name
}

pub(super) fn instances(drafts: &[Instance], rules: Rules, fields: &mut Fields) -> Vec<Instance> {
    if drafts.is_empty() {
        fields.refuse("instances", "A provider needs at least one instance.");
    }
    fields.at_most(drafts.len(), MOST_INSTANCES, "instances", "instances");
    let mut seen: HashMap<BaseUrl, usize> = HashMap::new();
    for (index, draft) in drafts.iter().enumerate() {
        let path = format!("instances[{index}].url");
        match BaseUrl::parse(&draft.url) {
            Err(problem) => fields.refuse(path, problem),
            Ok(base) if base.is_link_local() && !rules.allow_link_local => fields.refuse(
                path,
                "Link-local addresses are not called: clouds serve their machines' secrets there.",
            ),
            Ok(base) => {
                if let Some(earlier) = seen.insert(base, index) {
                    fields.refuse(
                        path,
                        format!(
                            "Instance {} has the same base URL; remove one.",
                            earlier + 1
                        ),
                    );
                }
            }
        }
        if draft.max_inflight == Some(0) {
            fields.refuse(
                format!("instances[{index}].max_inflight"),
                "Write at least 1, or leave it out for no limit.",
            );
        }
    }
    drafts
        .iter()
        .map(|draft| Instance {
            url: draft.url.trim().to_owned(),
            max_inflight: draft.max_inflight,
        })
        .collect()
}

pub(super) fn credentials(
    drafts: &[CredentialDraft],
    fields: &mut Fields,
) -> Vec<CheckedCredential> {
    fields.at_most(drafts.len(), MOST_CREDENTIALS, "credentials", "credentials");
    let mut checked = Vec::with_capacity(drafts.len());
    for (index, draft) in drafts.iter().enumerate() {
        match (&draft.id, &draft.secret) {
            (Some(id), None) => checked.push(CheckedCredential::Kept(*id)),
            (None, Some(secret)) => {
                let path = format!("credentials[{index}].secret");
                let secret = header_value(secret, &path, "Write the secret.", fields);
                checked.push(CheckedCredential::New(secret));
            }
            _ => fields.refuse(
                format!("credentials[{index}]"),
                "Give either the id of a stored credential or a new secret.",
            ),
        }
    }
    checked
}

/// A blank one is none: the kind's own header carries the credential.
pub(super) fn credential_header(draft: Option<&str>, fields: &mut Fields) -> Option<String> {
    let typed = draft.map(str::trim).filter(|typed| !typed.is_empty())?;
    header_name(typed, "credential_header", fields)
}

pub(super) fn headers(
    drafts: &BTreeMap<String, Option<String>>,
    fields: &mut Fields,
) -> Vec<CheckedHeader> {
    fields.at_most(drafts.len(), MOST_HEADERS, "headers", "headers");
    let mut checked: Vec<CheckedHeader> = Vec::with_capacity(drafts.len());
    for (typed, value) in drafts {
        let path = format!("headers.{typed}");
        let Some(name) = header_name(typed.trim(), &path, fields) else {
            continue;
        };
        if checked.iter().any(|header| header.name == name) {
            fields.refuse(&path, "Header names differ by more than case; remove one.");
        }
        let value = value.as_deref().map(|value| {
            header_value(value, &path, "Write a value, or remove the header.", fields)
        });
        checked.push(CheckedHeader { path, name, value });
    }
    checked
}

pub(super) fn models(drafts: &[Model], fields: &mut Fields) -> Vec<Model> {
    fields.at_most(drafts.len(), MOST_MODELS, "models", "models");
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut checked = Vec::with_capacity(drafts.len());
    for (index, draft) in drafts.iter().enumerate() {
        let path = format!("models[{index}].name");
        let name = fields.line(
            &draft.name,
            MOST_MODEL_NAME,
            &path,
            "Name the model as the upstream does.",
        );
        if let Some(earlier) = seen.insert(draft.name.trim(), index) {
            fields.refuse(
                path,
                format!("Model {} has this name too; remove one.", earlier + 1),
            );
        }
        checked.push(Model {
            name,
            category: draft.category,
            price: draft.price,
        });
    }
    checked
}

pub(super) fn timeouts(draft: &Timeouts, fields: &mut Fields) {
    for (name, ms) in [
        ("connect_ms", draft.connect_ms),
        ("first_byte_ms", draft.first_byte_ms),
        ("idle_ms", draft.idle_ms),
    ] {
        if !(1..=DAY_MS).contains(&ms) {
            fields.refuse(
                format!("timeouts.{name}"),
                "Write 1 to 86,400,000 milliseconds (a day).",
            );
        }
    }
}

pub(super) fn speaks(draft: Option<&[String]>, fields: &mut Fields) {
    let Some(draft) = draft else { return };
    if draft.is_empty() {
        fields.refuse(
            "speaks",
            "Name at least one endpoint, or leave it out for all of them.",
        );
    }
    for (index, endpoint) in draft.iter().enumerate() {
        if !ENDPOINTS.contains(&&**endpoint) {
            fields.refuse(
                format!("speaks[{index}]"),
                format!("Choose one of {}.", ENDPOINTS.join(", ")),
            );
        } else if draft[..index].contains(endpoint) {
            fields.refuse(
                format!("speaks[{index}]"),
                "This is named twice; remove one.",
            );
        }
    }
}

pub(super) fn health_check(draft: &HealthCheck, fields: &mut Fields) -> HealthCheck {
    let missing = "Write a path such as /health, or leave the health check out.";
    let path = fields.line(&draft.path, MOST_HEALTH_PATH, "health_check.path", missing);
    if !path.starts_with('/') {
        fields.refuse(
            "health_check.path",
            "A path begins with a slash, such as /health; the host is each instance's own.",
        );
    }
    if !path
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'#')
    {
        fields.refuse(
            "health_check.path",
            "A path holds neither spaces nor \"#\" nor letters beyond ASCII; write those as %20 and the like.",
        );
    }
    if !(1..=HOUR_S).contains(&draft.interval_s) {
        fields.refuse(
            "health_check.interval_s",
            "Write 1 to 3,600 seconds (an hour).",
        );
    }
    HealthCheck {
        path,
        interval_s: draft.interval_s,
    }
}

/// The name in lower case, unless it is no header name or one that providers may not set.
fn header_name(typed: &str, path: &str, fields: &mut Fields) -> Option<String> {
    let Ok(name) = typed.parse::<HeaderName>() else {
        fields.refuse(
            path,
            "This is no header name; write one like api-key, with letters, digits and hyphens.",
        );
        return None;
    };
    let name = name.as_str().to_owned();
    if RESERVED_HEADERS.contains(&&*name) || name.starts_with("x-signalbox-") {
        fields.refuse(
            path,
            "This header is set by HTTP or by Signalbox itself; choose another.",
        );
        return None;
    }
    Some(name)
}

/// A secret that travels as a header's value. No problem repeats it.
fn header_value(typed: &str, path: &str, missing: &str, fields: &mut Fields) -> String {
    let value = fields.line(typed, MOST_HEADER_VALUE, path, missing);
    if HeaderValue::from_str(&value).is_err() {
        fields.refuse(path, "This holds characters that no header can carry.");
    }
    value
}
