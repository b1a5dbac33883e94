//! What is known of a request: where it went, why, and how that ended.
//!
//! A [`Recording`] travels with the request and then with its answer, and however that ends, dropping it
//! puts the [`Record`] into the log. It never holds what was asked or answered.

use std::sync::Arc;
use std::time::Duration;

use app::api::price::Price;
use chrono::{DateTime, Utc};
use http::{HeaderMap, Method, StatusCode};
use tokio::time::Instant;
use uuid::Uuid;

use super::bodies::Bodies;
use super::decision::Decided;
use super::request_log::RequestLog;
use super::sse;
use super::trace_parent::TraceParent;
use super::upstream::Failure;
use super::usage::{Copied, Usage};
use crate::snapshot::{Choice, CompiledKey, CompiledRoute, Placement};

#[derive(Debug)]
pub struct Record {
    pub id: Uuid,
    pub at: DateTime<Utc>,
    pub method: Method,
    /// The whole path, without the query.
    pub path: String,
    pub key: Arc<CompiledKey>,
    /// As it was when the request came in; nothing where none was found.
    pub route: Option<Arc<CompiledRoute>>,
    /// Nothing where it was not placed.
    pub placement: Option<Arc<Placement>>,
    /// Where in the route's chain the session key was found.
    pub session: Option<usize>,
    pub decision: Option<Decided>,
    /// What chance said, should it have to.
    pub ticket: f64,
    /// Until its body had been read as far as the route's name.
    pub read: Duration,
    /// What finding the session key and asking the decision service took after that.
    pub decide: Duration,
    /// It had to go to where an earlier answer was made.
    pub is_bound: bool,
    pub attempts: Vec<Attempt>,
    pub status: StatusCode,
    /// It was answered by a stream of events.
    pub is_streaming: bool,
    /// Until the answer's head was there.
    pub first_byte: Option<Duration>,
    pub duration: Duration,
    /// Of the answer's body, as it passed.
    pub bytes: u64,
    /// What the upstream says it counted.
    pub usage: Option<Usage>,
    /// Why it did not end well.
    pub error: Option<&'static str>,
    /// What was asked and answered, where the route keeps it.
    pub bodies: Option<Box<Bodies>>,
    /// The client's own trace, where it has one.
    pub trace_parent: Option<TraceParent>,
}

/// One try to get an answer.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// `provider/model`
    pub target: Arc<str>,
    pub instance: Arc<str>,
    pub is_fallback: bool,
    /// Of the target's tokens.
    pub price: Option<Price>,
    pub outcome: Result<StatusCode, Failure>,
    /// Since the request came in.
    pub begun: Duration,
    /// With the credential that led to the outcome.
    pub took: Duration,
    /// Credentials that were refused before the one that led to the outcome.
    pub refused: Vec<Refused>,
}

#[derive(Clone, Debug)]
pub struct Refused {
    /// The credential's last characters.
    pub hint: Arc<str>,
    pub status: StatusCode,
    pub took: Duration,
}

impl Attempt {
    /// Its name, which holds no slash.
    pub fn provider(&self) -> &str {
        self.target.split('/').next().unwrap_or_default()
    }

    /// Its model, which may.
    pub fn model(&self) -> &str {
        self.target
            .split_once('/')
            .map_or("", |(_provider, model)| model)
    }

    /// With those of its credentials that were refused.
    pub fn took_in_all(&self) -> Duration {
        let refused = self.refused.iter().map(|refused| refused.took);
        refused.sum::<Duration>() + self.took
    }

    pub fn at(choice: Choice<'_>, is_fallback: bool, begun: Duration) -> Self {
        Self {
            target: Arc::clone(&choice.target.name),
            instance: Arc::clone(&choice.instance.url),
            is_fallback,
            price: choice.target.price,
            outcome: Err(Failure::Reset),
            begun,
            took: Duration::ZERO,
            refused: Vec::new(),
        }
    }
}

impl Record {
    /// Of a request that has just come in; as long as nothing else is known, its client has left.
    pub fn new(id: Uuid, path: &str, key: &Arc<CompiledKey>) -> Self {
        Self {
            id,
            at: Utc::now(),
            method: Method::POST,
            path: path.to_owned(),
            key: Arc::clone(key),
            route: None,
            placement: None,
            session: None,
            decision: None,
            ticket: 0.0,
            read: Duration::ZERO,
            decide: Duration::ZERO,
            is_bound: false,
            attempts: Vec::new(),
            status: STATUS_OF_CLIENT_LEFT,
            is_streaming: false,
            first_byte: None,
            duration: Duration::ZERO,
            bytes: 0,
            usage: None,
            error: Some(CLIENT_LEFT),
            trace_parent: None,
            bodies: None,
        }
    }
}

impl Record {
    /// How its candidates were ranked; empty where it was not placed.
    pub fn placement(&self) -> &Placement {
        static NONE: Placement = Placement::NONE;
        self.placement.as_deref().unwrap_or(&NONE)
    }

    /// Whether the client got a refusal, or left.
    pub fn is_error(&self) -> bool {
        self.status.as_u16() >= 400
    }
}

/// A record that is being written.
#[derive(Debug)]
pub struct Recording {
    record: Option<Box<Record>>,
    begun: Instant,
    log: Arc<RequestLog>,
}

impl Recording {
    pub fn begin(id: Uuid, path: &str, key: &Arc<CompiledKey>, log: &Arc<RequestLog>) -> Self {
        Self {
            record: Some(Box::new(Record::new(id, path, key))),
            begun: Instant::now(),
            log: Arc::clone(log),
        }
    }

    /// The end, with what its answer says of usage.
    pub fn finish(&mut self, answer: Option<Copied>) {
        if let Some(mut record) = self.record.take() {
            record.duration = self.begun.elapsed();
            self.log.push(record, answer);
        }
    }

    /// Since it came in.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// From when it came in to a moment.
    pub fn until(&self, moment: Instant) -> Duration {
        moment - self.begun
    }

    /// Writes something down.
    pub fn note(&mut self, note: impl FnOnce(&mut Record)) {
        if let Some(record) = &mut self.record {
            note(record);
        }
    }

    /// Tries so far.
    pub fn attempts(&self) -> usize {
        self.record
            .as_ref()
            .map_or(0, |record| record.attempts.len())
    }

    /// It was refused, or no answer came.
    pub fn refused(&mut self, status: StatusCode, code: &'static str) {
        self.note(|record| {
            record.status = status;
            record.error = Some(code);
        });
    }

    /// The head of its answer is there; until the rest is too, the client may still leave.
    pub fn answered(&mut self, status: StatusCode, headers: &HeaderMap) {
        let first_byte = self.begun.elapsed();
        self.note(|record| {
            record.status = status;
            record.is_streaming = sse::is_event_stream(headers);
            if let Some(bodies) = &mut record.bodies {
                bodies.head(headers);
            }
            record.first_byte = Some(first_byte);
        });
    }
}

/// What a record says of a request whose client did not wait for the end.
pub const CLIENT_LEFT: &str = "the client left";

/// As nginx calls it; no client ever reads it.
const STATUS_OF_CLIENT_LEFT: StatusCode = match StatusCode::from_u16(499) {
    Ok(status) => status,
    Err(_) => StatusCode::REQUEST_TIMEOUT,
};

impl Drop for Recording {
    fn drop(&mut self) {
        self.finish(None);
    }
}
