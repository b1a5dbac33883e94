//! Asking a decision service which model fits a request.
//!
//! A failed decision never fails the request: it goes on without, and the reason is kept for whoever
//! wants to know. A client that leaves drops all of this, which then counts as neither success nor
//! failure.

pub mod answer;
pub mod ask;
pub mod breaker;
pub mod question;
pub mod render;
pub mod state;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use routing::{Decision, NoDecision};

use self::question::Question;
use super::facts::Asked;
use super::{Endpoint, off_async_if_large};
use crate::request_id;
use crate::snapshot::{CompiledRoute, DecisionUse};

/// Bodies nested deeper are not decided by.
const DEEPEST: usize = 128;

/// What a decision service said, and what that took.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    pub decision: Decision,
    /// As the service names what it judged with.
    pub model: Option<String>,
    pub latency: Duration,
}

impl Decided {
    /// One that nobody had to be asked for.
    pub fn beforehand(decision: Decision) -> Self {
        Self {
            decision,
            model: None,
            latency: Duration::ZERO,
        }
    }
}

/// What the route's decision service says of a request.
///
/// # Errors
/// Why it was not asked, or asked in vain.
pub async fn decide(
    route: &CompiledRoute,
    usage: &DecisionUse,
    endpoint: Endpoint,
    asked: Asked<'_>,
) -> Result<Decided, NoDecision> {
    let settings = &usage.settings;
    let options = settings
        .options(route.live_models(endpoint))
        .ok_or(NoDecision::TooFewModels)?;
    let body = asked.body.ok_or(NoDecision::NoJsonBody)?;
    if asked.depth > DEEPEST {
        return Err(NoDecision::NestedTooDeep);
    }
    if !usage.provider.enabled {
        let off = format!(
            "the decision service `{}` is switched off",
            usage.provider.name
        );
        return Err(NoDecision::Failed(off.into()));
    }
    let leave = match asked.counts {
        true => Some(usage.breaker.leave().ok_or(NoDecision::Tripped)?),
        false if usage.breaker.is_tripped() => return Err(NoDecision::Tripped),
        false => None,
    };
    let question = Question::new(settings, owned(&options));
    let built = off_async_if_large(body, move |body| question.about(&state::of(body))).await;
    let failure = match built {
        Ok(question) => {
            let models = options.keys().copied();
            let begun = Instant::now();
            match ask::ask(&usage.provider, settings.timeout_ms, question, models).await {
                Ok(said) => {
                    if let Some(leave) = leave {
                        leave.succeeded();
                    }
                    return Ok(Decided {
                        decision: said.decision,
                        model: said.model,
                        latency: begun.elapsed(),
                    });
                }
                Err(failure) => failure,
            }
        }
        Err(_) => "the question could not be put together".to_owned(),
    };
    if let Some(leave) = leave {
        leave.failed();
    }
    request_id::span().in_scope(|| {
        tracing::warn!(
            route = route.name,
            provider = usage.provider.name,
            failure,
            "no decision"
        );
    });
    Err(NoDecision::Failed(failure.into()))
}

/// Criteria that can go to another thread.
pub fn owned(options: &BTreeMap<&str, &str>) -> BTreeMap<String, String> {
    options
        .iter()
        .map(|(model, criterion)| ((*model).to_owned(), (*criterion).to_owned()))
        .collect()
}
