//! How a Signalbox route decides.
//!
//! A **route** is a public model name. Behind it are **targets**, (provider, model) pairs that it may
//! choose, and **fallbacks** for when no target is left. People and programs write a [`RouteDraft`],
//! in which everything may be wrong; [`Route::try_from`] finds all that is, field by field, as
//! [`FieldErrors`], or gives a [`Route`], which cannot be made otherwise. The browser runs the same
//! checks as the server, and what was stored goes through them again when it is loaded.
//!
//! How a route decides is never said but follows from its shape ([`RouteBy`]): no weights and no
//! scorer is round-robin, a weight on every target is Target Weight, a scorer without weights is
//! Policy. A route is compiled to a [`Policy`], which is asked once for each request.
//!
//! A target's provider has one or more instances, and a request chooses among instances: each is a
//! [`Candidate`], live or left out for a reason. [`Policy::rank`] puts them into a [`Ranking`]: the
//! first is the choice, the others are where retries go, and those left out come with the reason, so
//! that every choice can be explained.
//!
//! What has to be remembered between requests, whose turn it is, is the [`Rotation`], a plain value.
//! Its owner keeps one for each route, behind a lock of its own, and lends it to `rank`, which moves
//! it on by one step: a step a request, not an attempt. It is keyed by who takes turns, not by where
//! they stand in a list, and so outlives the routes and policies that are compiled anew at each save.
//!
//! Under Policy each scorer rates the candidates, and the best weighted sum of their shares wins. What
//! the scorers go by comes in from outside: each candidate's [`Load`], and the request's [`Facts`], among
//! them the session key that [`SessionKeys`] finds in it. A scorer that has nothing to go by abstains,
//! and the ranking says why. [`Balance`] tells, by the same scorers, how much load a session puts up
//! with before it moves.
//!
//! Nothing here does IO, reads a clock or rolls dice: chance comes in as a ticket. The same candidates,
//! facts and rotation give the same ranking, in the server, in the browser and in a test.
//!
//! ```
//! use routing::{
//!     Candidate, CandidateKey, Facts, Load, Policy, Rotation, Route, RouteDraft, TargetDraft,
//! };
//! use uuid::Uuid;
//!
//! let target = |provider: &str, weight| TargetDraft {
//!     provider: provider.to_owned(),
//!     model: "qwen3".to_owned(),
//!     weight: Some(weight),
//!     ..TargetDraft::default()
//! };
//! let draft = RouteDraft {
//!     name: "qwen3".to_owned(),
//!     targets: vec![target("small", 100.0), target("large", 300.0)],
//!     ..RouteDraft::default()
//! };
//! let policy = Policy::from(&Route::try_from(&draft)?);
//!
//! let keys = [1, 2].map(|id| CandidateKey::new(Uuid::from_u128(id), "http://host/v1", "qwen3"));
//! let candidates = [0, 1].map(|target| Candidate {
//!     target,
//!     key: &keys[target],
//!     load: Load::default(),
//!     left_out: None,
//! });
//! let mut rotation = Rotation::default();
//! let mut choose = || policy.rank(&candidates, &Facts::default(), &mut rotation).live[0].candidate;
//! let chosen = [(); 4].map(|()| choose());
//! assert_eq!(chosen.iter().sum::<usize>(), 3, "large is chosen three times of four");
//! # Ok::<(), routing::FieldErrors>(())
//! ```

mod balance;
mod candidate;
mod check;
mod decided_by;
mod draft;
mod facts;
mod field_errors;
mod name;
mod policy;
mod problem;
mod ranking;
mod retry;
mod rotation;
mod route;
mod scorer;
mod session_key;
mod settings;
mod share;
mod target;
mod weight;

pub use balance::{Balance, Outcome};
pub use candidate::{Candidate, CandidateKey, LeftOut, Load};
pub use decided_by::DecidedBy;
pub use draft::{
    DecisionServiceDraft, FallbackDraft, LeastInflightDraft, PolicyDraft, RetryDraft, RouteDraft,
    SessionAffinityDraft, SessionKeyDraft, TargetDraft,
};
pub use facts::{Abstention, Decision, Facts, NoDecision};
pub use field_errors::FieldErrors;
pub use policy::Policy;
pub use problem::{Needed, Problem};
pub use ranking::{Ranked, Ranking, Scored};
pub use retry::Retry;
pub use rotation::Rotation;
pub use route::{Route, RouteBy};
pub use session_key::SessionKeys;
pub use settings::{DecisionService, LeastInflight, PolicySettings, ScorerName, SessionAffinity};
pub use share::{Share, Stake, expected_shares};
pub use target::{Fallback, Target};
pub use weight::Weight;
