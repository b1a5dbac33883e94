//! How a Signalbox route decides.

mod check;
mod draft;
mod field_errors;
mod name;
mod problem;
mod route;
mod settings;
mod target;
mod weight;

pub use draft::{
    DecisionServiceDraft, FallbackDraft, LeastInflightDraft, PolicyDraft, RouteDraft,
    SessionAffinityDraft, SessionKeyDraft, TargetDraft,
};
pub use field_errors::FieldErrors;
pub use problem::{Needed, Problem};
pub use route::{Route, RouteBy};
pub use settings::{DecisionService, LeastInflight, PolicySettings, ScorerName, SessionAffinity};
pub use target::{Fallback, Target};
pub use weight::Weight;
