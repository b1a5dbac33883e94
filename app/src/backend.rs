//! The door from the pages to the service layer. The server puts an implementation, already bound to
//! who is asking, into the context of each render and each server function.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use routing::RouteDraft;
use uuid::Uuid;

use crate::api::account::{About, PasswordChange, Session};
use crate::api::explain::{DecisionTrial, DecisionTried, Explanation, Question};
use crate::api::key::{Key, KeyDraft, NewKey};
use crate::api::list::{List, Page};
use crate::api::provider::{Provider, ProviderDraft, ProviderTest};
use crate::api::request::{
    Bodies, RequestFilter, RequestNames, RequestRecord, WhatIf, WhatIfAnswer,
};
use crate::api::route::Route;
use crate::api::usage::{Usage, UsageQuery};
use crate::error::ApiError;

/// What a page may ask for. Everything but signing in is refused with `unauthenticated` when nobody
/// is signed in.
#[async_trait]
pub trait Backend: Send + Sync {
    /// Checks the password and, if right, sets the session cookie on the answer.
    async fn sign_in(&self, username: String, password: String) -> Result<(), ApiError>;
    /// Ends the session and clears its cookie.
    async fn sign_out(&self) -> Result<(), ApiError>;
    async fn about(&self) -> Result<About, ApiError>;
    /// Ends all sessions and begins a new one for who asks.
    async fn change_password(&self, change: PasswordChange) -> Result<(), ApiError>;
    async fn list_sessions(&self) -> Result<Vec<Session>, ApiError>;
    async fn end_session(&self, id: String) -> Result<(), ApiError>;
    async fn end_other_sessions(&self) -> Result<(), ApiError>;

    async fn list_routes(&self, page: Page) -> Result<List<Route>, ApiError>;
    async fn get_route(&self, id: Uuid) -> Result<Route, ApiError>;
    async fn create_route(&self, draft: RouteDraft) -> Result<Route, ApiError>;
    async fn update_route(&self, id: Uuid, draft: RouteDraft) -> Result<Route, ApiError>;
    async fn delete_route(&self, id: Uuid) -> Result<(), ApiError>;

    async fn list_providers(&self, page: Page) -> Result<List<Provider>, ApiError>;
    async fn get_provider(&self, id: Uuid) -> Result<Provider, ApiError>;
    async fn create_provider(&self, draft: ProviderDraft) -> Result<Provider, ApiError>;
    async fn update_provider(&self, id: Uuid, draft: ProviderDraft) -> Result<Provider, ApiError>;
    async fn delete_provider(&self, id: Uuid) -> Result<(), ApiError>;
    /// The names of the routes that use a provider: as a target, a fallback or a decision service.
    async fn users_of_provider(&self, id: Uuid) -> Result<Vec<String>, ApiError>;
    /// The same of all providers that are used.
    async fn users_of_providers(&self) -> Result<HashMap<Uuid, Vec<String>>, ApiError>;
    /// Real calls to the instances of a draft, saved or not; `id` is the provider whose stored
    /// credentials and headers the draft keeps.
    async fn test_provider(
        &self,
        id: Option<Uuid>,
        draft: ProviderDraft,
    ) -> Result<ProviderTest, ApiError>;
    /// What the upstream of a draft lists.
    async fn upstream_models(
        &self,
        id: Option<Uuid>,
        draft: ProviderDraft,
    ) -> Result<Vec<String>, ApiError>;

    /// The form of an instance's URL by which the gateway tells instances apart.
    fn base_url(&self, written: &str) -> String;
    /// Asks a decision service about a prompt.
    async fn try_decision(&self, trial: DecisionTrial) -> Result<DecisionTried, ApiError>;

    /// Where a route would send a request now.
    async fn explain(&self, route: Uuid, question: Question) -> Result<Explanation, ApiError>;

    async fn list_requests(&self, filter: RequestFilter) -> Result<List<RequestRecord>, ApiError>;
    async fn get_request(&self, id: Uuid) -> Result<RequestRecord, ApiError>;
    /// What was asked and answered.
    async fn request_bodies(&self, id: Uuid) -> Result<Bodies, ApiError>;
    /// What requests can be filtered by.
    async fn request_names(&self) -> Result<RequestNames, ApiError>;
    /// Where the latest requests of a route would have gone with other weights.
    async fn what_if(&self, route: Uuid, what_if: WhatIf) -> Result<WhatIfAnswer, ApiError>;
    async fn usage(&self, query: UsageQuery) -> Result<Usage, ApiError>;

    async fn list_keys(&self, page: Page) -> Result<List<Key>, ApiError>;
    async fn create_key(&self, draft: KeyDraft) -> Result<NewKey, ApiError>;
    async fn delete_key(&self, id: Uuid) -> Result<(), ApiError>;
}

/// How the pages hold it.
pub type BackendHandle = Arc<dyn Backend>;
