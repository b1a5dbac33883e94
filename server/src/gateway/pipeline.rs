//! The way of a request, top to bottom.
//!
//! authenticate → read the body as far as `model` → the route by that name → the facts it decides by →
//! rank its candidates and take the best → try, down the ranking, until one answers → pass the answer on.
//! No lock is held across an await on the way, and nothing waits for the database.
//!
//! Candidates whose provider does not serve the endpoint natively are left out of the ranking. A
//! translation between dialects would stand between ranking and trying: what it needs to know, the
//! endpoint asked for and the chosen provider's `speaks`, is there.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use http::request::Parts;

use super::answer::Passing;
use super::attempt::{Destination, Outgoing};
use super::authenticate::Caller;
use super::bodies::Bodies;
use super::body::{self, Kind};
use super::dispatch::{Answer, Dispatch, Way, say_attempts};
use super::error::{Dialect, GatewayError};
use super::facts::{Asked, Gathered};
use super::incoming::Incoming;
use super::payload::Payload;
use super::record::Recording;
use super::response_watch::ResponseWatch;
use super::trace_parent::TraceParent;
use super::{Endpoint, Gateway, responses};
use crate::request_id;
use crate::snapshot::{CompiledKey, CompiledRoute, Snapshot};

/// An answer, and what is done while it passes.
#[derive(Debug)]
pub struct Reply {
    pub answer: Box<Answer>,
    pub keep_alive: bool,
    pub response: Option<ResponseWatch>,
}

impl Gateway {
    /// Answers a request to an endpoint.
    pub async fn handle(&self, endpoint: Endpoint, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let dialect = Dialect::of(parts.uri.path(), &parts.headers);
        // Both are known before a byte of the body is read.
        let checked = self.caller(&parts).and_then(|caller| {
            let limits = &self.settings.limits;
            let kind = body::check_headers(&parts.headers, endpoint.takes_forms(), limits)?;
            Ok((caller, kind))
        });
        let (caller, kind) = match checked {
            Ok(checked) => checked,
            Err(error) => {
                body::linger(&parts.method, &parts.headers, body);
                return error.into_response_in(dialect);
            }
        };
        let mut recording = self.begin(&parts, &caller.key);
        let reply = self
            .reply(endpoint, caller, &parts, kind, body, &mut recording)
            .await;
        self.respond(reply, recording, dialect)
    }

    /// Whose request it is.
    pub fn caller(&self, parts: &Parts) -> Result<Caller, GatewayError> {
        Caller::of(parts, &self.snapshots.load())
    }

    pub fn begin(&self, parts: &Parts, key: &Arc<CompiledKey>) -> Recording {
        let id = request_id::here();
        let mut recording = Recording::begin(id, parts.uri.path(), key, &self.log);
        recording.note(|record| {
            record.method = parts.method.clone();
            record.trace_parent = TraceParent::of(&parts.headers);
        });
        recording
    }

    pub fn respond(
        &self,
        reply: Result<Reply, GatewayError>,
        mut recording: Recording,
        dialect: Dialect,
    ) -> Response {
        let attempts = recording.attempts();
        match reply {
            Ok(reply) => {
                recording.answered(reply.answer.status(), reply.answer.headers());
                let passing = Passing {
                    recording,
                    keep_alive: reply.keep_alive,
                    response: reply.response,
                };
                let show_target = self.settings.show_target;
                reply.answer.into_response(passing, show_target, attempts)
            }
            Err(error) => {
                request_id::span().in_scope(|| {
                    tracing::debug!(status = error.status.as_u16(), code = error.code, "refused");
                });
                recording.refused(error.status, error.code);
                let mut response = error.into_response_in(dialect);
                if self.settings.show_target && attempts > 0 {
                    say_attempts(&mut response, attempts);
                }
                response
            }
        }
    }

    async fn reply(
        &self,
        endpoint: Endpoint,
        caller: Caller,
        parts: &Parts,
        kind: Kind,
        body: Body,
        recording: &mut Recording,
    ) -> Result<Reply, GatewayError> {
        let incoming = Incoming::read(self, &parts.headers, kind, body).await?;
        // A body may take its time; settings saved meanwhile count.
        let snapshot = self.snapshots.load();
        let key = &*caller.still(parts, &snapshot)?;
        let route = route(&snapshot, key, &incoming.model)?;
        let read = recording.elapsed();
        recording.note(|record| {
            record.route = Some(Arc::clone(route));
            record.read = read;
        });
        let payload = &incoming.payload;
        if route.keep_bodies {
            let bodies = Bodies::begin(payload.json(), &self.kept_budget);
            recording.note(|record| record.bodies = Some(Box::new(bodies)));
        }
        if let Payload::Form(form) = payload
            && !route.may_try_again()
        {
            form.is_sent_once().await;
        }

        let placement;
        let way = match responses::bound(self, endpoint, key, route, payload).await? {
            Some(choice) => {
                recording.note(|record| record.is_bound = true);
                Way::Bound(choice)
            }
            None => {
                let asked = Asked {
                    path: parts.uri.path(),
                    headers: &parts.headers,
                    body: payload.json(),
                    depth: incoming.depth,
                    counts: true,
                };
                let gathered = Gathered::of(route, endpoint, asked).await;
                let (placed, first) = route.place(endpoint, &gathered.facts(), &self.lasting.loads);
                placement = Arc::new(placed);
                let decided = recording.elapsed();
                recording.note(|record| {
                    record.placement = Some(Arc::clone(&placement));
                    record.session = gathered.session.map(|session| session.place);
                    record.decision = gathered.decision.ok();
                    record.ticket = gathered.ticket;
                    record.decide = decided.saturating_sub(read);
                });
                Way::Ranked {
                    ranking: &placement.ranking,
                    first,
                }
            }
        };
        let outgoing = Outgoing {
            client: parts,
            to: Destination::Endpoint(endpoint),
            payload,
            has_stream_options: endpoint.has_stream_options(),
        };
        let dispatch = Dispatch {
            gateway: self,
            endpoint,
            route,
            outgoing,
            recording,
        };
        let answer = dispatch.run(way).await?;
        let response = match endpoint {
            Endpoint::Responses => responses::watch(self, key, route, &answer),
            _ => None,
        };
        Ok(Reply {
            answer,
            keep_alive: route.keep_alive,
            response,
        })
    }
}

/// The route of that name, if there is one that this key may use.
fn route<'a>(
    snapshot: &'a Snapshot,
    key: &CompiledKey,
    name: &str,
) -> Result<&'a Arc<CompiledRoute>, GatewayError> {
    let route = snapshot.routes.get(name);
    let route = route.ok_or_else(|| GatewayError::no_such_route(name))?;
    if !key.may_use(route.id) {
        return Err(GatewayError::forbidden(format!(
            "This key may not use the route `{}`. GET /v1/models lists those that it may use.",
            route.name
        ))
        .about("model"));
    }
    if !route.enabled {
        return Err(GatewayError::new(
            StatusCode::NOT_FOUND,
            "route_disabled",
            format!("The route `{}` is switched off.", route.name),
        )
        .about("model"));
    }
    Ok(route)
}
