//! One question to a decision service, within its time, with the next credential where one is refused.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, StatusCode};

use super::answer::{self, Said};
use crate::gateway::credentials::{Credential, REST, is_refusal, rested};
use crate::gateway::inflight::Inflight;
use crate::gateway::upstream::{Failure, with_causes};
use crate::request_id;
use crate::snapshot::{CompiledInstance, CompiledProvider};

/// What came of one call.
enum Called {
    Decided(Said),
    /// This credential is not taken, or asks too often.
    Refused(StatusCode),
}

/// Asks the provider's next instance, for at most `timeout_ms` over all credentials.
///
/// # Errors
/// A sentence without its subject's secrets: which service failed, and how.
pub async fn ask<'m>(
    provider: &CompiledProvider,
    timeout_ms: u64,
    question: Bytes,
    options: impl Iterator<Item = &'m str> + Clone,
) -> Result<Said, String> {
    let said = |words: &str| format!("the decision service `{}` {words}", provider.name);
    let Some(instance) = next_instance(provider) else {
        return Err(said("has no instance"));
    };
    let _inflight = Inflight::at(&instance.load);
    let timeout = Duration::from_millis(timeout_ms);
    let asking = with_each_credential(provider, instance, question, options);
    let failure = match tokio::time::timeout(timeout, asking).await {
        Ok(Ok(said)) => return Ok(said),
        Ok(Err(failure)) => failure,
        Err(_) => format!("did not answer within {timeout_ms} ms"),
    };
    instance.load.failed(&failure);
    Err(said(&failure))
}

/// Instances take turns.
fn next_instance(provider: &CompiledProvider) -> Option<&CompiledInstance> {
    let instances = &provider.instances;
    let turn = provider.turn.fetch_add(1, Ordering::Relaxed);
    instances.get(turn.checked_rem(instances.len())?)
}

async fn with_each_credential<'m>(
    provider: &CompiledProvider,
    instance: &CompiledInstance,
    question: Bytes,
    options: impl Iterator<Item = &'m str> + Clone,
) -> Result<Said, String> {
    let credentials = rested(&provider.credentials);
    if credentials.is_empty() {
        return match call(provider, instance, None, question, options).await? {
            Called::Decided(said) => Ok(said),
            Called::Refused(status) => Err(refused(status)),
        };
    }
    let mut last = StatusCode::UNAUTHORIZED;
    for credential in credentials {
        let called = call(
            provider,
            instance,
            Some(credential),
            question.clone(),
            options.clone(),
        );
        match called.await? {
            Called::Decided(said) => return Ok(said),
            Called::Refused(status) => {
                credential.rest.begin(REST);
                last = status;
            }
        }
    }
    Err(refused(last))
}

fn refused(status: StatusCode) -> String {
    match status {
        StatusCode::TOO_MANY_REQUESTS => "is asked too often (429)".to_owned(),
        other => format!("does not accept the credential ({})", other.as_u16()),
    }
}

async fn call<'m>(
    provider: &CompiledProvider,
    instance: &CompiledInstance,
    credential: Option<&Credential>,
    question: Bytes,
    options: impl Iterator<Item = &'m str>,
) -> Result<Called, String> {
    let mut request = reqwest::Request::new(Method::POST, instance.base.join("/systemone"));
    let mut headers = HeaderMap::new();
    provider.dress_with(&mut headers, credential);
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    *request.headers_mut() = headers;
    *request.body_mut() = Some(question.into());
    let failed = |error: reqwest::Error| {
        let failure = Failure::from(&error);
        request_id::span().in_scope(|| {
            tracing::debug!(
                provider = provider.name,
                cause = with_causes(&error.without_url()),
                "no answer from a decision service"
            );
        });
        failure.in_words().to_owned()
    };
    let mut response = provider
        .clients
        .beside
        .execute(request)
        .await
        .map_err(failed)?;
    match response.status() {
        StatusCode::OK => {}
        status if is_refusal(status) => return Ok(Called::Refused(status)),
        status if status.is_redirection() => {
            return Err(format!(
                "answered with a redirect ({}), which is never followed",
                status.as_u16()
            ));
        }
        status => return Err(format!("answered {}", status.as_u16())),
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(failed)? {
        if body.len() + piece.len() > answer::LARGEST {
            return Err(answer::too_large());
        }
        body.extend_from_slice(&piece);
    }
    answer::read(&body, options).map(Called::Decided)
}
