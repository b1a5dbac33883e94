//! How a Signalbox route decides.

mod draft;
mod route;

pub use draft::{
    DecisionServiceDraft, FallbackDraft, LeastInflightDraft, PolicyDraft, RouteDraft,
    SessionAffinityDraft, SessionKeyDraft, TargetDraft,
};
pub use route::RouteBy;
