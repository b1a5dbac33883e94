//! From a ranking to an answer.

use std::ops::Range;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::HeaderMap;
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode};

use super::answer::AnswerBody;
use super::error::GatewayError;
use super::inflight::Inflight;
use super::splice::splice_model;
use super::upstream::{Failure, with_causes};
use super::{Endpoint, Settings, headers};
use crate::snapshot::{Choice, CompiledRoute, Placement};

const TARGET: HeaderName = HeaderName::from_static("x-signalbox-target");
const ATTEMPTS: HeaderName = HeaderName::from_static("x-signalbox-attempts");

/// Seconds after which a client may hope for a place again.
const RETRY_WHEN_FULL_S: u64 = 1;

/// Sends the request to where it was placed.
pub async fn dispatch(
    settings: &Settings,
    endpoint: Endpoint,
    client: &Parts,
    route: &CompiledRoute,
    placement: Placement<'_>,
    body: &Bytes,
    model_span: &Range<usize>,
) -> Result<Response, GatewayError> {
    let Some((choice, inflight)) = placement.taken else {
        return Err(match placement.ranking.live.is_empty() {
            true => nothing_to_choose(route, endpoint),
            false => all_full(route),
        });
    };
    let body = splice_model(body, model_span, &choice.target.model);
    let request = upstream_request(endpoint, client, choice, body);
    let answer = send(choice, request).await?;
    Ok(to_client(settings, choice, inflight, answer))
}

/// Every candidate has as many requests in flight as it takes.
fn all_full(route: &CompiledRoute) -> GatewayError {
    GatewayError::new(
        StatusCode::TOO_MANY_REQUESTS,
        "all_full",
        format!(
            "Every instance behind the route `{}` has as many requests under way as it takes \
             (max_inflight). Try again in a moment.",
            route.name
        ),
    )
    .retry_after(RETRY_WHEN_FULL_S)
}

/// No candidate is live: everything is switched off, or no provider serves the endpoint.
fn nothing_to_choose(route: &CompiledRoute, endpoint: Endpoint) -> GatewayError {
    if route.is_spoken_by_none(endpoint) {
        let providers = route.provider_names().join(", ");
        return GatewayError::bad_request(
            "endpoint_not_served",
            format!(
                "No provider of the route `{}` ({providers}) serves /v1{}.",
                route.name,
                endpoint.path()
            ),
        );
    }
    GatewayError::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "no_target",
        format!(
            "The route `{}` has no target that is switched on.",
            route.name
        ),
    )
}

fn upstream_request(
    endpoint: Endpoint,
    client: &Parts,
    choice: Choice<'_>,
    body: reqwest::Body,
) -> reqwest::Request {
    let mut url = choice.instance.base.join(endpoint.path());
    url.set_query(headers::query_for_upstream(client.uri.query()).as_deref());
    let mut request = reqwest::Request::new(client.method.clone(), url);
    let mut headers = headers::for_upstream(&client.headers);
    choice.target.provider.dress(&mut headers);
    *request.headers_mut() = headers;
    *request.body_mut() = Some(body);
    request
}

async fn send(
    choice: Choice<'_>,
    request: reqwest::Request,
) -> Result<http::Response<reqwest::Body>, GatewayError> {
    let provider = &choice.target.provider;
    let failed = |failure: Failure, cause: &str| {
        tracing::warn!(provider = provider.name, instance = %choice.instance.base, ?failure, cause, "no answer from upstream");
        choice.instance.load.failed(failure.in_words());
        let (status, code) = match failure {
            Failure::Connect | Failure::Reset => (StatusCode::BAD_GATEWAY, "upstream_unreachable"),
            Failure::ConnectTimeout | Failure::FirstByteTimeout => {
                (StatusCode::GATEWAY_TIMEOUT, "upstream_timeout")
            }
        };
        GatewayError::new(
            status,
            code,
            format!("The provider `{}` {}.", provider.name, failure.in_words()),
        )
    };
    let answer = tokio::time::timeout(provider.first_byte, provider.client.execute(request))
        .await
        .map_err(|_| failed(Failure::FirstByteTimeout, "first_byte_ms ran out"))?
        .map_err(|error| failed(Failure::of(&error), &with_causes(&error.without_url())))?;
    if answer.status().is_redirection() {
        tracing::warn!(provider = provider.name, instance = %choice.instance.base, status = answer.status().as_u16(), "redirect not followed");
        choice
            .instance
            .load
            .failed("answered with a redirect, which is never followed");
        return Err(GatewayError::new(
            StatusCode::BAD_GATEWAY,
            "upstream_redirect",
            format!(
                "The provider `{}` answered with a redirect ({}), which is never followed. Correct its base URL.",
                provider.name,
                answer.status().as_u16()
            ),
        ));
    }
    Ok(answer.into())
}

fn to_client(
    settings: &Settings,
    choice: Choice<'_>,
    inflight: Inflight,
    answer: http::Response<reqwest::Body>,
) -> Response {
    let (upstream, body) = answer.into_parts();
    let mut headers = headers::for_client(&upstream.headers);
    if settings.show_target {
        say_target(&mut headers, choice);
    }
    let body = AnswerBody::new(body, choice.target.provider.idle, inflight);
    let mut response = Response::new(Body::new(body));
    *response.status_mut() = upstream.status;
    *response.headers_mut() = headers;
    response
}

fn say_target(headers: &mut HeaderMap, choice: Choice<'_>) {
    headers.insert(TARGET, choice.target.label.clone());
    headers.insert(ATTEMPTS, HeaderValue::from_static("1"));
}
