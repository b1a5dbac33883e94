//! From a ranking to an answer: down the ranking, then through the fallbacks, until somebody answers.
//!
//! Only before the first byte of an answer: what has begun is passed on, however it ends.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use http_body_util::{BodyExt, Full};
use routing::Ranking;
use tokio::time::Instant;
use uuid::Uuid;

use super::answer::{AnswerBody, Passing};
use super::attempt::{Outgoing, Tried, try_at};
use super::error::GatewayError;
use super::inflight::Inflight;
use super::record::{Attempt, Recording};
use super::upstream::{Flowing, ResponseBody};
use super::{Endpoint, Gateway, headers};
use crate::snapshot::{Choice, CompiledRoute, NoFallback, Taken};

const TARGET: HeaderName = HeaderName::from_static("x-signalbox-target");
const ATTEMPTS: HeaderName = HeaderName::from_static("x-signalbox-attempts");

/// Seconds after which a client may hope for a place again.
const RETRY_WHEN_FULL_S: u64 = 1;

/// An answer up to this size is taken in when another try is made, so that its connection and its place
/// are free again.
const TAKEN_IN: u64 = 64 * 1024;
const TAKE_IN_TIMEOUT: Duration = Duration::from_secs(2);

/// One request on its way.
#[derive(Debug)]
pub struct Dispatch<'a> {
    pub gateway: &'a Gateway,
    pub endpoint: Endpoint,
    pub route: &'a CompiledRoute,
    pub outgoing: Outgoing<'a>,
    pub recording: &'a mut Recording,
}

/// Where a request may go, in this order.
#[derive(Debug)]
pub enum Way<'a> {
    /// To the choice, down the ranking and then to the fallbacks.
    Ranked {
        ranking: &'a Ranking,
        first: Option<Taken<'a>>,
    },
    /// There and nowhere else.
    Bound(Choice<'a>),
}

/// An answer, and where it came from.
#[derive(Debug)]
pub struct Answer {
    pub made_by: MadeBy,
    label: HeaderValue,
    idle: Duration,
    inflight: Option<Inflight>,
    /// It was asked for usage that its client did not ask for.
    withholds_usage: bool,
    upstream: http::Response<ResponseBody>,
}

/// One model of one instance.
#[derive(Debug)]
pub struct MadeBy {
    pub provider: Uuid,
    pub instance: Arc<str>,
    pub model: Arc<str>,
}

/// Tries so far.
#[derive(Default)]
struct Tries<'a> {
    tried: Vec<Choice<'a>>,
    /// Some were passed over because they take no more.
    any_full: bool,
    /// The last answer that did not count as one yet.
    set_aside: Option<Box<Answer>>,
    error: Option<GatewayError>,
}

impl<'a> Dispatch<'a> {
    /// The answer to pass on.
    ///
    /// # Errors
    /// When nobody gave one.
    pub async fn run(mut self, way: Way<'a>) -> Result<Box<Answer>, GatewayError> {
        let mut tries = Tries::default();
        match way {
            Way::Bound(choice) if choice.instance.is_full() => tries.any_full = true,
            Way::Bound(choice) => {
                if let Some(answer) = self.attempt(choice.take(), false, &mut tries).await? {
                    return Ok(answer);
                }
            }
            Way::Ranked { ranking, first } => {
                tries.any_full = ranking.live.iter().any(|ranked| ranked.full);
                let answer = self.down(ranking, first, &mut tries).await?;
                let answer = match answer {
                    None => Box::pin(self.through_fallbacks(&mut tries)).await?,
                    answered => answered,
                };
                if let Some(answer) = answer {
                    return Ok(answer);
                }
            }
        }
        if let Some(answer) = tries.set_aside {
            return Ok(answer);
        }
        Err(tries.error.unwrap_or_else(|| match tries.any_full {
            true => all_full(self.route),
            false => nothing_to_choose(self.route, self.endpoint),
        }))
    }

    async fn down(
        &mut self,
        ranking: &Ranking,
        first: Option<Taken<'a>>,
        tries: &mut Tries<'a>,
    ) -> Result<Option<Box<Answer>>, GatewayError> {
        let mut next = first;
        while let Some(taken) = next {
            if let Some(answer) = self.attempt(taken, false, tries).await? {
                return Ok(Some(answer));
            }
            let attempts = u32::try_from(tries.tried.len()).unwrap_or(u32::MAX);
            if attempts >= self.route.retry.attempts() {
                break;
            }
            let loads = &self.gateway.lasting.loads;
            next = self.route.place_again(ranking, &tries.tried, loads);
        }
        Ok(None)
    }

    async fn through_fallbacks(
        &mut self,
        tries: &mut Tries<'a>,
    ) -> Result<Option<Box<Answer>>, GatewayError> {
        for fallback in &self.route.fallbacks {
            let is_tried = tries.tried.iter().any(|choice| {
                choice.target.provider.id == fallback.provider.id
                    && choice.target.model == fallback.model
            });
            if is_tried {
                continue;
            }
            match fallback.take_as_fallback(self.endpoint, &self.gateway.lasting.loads) {
                Ok(taken) => {
                    if let Some(answer) = self.attempt(taken, true, tries).await? {
                        return Ok(Some(answer));
                    }
                }
                Err(NoFallback::Full) => tries.any_full = true,
                Err(NoFallback::NotLive) => {}
            }
        }
        Ok(None)
    }

    /// Tries one; nothing when others may be tried after it.
    ///
    /// # Errors
    /// When they may not.
    async fn attempt(
        &mut self,
        taken: Taken<'a>,
        is_fallback: bool,
        tries: &mut Tries<'a>,
    ) -> Result<Option<Box<Answer>>, GatewayError> {
        let Taken { choice, inflight } = taken;
        let begun = Instant::now();
        let mut attempt = Attempt::at(choice, is_fallback, self.recording.until(begun));
        let tried = try_at(choice, self.outgoing, begun, &mut attempt).await;
        self.recording.note(|record| {
            // Most have one, and all of them are held for as long as the answer.
            record.attempts.reserve_exact(1);
            record.attempts.push(attempt);
        });
        tries.tried.push(choice);
        let payload = self.outgoing.payload;
        match tried {
            Tried::Answered(upstream) => {
                // Boxed, as it is handed up through all that waits for it.
                let mut answer = Box::new(Answer::new(choice, inflight, upstream));
                answer.withholds_usage = self.outgoing.asks_usage_of(choice);
                if !self.route.retry.is_retried(answer.status().as_u16()) {
                    return Ok(Some(answer));
                }
                let answer = Box::pin(answer.taken_in()).await;
                if !payload.can_be_repeated().await {
                    return Ok(Some(answer));
                }
                tries.set_aside = Some(answer);
                Ok(None)
            }
            Tried::Failed { error, goes_on } => {
                if !goes_on || !payload.can_be_repeated().await {
                    return Err(error);
                }
                tries.error = Some(error);
                Ok(None)
            }
        }
    }
}

impl Answer {
    fn new(choice: Choice<'_>, inflight: Inflight, upstream: http::Response<ResponseBody>) -> Self {
        let target = choice.target;
        Self {
            made_by: MadeBy {
                provider: target.provider.id,
                instance: Arc::clone(&choice.instance.url),
                model: Arc::clone(&target.model),
            },
            label: target.label.clone(),
            idle: target.provider.idle,
            inflight: Some(inflight),
            withholds_usage: false,
            upstream,
        }
    }

    pub fn status(&self) -> StatusCode {
        self.upstream.status()
    }

    pub fn headers(&self) -> &HeaderMap {
        self.upstream.headers()
    }

    /// With its body in memory, where that is short.
    async fn taken_in(self: Box<Self>) -> Box<Self> {
        let length = self.upstream.headers().get(header::CONTENT_LENGTH);
        let length = length.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if length.is_none_or(|length| length > TAKEN_IN) {
            return self;
        }
        let (parts, body) = self.upstream.into_parts();
        let whole = tokio::time::timeout(TAKE_IN_TIMEOUT, body.collect()).await;
        let whole = match whole {
            Ok(Ok(whole)) => whole.to_bytes(),
            // It broke off; what it said besides still counts.
            Ok(Err(_)) | Err(_) => Bytes::new(),
        };
        let body = Flowing::new(Full::from(whole).map_err(Into::into)).into();
        Box::new(Self {
            inflight: None,
            upstream: http::Response::from_parts(parts, body),
            ..*self
        })
    }

    /// What the client gets.
    pub fn into_response(self, passing: Passing, show_target: bool, attempts: usize) -> Response {
        let (upstream, body) = self.upstream.into_parts();
        let mut body = AnswerBody::new(body, &upstream.headers, self.idle, self.inflight, passing);
        let is_shortened = self.withholds_usage && body.withhold_usage(&upstream.headers);
        let mut headers = headers::for_client(upstream.headers);
        if is_shortened {
            headers.remove(header::CONTENT_LENGTH);
        }
        if show_target {
            headers.insert(TARGET, self.label);
            headers.insert(ATTEMPTS, HeaderValue::from(attempts));
        }
        let mut response = Response::new(Body::new(body));
        *response.status_mut() = upstream.status;
        *response.headers_mut() = headers;
        response
    }
}

/// Says on an error how often it was tried.
pub fn say_attempts(response: &mut Response, attempts: usize) {
    response
        .headers_mut()
        .insert(ATTEMPTS, HeaderValue::from(attempts));
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
