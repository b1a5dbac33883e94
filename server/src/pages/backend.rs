//! The pages' way to the service layer, bound to one request.

use std::net::SocketAddr;

use app::api::list::{List, Page};
use app::api::provider::Provider;
use app::api::route::Route;
use app::backend::Backend;
use app::error::{ApiError, ErrorCode};
use async_trait::async_trait;
use axum::extract::ConnectInfo;
use http::request::Parts;
use http::{HeaderMap, StatusCode, header};
use leptos_axum::ResponseOptions;
use routing::RouteDraft;

use crate::api;
use crate::auth::SignedIn;
use crate::server::AppState;

/// Who is asking, and the answer on which cookies can be set.
pub(super) struct PageBackend {
    state: AppState,
    signed_in: Option<SignedIn>,
    peer: Option<SocketAddr>,
    headers: HeaderMap,
    response: ResponseOptions,
}

impl PageBackend {
    pub(super) fn new(state: AppState, parts: &Parts, response: ResponseOptions) -> Self {
        Self {
            state,
            signed_in: parts.extensions.get::<SignedIn>().cloned(),
            peer: parts
                .extensions
                .get::<ConnectInfo<SocketAddr>>()
                .map(|info| info.0),
            headers: parts.headers.clone(),
            response,
        }
    }

    /// Lets only signed-in people through, and gives a refusal the status that belongs to it.
    async fn guarded<T>(
        &self,
        work: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<T, ApiError> {
        let result = match &self.signed_in {
            Some(_) => work.await,
            None => Err(ApiError::new(
                ErrorCode::Unauthenticated,
                "The session has ended. Sign in again; nothing you typed is lost.",
            )),
        };
        result.inspect_err(|error| self.response.set_status(api::status(error.code)))
    }
}

#[async_trait]
impl Backend for PageBackend {
    async fn sign_in(&self, username: String, password: String) -> Result<(), ApiError> {
        let peer = self
            .peer
            .ok_or_else(|| ApiError::new(ErrorCode::Internal, "The request has no address."))?;
        match self
            .state
            .sessions
            .sign_in(username, password, peer, &self.headers)
            .await
        {
            Ok(cookie) => {
                self.response.append_header(header::SET_COOKIE, cookie);
                Ok(())
            }
            Err(error) => {
                self.response.set_status(api::status(error.code));
                Err(error)
            }
        }
    }

    async fn sign_out(&self) -> Result<(), ApiError> {
        let cookie = self
            .state
            .sessions
            .sign_out(&self.headers)
            .await
            .inspect_err(|error| {
                self.response.set_status(api::status(error.code));
            })?;
        self.response.append_header(header::SET_COOKIE, cookie);
        Ok(())
    }

    async fn list_routes(&self, page: Page) -> Result<List<Route>, ApiError> {
        self.guarded(self.state.admin.list_routes(page)).await
    }

    async fn create_route(&self, draft: RouteDraft) -> Result<Route, ApiError> {
        self.guarded(self.state.admin.create_route(draft))
            .await
            .inspect(|_| self.response.set_status(StatusCode::CREATED))
    }

    async fn list_providers(&self, page: Page) -> Result<List<Provider>, ApiError> {
        self.guarded(self.state.admin.list_providers(page)).await
    }
}
