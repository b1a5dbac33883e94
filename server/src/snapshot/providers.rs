//! Providers with their credentials opened and all that a request to them needs made ready.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use app::api::price::Price;
use app::api::provider::{HealthCheck, ProviderKind};
use http::Uri;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::uri::InvalidUri;
use uuid::Uuid;

use crate::gateway::Endpoint;
use crate::gateway::credentials::Credential;
use crate::gateway::inflight::InstanceLoad;
use crate::gateway::lasting::Lasting;
use crate::gateway::upstream::{Clients, Host};
use crate::store::{ProviderRecord, Renewal};
use crate::upstream_url::BaseUrl;
use crate::vault::{Row, Vault};

const ANTHROPIC_VERSION: HeaderName = HeaderName::from_static("anthropic-version");
const DEFAULT_ANTHROPIC_VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

#[derive(Debug)]
pub struct CompiledProvider {
    pub id: Uuid,
    pub name: String,
    pub enabled: bool,
    pub kind: ProviderKind,
    pub instances: Vec<CompiledInstance>,
    /// Endpoints it serves natively; `None` means all.
    pub speaks: Option<HashSet<String>>,
    /// How its instances are asked whether they are well, if they are.
    pub health_check: Option<HealthCheck>,
    /// Whether streams are asked for usage at their end.
    pub include_usage: bool,
    /// Of its models that have one.
    pub prices: HashMap<String, Price>,
    pub first_byte: Duration,
    pub idle: Duration,
    pub clients: Clients,
    /// Whose turn it is among the instances of a decision service.
    pub turn: AtomicUsize,
    /// In their order.
    pub credentials: Vec<Credential>,
    credential_header: HeaderName,
    extra_headers: HeaderMap,
}

#[derive(Debug)]
pub struct CompiledInstance {
    pub id: Uuid,
    pub base: BaseUrl,
    /// The base in its normal form, for records.
    pub url: Arc<str>,
    /// How many requests it takes at once, over all its models.
    pub max_inflight: Option<u32>,
    pub load: Arc<InstanceLoad>,
    /// Who is asked, where that is done in clear and straight.
    pub host: Option<Arc<Host>>,
    /// Where each endpoint is, joined when it is asked for first.
    endpoints: [OnceLock<Box<Uri>>; Endpoint::ALL.len()],
}

impl CompiledInstance {
    /// Where an endpoint is.
    ///
    /// # Errors
    /// None: a base URL that is read can be asked.
    pub fn uri_of(&self, endpoint: Endpoint) -> Result<Uri, InvalidUri> {
        let known = self.endpoints.get(endpoint as usize);
        if let Some(uri) = known.and_then(OnceLock::get) {
            return Ok(Uri::clone(uri));
        }
        let uri = Uri::try_from(self.base.join(endpoint.path()).as_str())?;
        if let Some(slot) = known {
            // Somebody else may have been quicker.
            let _ = slot.set(Box::new(uri.clone()));
        }
        Ok(uri)
    }

    /// Whether it takes no more for now.
    pub fn is_full(&self) -> bool {
        self.max_inflight
            .is_some_and(|most| self.load.inflight() >= most)
    }
}

impl CompiledProvider {
    pub fn speaks(&self, endpoint: &str) -> bool {
        self.speaks
            .as_ref()
            .is_none_or(|endpoints| endpoints.contains(endpoint))
    }

    /// Puts this provider's headers and a credential over what of the client's may pass.
    pub fn dress_with(&self, headers: &mut HeaderMap, credential: Option<&Credential>) {
        if self.kind == ProviderKind::Anthropic && !headers.contains_key(&ANTHROPIC_VERSION) {
            headers.insert(ANTHROPIC_VERSION, DEFAULT_ANTHROPIC_VERSION);
        }
        for (name, value) in &self.extra_headers {
            headers.insert(name.clone(), value.clone());
        }
        // What a client put there is a key of its own, whether or not the provider has one.
        headers.remove(&self.credential_header);
        if let Some(credential) = credential {
            headers.insert(self.credential_header.clone(), credential.value.clone());
        }
    }
}

/// By name, the outdated replaced.
pub(super) fn updated(
    before: &[Arc<CompiledProvider>],
    Renewal { outdated, records }: Renewal<ProviderRecord>,
    vault: &Vault,
    lasting: &Lasting,
) -> Result<Vec<Arc<CompiledProvider>>, reqwest::Error> {
    let kept = before
        .iter()
        .filter(|provider| !outdated.contains(provider.id))
        .map(|provider| Ok(Arc::clone(provider)));
    let renewed = records
        .into_iter()
        .map(|record| compile_one(record, vault, lasting).map(Arc::new));
    let mut all: Vec<_> = kept.chain(renewed).collect::<Result<_, _>>()?;
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

/// Also used to call one provider outside of a route, as *Test* does.
///
/// # Errors
/// When no HTTP client can be made.
pub fn compile_one(
    record: ProviderRecord,
    vault: &Vault,
    lasting: &Lasting,
) -> Result<CompiledProvider, reqwest::Error> {
    let own_header = record
        .credential_header
        .as_deref()
        .and_then(|name| HeaderName::try_from(name).ok());
    let is_bearer = own_header.is_none() && record.kind != ProviderKind::Anthropic;
    let credential_header = own_header.unwrap_or(match record.kind {
        ProviderKind::Anthropic => HeaderName::from_static("x-api-key"),
        ProviderKind::Openai | ProviderKind::Decision => header::AUTHORIZATION,
    });

    let mut credentials = Vec::with_capacity(record.credentials.len());
    for credential in &record.credentials {
        match vault.unseal(Row::Credential(credential.id), &credential.sealed) {
            Ok(secret) => {
                let text = if is_bearer {
                    format!("Bearer {secret}")
                } else {
                    secret
                };
                credentials.extend(sensitive(&text).map(|value| Credential {
                    value,
                    hint: credential.hint.as_str().into(),
                    rest: lasting.rests.of(credential.id),
                }));
            }
            Err(error) => tracing::error!(provider = record.name, %error, "credential left out"),
        }
    }
    let mut extra_headers = HeaderMap::new();
    for extra in &record.headers {
        match (
            HeaderName::try_from(&extra.name),
            vault.unseal(Row::Header(extra.id), &extra.sealed),
        ) {
            (Ok(name), Ok(value)) => {
                if let Some(value) = sensitive(&value) {
                    extra_headers.insert(name, value);
                }
            }
            _ => tracing::error!(
                provider = record.name,
                header = extra.name,
                "extra header left out"
            ),
        }
    }
    let instances = record
        .instances
        .into_iter()
        .filter_map(|instance| match BaseUrl::parse(&instance.url) {
            Ok(base) => Some(CompiledInstance {
                id: instance.id,
                load: lasting.loads.instance(record.id, base.as_str()),
                host: Uri::try_from(base.as_str())
                    .ok()
                    .and_then(|uri| lasting.upstreams.host(&uri)),
                url: base.as_str().into(),
                base,
                max_inflight: instance.max_inflight,
                endpoints: Default::default(),
            }),
            Err(error) => {
                tracing::error!(provider = record.name, %error, "instance left out");
                None
            }
        })
        .collect();
    Ok(CompiledProvider {
        id: record.id,
        name: record.name,
        enabled: record.enabled,
        kind: record.kind,
        instances,
        speaks: record
            .speaks
            .map(|endpoints| endpoints.into_iter().collect()),
        health_check: record.health_check,
        include_usage: record.include_usage,
        prices: record
            .models
            .into_iter()
            .filter_map(|model| Some((model.name, model.price?)))
            .collect(),
        first_byte: Duration::from_millis(record.timeouts.first_byte_ms),
        idle: Duration::from_millis(record.timeouts.idle_ms),
        clients: lasting.upstreams.clients(record.timeouts.connect_ms)?,
        turn: AtomicUsize::default(),
        credentials,
        credential_header,
        extra_headers,
    })
}

/// A header value that no log shows.
fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}
