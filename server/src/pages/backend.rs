//! The pages' way to the service layer, bound to one request.

use std::collections::HashMap;
use std::net::SocketAddr;

use app::api::account::{About, PasswordChange, Session};
use app::api::explain::{DecisionTrial, DecisionTried, Explanation, Question};
use app::api::key::{Key, KeyDraft, NewKey};
use app::api::list::{List, Page};
use app::api::provider::{Provider, ProviderDraft, ProviderTest};
use app::api::request::{Bodies, RequestFilter, RequestNames, RequestRecord, WhatIf, WhatIfAnswer};
use app::api::route::Route;
use app::api::usage::{Usage, UsageQuery};
use app::backend::Backend;
use app::error::{ApiError, ErrorCode};
use async_trait::async_trait;
use axum::extract::ConnectInfo;
use http::request::Parts;
use http::{HeaderMap, header};
use leptos_axum::ResponseOptions;
use routing::RouteDraft;
use uuid::Uuid;

use crate::auth::SignedIn;
use crate::server::AppState;
use crate::upstream_url::BaseUrl;

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

    /// Lets only signed-in people through.
    async fn guarded<'a, T, Work>(
        &'a self,
        work: impl FnOnce(&'a SignedIn) -> Work,
    ) -> Result<T, ApiError>
    where
        Work: Future<Output = Result<T, ApiError>>,
    {
        match &self.signed_in {
            Some(who) => work(who).await,
            None => Err(ApiError::new(
                ErrorCode::Unauthenticated,
                "The session has ended. Sign in again; nothing you typed is lost.",
            )),
        }
    }

    fn peer(&self) -> Result<SocketAddr, ApiError> {
        self.peer
            .ok_or_else(|| ApiError::new(ErrorCode::Internal, "The request has no address."))
    }
}

#[async_trait]
impl Backend for PageBackend {
    async fn sign_in(&self, username: String, password: String) -> Result<(), ApiError> {
        let peer = self.peer()?;
        let cookie = self
            .state
            .sessions
            .sign_in(username, password, peer, &self.headers)
            .await?;
        self.response.append_header(header::SET_COOKIE, cookie);
        Ok(())
    }

    async fn sign_out(&self) -> Result<(), ApiError> {
        let cookie = self.state.sessions.sign_out(&self.headers).await?;
        self.response.append_header(header::SET_COOKIE, cookie);
        Ok(())
    }

    async fn about(&self) -> Result<About, ApiError> {
        let about = About {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            database: self.state.store.kind().to_owned(),
        };
        self.guarded(|_| async move { Ok(about) }).await
    }

    async fn change_password(&self, change: PasswordChange) -> Result<(), ApiError> {
        let peer = self.peer()?;
        let cookie = self
            .guarded(|who| async move {
                self.state
                    .sessions
                    .change_password(who, change, peer, &self.headers)
                    .await
            })
            .await?;
        self.response.append_header(header::SET_COOKIE, cookie);
        Ok(())
    }

    async fn list_sessions(&self) -> Result<Vec<Session>, ApiError> {
        self.guarded(|who| async move { self.state.sessions.list(who).await })
            .await
    }

    async fn end_session(&self, id: String) -> Result<(), ApiError> {
        self.guarded(|who| async move { self.state.sessions.end(who, &id).await })
            .await
    }

    async fn end_other_sessions(&self) -> Result<(), ApiError> {
        self.guarded(|who| async move { self.state.sessions.end_others(who).await })
            .await
    }

    async fn list_routes(&self, page: Page) -> Result<List<Route>, ApiError> {
        self.guarded(|_| async move { self.state.admin.list_routes(page).await })
            .await
    }

    async fn get_route(&self, id: Uuid) -> Result<Route, ApiError> {
        self.guarded(|_| async move { self.state.admin.get_route(id).await })
            .await
    }

    async fn create_route(&self, draft: RouteDraft) -> Result<Route, ApiError> {
        self.guarded(|_| async move { self.state.admin.create_route(draft).await })
            .await
    }

    async fn update_route(&self, id: Uuid, draft: RouteDraft) -> Result<Route, ApiError> {
        self.guarded(|_| async move { self.state.admin.update_route(id, draft).await })
            .await
    }

    async fn delete_route(&self, id: Uuid) -> Result<(), ApiError> {
        self.guarded(|_| async move { self.state.admin.delete_route(id).await })
            .await
    }

    async fn list_providers(&self, page: Page) -> Result<List<Provider>, ApiError> {
        self.guarded(|_| async move { self.state.admin.list_providers(page).await })
            .await
    }

    async fn get_provider(&self, id: Uuid) -> Result<Provider, ApiError> {
        self.guarded(|_| async move { self.state.admin.get_provider(id).await })
            .await
    }

    async fn create_provider(&self, draft: ProviderDraft) -> Result<Provider, ApiError> {
        self.guarded(|_| async move { self.state.admin.create_provider(draft).await })
            .await
    }

    async fn update_provider(&self, id: Uuid, draft: ProviderDraft) -> Result<Provider, ApiError> {
        self.guarded(|_| async move { self.state.admin.update_provider(id, draft).await })
            .await
    }

    async fn delete_provider(&self, id: Uuid) -> Result<(), ApiError> {
        self.guarded(|_| async move { self.state.admin.delete_provider(id).await })
            .await
    }

    async fn users_of_provider(&self, id: Uuid) -> Result<Vec<String>, ApiError> {
        self.guarded(|_| async move { self.state.admin.users_of_provider(id).await })
            .await
    }

    async fn users_of_providers(&self) -> Result<HashMap<Uuid, Vec<String>>, ApiError> {
        self.guarded(|_| async move { self.state.admin.users_of_providers().await })
            .await
    }

    async fn test_provider(
        &self,
        id: Option<Uuid>,
        draft: ProviderDraft,
    ) -> Result<ProviderTest, ApiError> {
        self.guarded(|_| async move {
            let record = self.state.admin.draft_provider(id, draft).await?;
            self.state.prober.test(record).await
        })
        .await
    }

    async fn upstream_models(
        &self,
        id: Option<Uuid>,
        draft: ProviderDraft,
    ) -> Result<Vec<String>, ApiError> {
        self.guarded(|_| async move {
            let record = self.state.admin.draft_provider(id, draft).await?;
            self.state.prober.upstream_models(record).await
        })
        .await
    }

    fn base_url(&self, written: &str) -> String {
        BaseUrl::parse(written).map_or_else(|_| written.to_owned(), |base| base.as_str().to_owned())
    }

    async fn try_decision(&self, trial: DecisionTrial) -> Result<DecisionTried, ApiError> {
        self.guarded(|_| async move { self.state.inspector.try_decision(trial).await })
            .await
    }

    async fn explain(&self, route: Uuid, question: Question) -> Result<Explanation, ApiError> {
        self.guarded(|_| async move { self.state.inspector.explain(route, question).await })
            .await
    }

    async fn list_requests(&self, filter: RequestFilter) -> Result<List<RequestRecord>, ApiError> {
        self.guarded(|_| async move { self.state.inspector.requests(&filter).await })
            .await
    }

    async fn get_request(&self, id: Uuid) -> Result<RequestRecord, ApiError> {
        self.guarded(|_| async move { self.state.inspector.request(id).await })
            .await
    }

    async fn request_bodies(&self, id: Uuid) -> Result<Bodies, ApiError> {
        self.guarded(|_| async move { self.state.inspector.request_bodies(id).await })
            .await
    }

    async fn request_names(&self) -> Result<RequestNames, ApiError> {
        self.guarded(|_| async move { self.state.inspector.request_names().await })
            .await
    }

    async fn what_if(&self, route: Uuid, what_if: WhatIf) -> Result<WhatIfAnswer, ApiError> {
        self.guarded(|_| async move { self.state.inspector.what_if(route, &what_if).await })
            .await
    }

    async fn usage(&self, query: UsageQuery) -> Result<Usage, ApiError> {
        self.guarded(|_| async move { self.state.inspector.usage(&query).await })
            .await
    }

    async fn list_keys(&self, page: Page) -> Result<List<Key>, ApiError> {
        self.guarded(|_| async move { self.state.admin.list_keys(page).await })
            .await
    }

    async fn create_key(&self, draft: KeyDraft) -> Result<NewKey, ApiError> {
        self.guarded(|_| async move { self.state.admin.create_key(draft).await })
            .await
    }

    async fn delete_key(&self, id: Uuid) -> Result<(), ApiError> {
        self.guarded(|_| async move { self.state.admin.delete_key(id).await })
            .await
    }
}
