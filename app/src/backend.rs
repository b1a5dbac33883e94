//! The door from the pages to the service layer. The server puts an implementation, already bound to
//! who is asking, into the context of each render and each server function.

use std::sync::Arc;

use async_trait::async_trait;
use routing::RouteDraft;

use crate::api::list::{List, Page};
use crate::api::provider::Provider;
use crate::api::route::Route;
use crate::error::ApiError;

/// What a page may ask for. Everything but signing in is refused with `unauthenticated` when nobody
/// is signed in.
#[async_trait]
pub trait Backend: Send + Sync {
    /// Checks the password and, if right, sets the session cookie on the answer.
    async fn sign_in(&self, username: String, password: String) -> Result<(), ApiError>;
    /// Ends the session and clears its cookie.
    async fn sign_out(&self) -> Result<(), ApiError>;
    async fn list_routes(&self, page: Page) -> Result<List<Route>, ApiError>;
    async fn create_route(&self, draft: RouteDraft) -> Result<Route, ApiError>;
    async fn list_providers(&self, page: Page) -> Result<List<Provider>, ApiError>;
}

/// How the pages hold it.
pub type BackendHandle = Arc<dyn Backend>;
