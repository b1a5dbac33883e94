//! Gathering what a route decides by: the session, the decision, and a ticket for ties.
//!
//! In-flight counts are no part of it: they are read when all of this is there, in the step that takes
//! the winner.

use bytes::Bytes;
use http::HeaderMap;
use routing::{Decision, Facts, NoDecision};

use super::decision::Decided;
use super::session::Session;
use super::{Endpoint, decision, session};
use crate::snapshot::CompiledRoute;

/// A request as far as decisions look at it.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The whole path, `/v1/…`.
    pub path: &'a str,
    pub headers: &'a HeaderMap,
    /// Valid JSON, if any.
    pub body: Option<&'a Bytes>,
    /// How many levels the body is nested.
    pub depth: usize,
    /// Whether it counts for the decision service's record; not when somebody only wants to know.
    pub counts: bool,
}

/// All facts of one request.
#[derive(Debug)]
pub struct Gathered {
    pub session: Option<Session>,
    pub decision: Result<Decided, NoDecision>,
    /// From [0, 1), all as likely. Of the thread's own generator: asking the system each time costs a request
    /// half a microsecond.
    pub ticket: f64,
}

impl Gathered {
    /// Asks the decision service where the route wants it, and for nothing that the route does not
    /// decide by.
    pub async fn of(route: &CompiledRoute, endpoint: Endpoint, asked: Asked<'_>) -> Self {
        let decision = match &route.decision {
            Some(usage) => Box::pin(decision::decide(route, usage, endpoint, asked)).await,
            None => Err(NoDecision::NotAsked),
        };
        Self {
            session: session_of(route, asked).await,
            decision,
            ticket: rand::random(),
        }
    }

    /// With a decision that is known beforehand.
    pub async fn decided(route: &CompiledRoute, decision: Decision, asked: Asked<'_>) -> Self {
        Self {
            session: session_of(route, asked).await,
            decision: Ok(Decided::beforehand(decision)),
            ticket: rand::random(),
        }
    }

    pub fn facts(&self) -> Facts<'_> {
        Facts {
            session: self.session.as_ref().map(|session| session.key.as_str()),
            decision: match &self.decision {
                Ok(decided) => Ok(&decided.decision),
                Err(reason) => Err(reason.clone()),
            },
            ticket: self.ticket,
        }
    }
}

async fn session_of(route: &CompiledRoute, asked: Asked<'_>) -> Option<Session> {
    let keys = route.session_keys.as_ref()?;
    session::find(keys, asked).await
}
