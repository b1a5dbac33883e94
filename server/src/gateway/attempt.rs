//! One try: a request to one instance, with the next credential where one is refused.

use chrono::Utc;
use http::request::Parts;
use http::uri::InvalidUri;
use http::{HeaderMap, StatusCode, Uri, header};
use tokio::time::Instant;

use super::Endpoint;
use super::credentials::{Credential, is_refusal, rest_asked_by, rested};
use super::error::GatewayError;
use super::headers;
use super::payload::Payload;
use super::record::{Attempt, Refused};
use super::upstream::{Failure, NoAnswer, Over, RequestBody, ResponseBody};
use crate::request_id;
use crate::snapshot::Choice;

/// What is sent, wherever it goes.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    pub client: &'a Parts,
    pub to: Destination<'a>,
    pub payload: &'a Payload,
    /// Whether the endpoint knows `stream_options`.
    pub has_stream_options: bool,
}

/// What of an instance is asked.
#[derive(Clone, Copy, Debug)]
pub enum Destination<'a> {
    Endpoint(Endpoint),
    /// What follows its base URL.
    Path(&'a str),
}

impl Outgoing<'_> {
    /// Whether a stream is asked for usage that its client did not ask for.
    pub fn asks_usage_of(&self, choice: Choice<'_>) -> bool {
        choice.target.provider.include_usage
            && self.has_stream_options
            && self.payload.can_ask_usage()
    }
}

/// What came of a try.
#[derive(Debug)]
pub enum Tried {
    Answered(http::Response<ResponseBody>),
    /// No answer that can be passed on. `goes_on` tells whether others may be tried.
    Failed {
        error: GatewayError,
        goes_on: bool,
    },
}

/// Sends to the chosen instance, and notes how that went: in `attempt`, and at the instance.
pub async fn try_at(
    choice: Choice<'_>,
    outgoing: Outgoing<'_>,
    mut begun: Instant,
    attempt: &mut Attempt,
) -> Tried {
    let provider = &choice.target.provider;
    let mut credentials = rested(&provider.credentials).into_iter();
    let mut credential = credentials.next();
    loop {
        let by = begun + provider.first_byte;
        let sent = send(choice, outgoing, credential, by).await;
        attempt.took = begun.elapsed();
        let answer = match sent {
            Ok(answer) => answer,
            Err(failure) => return failed(choice, outgoing, failure, attempt),
        };
        let status = answer.status();
        choice.instance.load.health.answered();
        attempt.outcome = Ok(status);
        if status.is_redirection() {
            return redirected(choice, status);
        }
        if status.is_server_error() {
            choice
                .instance
                .load
                .failed(&format!("answered {}", status.as_u16()));
        }
        let Some(refused) = credential.filter(|_| is_refusal(status)) else {
            return Tried::Answered(answer);
        };
        refused
            .rest
            .begin(rest_asked_by(status, answer.headers(), Utc::now()));
        let Some(next) = credentials.next() else {
            return Tried::Answered(answer);
        };
        if !outgoing.payload.can_be_repeated().await {
            return Tried::Answered(answer);
        }
        attempt.refused.push(Refused {
            hint: refused.hint.clone(),
            status,
            took: attempt.took,
        });
        credential = Some(next);
        begun = Instant::now();
    }
}

async fn send(
    choice: Choice<'_>,
    outgoing: Outgoing<'_>,
    credential: Option<&Credential>,
    by: Instant,
) -> Result<http::Response<ResponseBody>, NoAnswer> {
    let provider = &choice.target.provider;
    let client = &provider.clients.requests;
    let host = choice.instance.host.as_ref();
    let uri = upstream_uri(choice, outgoing).map_err(|error| NoAnswer::connecting(&error))?;
    let request = || upstream_request(choice, outgoing, uri.clone(), credential);
    match client.execute(host, request(), Over::Kept, by).await {
        Err(no_answer) if no_answer.is_stale && outgoing.payload.can_be_repeated().await => {
            request_id::span().in_scope(|| {
                tracing::debug!("a kept connection was broken; trying a new one");
            });
            Box::pin(client.execute(host, request(), Over::New, by)).await
        }
        answer => answer,
    }
}

fn upstream_uri(choice: Choice<'_>, outgoing: Outgoing<'_>) -> Result<Uri, InvalidUri> {
    let instance = choice.instance;
    let query = headers::query_for_upstream(outgoing.client.uri.query());
    let mut url = match (outgoing.to, &query) {
        (Destination::Endpoint(endpoint), None) => return instance.uri_of(endpoint),
        (Destination::Endpoint(endpoint), Some(_)) => instance.base.join(endpoint.path()),
        (Destination::Path(path), _) => instance.base.join(path),
    };
    url.set_query(query.as_deref());
    Uri::try_from(url.as_str())
}

fn upstream_request(
    choice: Choice<'_>,
    outgoing: Outgoing<'_>,
    uri: Uri,
    credential: Option<&Credential>,
) -> http::Request<RequestBody> {
    let client = outgoing.client;
    let mut headers: HeaderMap = headers::for_upstream(&client.headers);
    choice.target.provider.dress_with(&mut headers, credential);
    let asks_usage = outgoing.asks_usage_of(choice);
    if asks_usage {
        // What was not asked for is taken out of the answer, which has to be readable for that.
        headers.remove(header::ACCEPT_ENCODING);
    }
    let body = outgoing
        .payload
        .with_model(&choice.target.model, asks_usage);
    let mut request = http::Request::new(body);
    *request.method_mut() = client.method.clone();
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    request
}

fn failed(
    choice: Choice<'_>,
    outgoing: Outgoing<'_>,
    no_answer: NoAnswer,
    attempt: &mut Attempt,
) -> Tried {
    // The client's doing, which says nothing about the instance.
    if let Some(error) = outgoing.payload.problem() {
        return Tried::Failed {
            error,
            goes_on: false,
        };
    }
    let NoAnswer { failure, cause, .. } = no_answer;
    let provider = &choice.target.provider;
    request_id::span().in_scope(|| {
        tracing::warn!(provider = provider.name, instance = %choice.instance.base, ?failure, cause, "no answer from upstream");
    });
    attempt.outcome = Err(failure);
    choice.instance.load.failed(failure.in_words());
    if failure.is_of_connectivity() {
        choice.instance.load.health.failed();
    }
    let (status, code) = match failure {
        Failure::Connect | Failure::Reset => (StatusCode::BAD_GATEWAY, "upstream_unreachable"),
        Failure::ConnectTimeout | Failure::FirstByteTimeout => {
            (StatusCode::GATEWAY_TIMEOUT, "upstream_timeout")
        }
    };
    let message = format!("The provider `{}` {}.", provider.name, failure.in_words());
    Tried::Failed {
        error: GatewayError::new(status, code, message),
        goes_on: failure.is_of_connectivity(),
    }
}

fn redirected(choice: Choice<'_>, status: StatusCode) -> Tried {
    let provider = &choice.target.provider;
    request_id::span().in_scope(|| {
        tracing::warn!(provider = provider.name, instance = %choice.instance.base, status = status.as_u16(), "redirect not followed");
    });
    choice
        .instance
        .load
        .failed("answered with a redirect, which is never followed");
    let message = format!(
        "The provider `{}` answered with a redirect ({}), which is never followed. Correct its base URL.",
        provider.name,
        status.as_u16()
    );
    Tried::Failed {
        error: GatewayError::new(StatusCode::BAD_GATEWAY, "upstream_redirect", message),
        goes_on: false,
    }
}
