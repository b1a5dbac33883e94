//! Why no answer came from an upstream.

use std::error::Error;
use std::io;

use hyper_util::client::legacy;
use tokio::time::error::Elapsed;

use super::wire::Broken;

/// A request that got no answer.
#[derive(Debug)]
pub struct NoAnswer {
    pub failure: Failure,
    /// For the log.
    pub cause: String,
    /// It went over a kept connection, which broke: the server may have closed it while it was idle, and that
    /// says nothing about the server.
    pub is_stale: bool,
}

impl NoAnswer {
    /// The connection broke.
    pub fn broken(broken: &Broken, is_kept: bool) -> Self {
        Self {
            failure: Failure::Reset,
            cause: with_causes(broken),
            is_stale: is_kept && matches!(broken, Broken::Ended(_)),
        }
    }

    /// There was none.
    pub fn connecting(error: &(dyn Error + 'static)) -> Self {
        Self {
            failure: Failure::of_connecting(error),
            cause: with_causes(error),
            is_stale: false,
        }
    }

    pub fn pooled(error: &legacy::Error, is_kept: bool) -> Self {
        match error.is_connect() {
            true => Self::connecting(error),
            false => Self {
                failure: Failure::Reset,
                cause: with_causes(error),
                is_stale: is_kept,
            },
        }
    }

    pub fn too_late() -> Self {
        Self {
            failure: Failure::FirstByteTimeout,
            cause: "first_byte_ms ran out".to_owned(),
            is_stale: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Refused, unknown name, TLS: no connection came about.
    Connect,
    ConnectTimeout,
    /// The connection broke before the first byte of an answer.
    Reset,
    FirstByteTimeout,
}

impl Failure {
    fn of_connecting(error: &(dyn Error + 'static)) -> Self {
        let is_timeout = |cause: &(dyn Error + 'static)| {
            cause.is::<Elapsed>()
                || cause
                    .downcast_ref::<io::Error>()
                    .is_some_and(|error| error.kind() == io::ErrorKind::TimedOut)
        };
        match causes(error).any(is_timeout) {
            true => Self::ConnectTimeout,
            false => Self::Connect,
        }
    }

    /// Whether it says that the instance cannot be reached. One that is slow can be.
    pub fn is_of_connectivity(self) -> bool {
        self != Self::FirstByteTimeout
    }

    /// As metrics call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connect => "unreachable",
            Self::ConnectTimeout => "connect_timeout",
            Self::Reset => "reset",
            Self::FirstByteTimeout => "first_byte_timeout",
        }
    }

    /// Ends a sentence that starts with the provider's name.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Connect => "could not be reached",
            Self::ConnectTimeout => "did not accept a connection in time",
            Self::Reset => "closed the connection before it answered",
            Self::FirstByteTimeout => "did not begin to answer in time",
        }
    }
}

impl From<&reqwest::Error> for Failure {
    fn from(error: &reqwest::Error) -> Self {
        match (error.is_connect(), error.is_timeout()) {
            (true, true) => Self::ConnectTimeout,
            (true, false) => Self::Connect,
            (false, _) => Self::Reset,
        }
    }
}

/// An error with its causes, for logs. URLs are left out by the caller (`without_url`): their query may
/// hold what a client sent.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let texts: Vec<String> = causes(error).map(ToString::to_string).collect();
    texts.join(": ")
}

/// An error, what caused it, what caused that, and so on.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}
