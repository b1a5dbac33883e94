//! Real calls to a provider outside of any route: *Test* and *Fetch models*.

use std::sync::Arc;
use std::time::{Duration, Instant};

use app::api::provider::{InstanceTest, ProviderKind, ProviderTest};
use app::error::{ApiError, ErrorCode};
use futures_util::future::join_all;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use reqwest::Request;
use serde::Deserialize;
use tokio::time::timeout;

use crate::gateway::lasting::Lasting;
use crate::gateway::upstream::{Failure, with_causes};
use crate::snapshot::{CompiledInstance, CompiledProvider, compile_one};
use crate::store::ProviderRecord;
use crate::vault::Vault;

/// Somebody waits in front of a page.
const PATIENCE: Duration = Duration::from_secs(15);
/// A list of ten thousand models has about a megabyte.
const LARGEST_ANSWER: usize = 8 * 1024 * 1024;

/// Endpoints by the names that `speaks` uses, each with a path after `/v1` that takes JSON.
const ENDPOINTS: [(&str, &str); 11] = [
    ("chat", "/chat/completions"),
    ("completions", "/completions"),
    ("responses", "/responses"),
    ("messages", "/messages"),
    ("count_tokens", "/messages/count_tokens"),
    ("embeddings", "/embeddings"),
    ("rerank", "/rerank"),
    ("score", "/score"),
    ("moderations", "/moderations"),
    ("images", "/images/generations"),
    ("audio", "/audio/speech"),
];

/// Calls providers on an operator's behalf.
#[derive(Debug)]
pub struct Prober {
    vault: Vault,
    lasting: Arc<Lasting>,
}

/// What one instance answered to `GET /models`.
struct Answer {
    status: StatusCode,
    body: Vec<u8>,
}

/// `{"data":[{"id"}]}` as OpenAI and Anthropic list, or `{"models":[{"name"}]}` as Jev does. Some say
/// both, and then mean the first.
#[derive(Deserialize)]
struct ModelList {
    data: Option<Vec<ListedModel>>,
    models: Option<Vec<ListedModel>>,
}

#[derive(Deserialize)]
struct ListedModel {
    id: Option<String>,
    name: Option<String>,
}

impl ModelList {
    /// Each once, in order; nothing when it is another kind of list.
    fn names(self) -> Option<Vec<String>> {
        let listed = self.data.or(self.models)?.into_iter();
        let mut names: Vec<String> = listed
            .map(|model| model.id.or(model.name))
            .collect::<Option<_>>()?;
        names.sort();
        names.dedup();
        Some(names)
    }
}

impl Prober {
    pub fn new(vault: Vault, lasting: Arc<Lasting>) -> Self {
        Self { vault, lasting }
    }

    /// Asks every instance for its models: the one call that all kinds answer, that costs nothing and
    /// that needs the credential. The first that answers well is then asked what it serves.
    pub async fn test(&self, provider: ProviderRecord) -> Result<ProviderTest, ApiError> {
        let provider = self.compile(provider)?;
        let instances = join_all(
            provider
                .instances
                .iter()
                .map(|instance| test_instance(&provider, instance)),
        )
        .await;
        let good = instances
            .iter()
            .zip(&provider.instances)
            .find(|(test, _)| test.ok);
        let speaks = match good {
            Some((_, instance)) if provider.kind != ProviderKind::Decision => {
                served(&provider, instance).await
            }
            _ => Vec::new(),
        };
        let failed: Vec<&InstanceTest> = instances.iter().filter(|instance| !instance.ok).collect();
        let message = match failed.as_slice() {
            [] if instances.len() == 1 => "The instance answers.".to_owned(),
            [] => format!("All {} instances answer.", instances.len()),
            [only] => format!("{}: {}", only.url, only.message),
            [first, ..] => format!(
                "{} of {} instances fail; {}: {}",
                failed.len(),
                instances.len(),
                first.url,
                first.message
            ),
        };
        Ok(ProviderTest {
            ok: failed.is_empty(),
            latency_ms: instances
                .iter()
                .map(|instance| instance.latency_ms)
                .max()
                .unwrap_or_default(),
            message,
            instances,
            speaks,
        })
    }

    /// The names that the first instance which answers well lists.
    pub async fn upstream_models(&self, provider: ProviderRecord) -> Result<Vec<String>, ApiError> {
        let provider = self.compile(provider)?;
        let mut last = "It has no instance.".to_owned();
        for instance in &provider.instances {
            match ask(&provider, instance).await {
                Ok(answer) if answer.status.is_success() => {
                    let list = serde_json::from_slice::<ModelList>(&answer.body).ok();
                    match list.and_then(ModelList::names) {
                        Some(names) => return Ok(names),
                        None => {
                            last = "It answers, but not with a list of models. Enter them by hand."
                                .to_owned();
                        }
                    }
                }
                Ok(answer) => last = in_words(answer.status),
                Err(problem) => last = problem,
            }
        }
        Err(ApiError::new(
            ErrorCode::Upstream,
            format!(
                "The provider `{}` did not list its models. {last}",
                provider.name
            ),
        ))
    }

    fn compile(&self, record: ProviderRecord) -> Result<CompiledProvider, ApiError> {
        compile_one(record, &self.vault, &self.lasting).map_err(|error| {
            ApiError::new(
                ErrorCode::Internal,
                format!("An HTTP client could not be made: {error}"),
            )
        })
    }
}

async fn test_instance(provider: &CompiledProvider, instance: &CompiledInstance) -> InstanceTest {
    let begun = Instant::now();
    let answer = ask(provider, instance).await;
    let latency_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let url = instance.base.to_string();
    match answer {
        Ok(answer) => InstanceTest {
            url,
            ok: answer.status.is_success(),
            latency_ms,
            status: Some(answer.status.as_u16()),
            message: in_words(answer.status),
        },
        Err(message) => InstanceTest {
            url,
            ok: false,
            latency_ms,
            status: None,
            message,
        },
    }
}

/// The endpoints that an instance serves, as far as it says so in time.
async fn served(provider: &CompiledProvider, instance: &CompiledInstance) -> Vec<String> {
    let asked = ENDPOINTS.map(|(name, path)| async move {
        let serves = timeout(PATIENCE, serves(provider, instance, path)).await;
        matches!(serves, Ok(true)).then(|| name.to_owned())
    });
    join_all(asked).await.into_iter().flatten().collect()
}

/// Sends nothing but `{}`, which costs nothing: who serves the path finds fault with that, and who does
/// not finds fault with the path. A redirect is no answer of an endpoint, for none is followed.
async fn serves(provider: &CompiledProvider, instance: &CompiledInstance, path: &str) -> bool {
    let mut request = request(provider, instance, Method::POST, path);
    let json = HeaderValue::from_static("application/json");
    request.headers_mut().insert(header::CONTENT_TYPE, json);
    *request.body_mut() = Some("{}".into());
    match provider.clients.beside.execute(request).await {
        Ok(answer) => {
            let status = answer.status();
            !status.is_redirection() && !matches!(status.as_u16(), 404 | 405 | 501)
        }
        Err(_) => false,
    }
}

fn request(
    provider: &CompiledProvider,
    instance: &CompiledInstance,
    method: Method,
    path: &str,
) -> Request {
    let mut request = Request::new(method, instance.base.join(path));
    let mut headers = HeaderMap::new();
    provider.dress_with(&mut headers, provider.credentials.first());
    *request.headers_mut() = headers;
    request
}

/// `GET {base}/models`; the error is a sentence.
async fn ask(provider: &CompiledProvider, instance: &CompiledInstance) -> Result<Answer, String> {
    let request = request(provider, instance, Method::GET, "/models");
    let exchange = async {
        let mut response = provider.clients.beside.execute(request).await?;
        let status = response.status();
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await? {
            if body.len() + piece.len() > LARGEST_ANSWER {
                break;
            }
            body.extend_from_slice(&piece);
        }
        Ok::<_, reqwest::Error>(Answer { status, body })
    };
    match timeout(PATIENCE, exchange).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => {
            let failure = Failure::from(&error);
            Err(format!(
                "It {} ({}).",
                failure.in_words(),
                with_causes(&error.without_url())
            ))
        }
        Err(_) => Err(format!(
            "It did not answer within {} s.",
            PATIENCE.as_secs()
        )),
    }
}

fn in_words(status: StatusCode) -> String {
    let advice = match status.as_u16() {
        200..=299 => return "It answers.".to_owned(),
        300..=399 => "a redirect, which is never followed; correct the URL",
        401 | 403 => "it does not accept the credential",
        404 => "nothing is served at this base URL",
        429 => "it is asked too often",
        500..=599 => "it has a fault of its own",
        _ => "it does not take this call",
    };
    format!("It answers {}: {advice}.", status.as_u16())
}
