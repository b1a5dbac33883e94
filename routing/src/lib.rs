//! How a Signalbox route decides.

mod draft;
mod route;
mod settings;

pub use draft::{
    DecisionServiceDraft, FallbackDraft, LeastInflightDraft, PolicyDraft, RouteDraft,
    SessionAffinityDraft, SessionKeyDraft, TargetDraft,
};
pub use route::RouteBy;
pub use settings::{DecisionService, LeastInflight, PolicySettings, SessionAffinity};
