//! What the pages ask of the server. Each is one call of the service layer; the session comes from
//! the cookie, and is already bound to the backend in context.

use leptos::prelude::*;
use routing::RouteDraft;
use uuid::Uuid;

use crate::api::account::{About, PasswordChange, Session};
use crate::api::explain::{DecisionTrial, DecisionTried, Explanation, Question};
use crate::api::key::{Key, KeyDraft, NewKey};
use crate::api::list::List;
use crate::api::provider::{Provider, ProviderDraft, ProviderTest};
use crate::api::request::{
    Bodies, RequestFilter, RequestNames, RequestRecord, WhatIf, WhatIfAnswer,
};
use crate::api::usage::{Usage, UsageQuery};
use crate::error::ApiError;
use crate::json::Json;
use crate::summary::{Catalog, NotDeleted, ProviderSummary, RouteList, UsedProvider};

#[server(prefix = "/fn", endpoint = "sign-in", input = Json, output = Json)]
pub async fn sign_in(username: String, password: String) -> Result<(), ApiError> {
    answer(async move { backend()?.sign_in(username, password).await }).await
}

#[server(prefix = "/fn", endpoint = "sign-out", input = Json, output = Json)]
pub async fn sign_out() -> Result<(), ApiError> {
    answer(async { backend()?.sign_out().await }).await
}

#[server(prefix = "/fn", endpoint = "list-routes", input = Json, output = Json)]
pub async fn list_routes() -> Result<RouteList, ApiError> {
    answer(async {
        let backend = backend()?;
        let routes = every_page(|page| backend.list_routes(page)).await?;
        let providers = every_page(|page| backend.list_providers(page)).await?;
        Ok(RouteList {
            routes: routes.into_iter().map(RouteSummary::from).collect(),
            upstreams: Catalog::of(providers, |url| backend.base_url(url)).upstreams,
        })
    })
    .await
}

/// Where a route's targets can lead to.
#[server(prefix = "/fn", endpoint = "get-catalog", input = Json, output = Json)]
pub async fn get_catalog() -> Result<Catalog, ApiError> {
    answer(async {
        let backend = backend()?;
        let providers = every_page(|page| backend.list_providers(page)).await?;
        Ok(Catalog::of(providers, |url| backend.base_url(url)))
    })
    .await
}

#[server(prefix = "/fn", endpoint = "create-route", input = Json, output = Json)]
pub async fn create_route(draft: RouteDraft) -> Result<(), ApiError> {
    answer(async move { backend()?.create_route(draft).await.map(drop) }).await
}

/// What is there, as an edit begins.
#[server(prefix = "/fn", endpoint = "get-route", input = Json, output = Json)]
pub async fn get_route(id: Uuid) -> Result<RouteDraft, ApiError> {
    answer(async move { backend()?.get_route(id).await.map(Into::into) }).await
}

#[server(prefix = "/fn", endpoint = "update-route", input = Json, output = Json)]
pub async fn update_route(id: Uuid, draft: RouteDraft) -> Result<(), ApiError> {
    answer(async move { backend()?.update_route(id, draft).await.map(drop) }).await
}

/// Whether a route takes requests, without touching what else it is.
#[server(prefix = "/fn", endpoint = "switch-route", input = Json, output = Json)]
pub async fn switch_route(id: Uuid, enabled: bool) -> Result<(), ApiError> {
    answer(async move {
        let backend = backend()?;
        let mut draft = RouteDraft::from(backend.get_route(id).await?);
        draft.enabled = enabled;
        backend.update_route(id, draft).await.map(drop)
    })
    .await
}

/// Deletes what can be deleted, and answers with what cannot. A route that is gone already is what
/// was wanted.
#[server(prefix = "/fn", endpoint = "delete-routes", input = Json, output = Json)]
pub async fn delete_routes(ids: Vec<Uuid>) -> Result<Vec<NotDeleted>, ApiError> {
    answer(async move {
        let backend = backend()?;
        let mut refused = Vec::new();
        for id in ids {
            match backend.delete_route(id).await {
                Ok(()) => {}
                Err(error) if error.code == ErrorCode::NotFound => {}
                Err(error) if error.code == ErrorCode::Conflict => refused.push(NotDeleted {
                    id,
                    why: error.message,
                }),
                Err(error) => return Err(error),
            }
        }
        Ok(refused)
    })
    .await
}

/// Providers with the routes that use them.
#[server(prefix = "/fn", endpoint = "summarize-providers", input = Json, output = Json)]
pub async fn summarize_providers() -> Result<Vec<ProviderSummary>, ApiError> {
    answer(async {
        let backend = backend()?;
        let providers = every_page(|page| backend.list_providers(page)).await?;
        let mut users = backend.users_of_providers().await?;
        Ok(providers
            .into_iter()
            .map(|provider| {
                let routes = users.remove(&provider.id).unwrap_or_default();
                ProviderSummary::of(provider, routes)
            })
            .collect())
    })
    .await
}

#[server(prefix = "/fn", endpoint = "get-provider", input = Json, output = Json)]
pub async fn get_provider(id: Uuid) -> Result<Provider, ApiError> {
    answer(async move { backend()?.get_provider(id).await }).await
}

#[server(prefix = "/fn", endpoint = "get-used-provider", input = Json, output = Json)]
pub async fn get_used_provider(id: Uuid) -> Result<UsedProvider, ApiError> {
    answer(async move {
        let backend = backend()?;
        Ok(UsedProvider {
            provider: backend.get_provider(id).await?,
            routes: backend.users_of_provider(id).await?,
        })
    })
    .await
}

#[server(prefix = "/fn", endpoint = "create-provider", input = Json, output = Json)]
pub async fn create_provider(draft: ProviderDraft) -> Result<(), ApiError> {
    answer(async move { backend()?.create_provider(draft).await.map(drop) }).await
}

#[server(prefix = "/fn", endpoint = "update-provider", input = Json, output = Json)]
pub async fn update_provider(id: Uuid, draft: ProviderDraft) -> Result<(), ApiError> {
    answer(async move { backend()?.update_provider(id, draft).await.map(drop) }).await
}

#[server(prefix = "/fn", endpoint = "delete-provider", input = Json, output = Json)]
pub async fn delete_provider(id: Uuid) -> Result<(), ApiError> {
    answer(async move { backend()?.delete_provider(id).await }).await
}

/// Tries a draft out, saved or not; `id` is the provider that it edits.
#[server(prefix = "/fn", endpoint = "test-provider", input = Json, output = Json)]
pub async fn test_provider(
    id: Option<Uuid>,
    draft: ProviderDraft,
) -> Result<ProviderTest, ApiError> {
    answer(async move { backend()?.test_provider(id, draft).await }).await
}

/// What the upstream of a draft lists; `id` is the provider that it edits.
#[server(prefix = "/fn", endpoint = "upstream-models", input = Json, output = Json)]
pub async fn upstream_models(
    id: Option<Uuid>,
    draft: ProviderDraft,
) -> Result<Vec<String>, ApiError> {
    answer(async move { backend()?.upstream_models(id, draft).await }).await
}

/// Adds to a decision service what its upstream lists and it does not yet; answers with all its models.
#[server(prefix = "/fn", endpoint = "fetch-decision-models", input = Json, output = Json)]
pub async fn fetch_decision_models(provider: String) -> Result<Vec<String>, ApiError> {
    answer(async move {
        let backend = backend()?;
        let providers = every_page(|page| backend.list_providers(page)).await?;
        let known = providers.into_iter().find(|known| known.name == provider);
        let known = known.ok_or_else(|| {
            let gone = format!("There is no provider {provider} (any more).");
            ApiError::new(ErrorCode::NotFound, gone)
        })?;
        let id = known.id;
        let mut draft = ProviderDraft::from(known);
        let found = backend.upstream_models(Some(id), draft.clone()).await?;
        let before = draft.models.len();
        for name in found {
            if !draft.models.iter().any(|model| model.name == name) {
                draft.models.push(Model {
                    name,
                    category: Category::Decision,
                    price: None,
                });
            }
        }
        let models = draft.models.iter().map(|model| model.name.clone());
        let models = models.collect();
        if draft.models.len() > before {
            backend.update_provider(id, draft).await?;
        }
        Ok(models)
    })
    .await
}

/// Asks a decision service about a prompt, with settings that need not be saved.
#[server(prefix = "/fn", endpoint = "try-decision", input = Json, output = Json)]
pub async fn try_decision(trial: DecisionTrial) -> Result<DecisionTried, ApiError> {
    answer(async move { backend()?.try_decision(trial).await }).await
}

/// Where a route would send a request now.
#[server(prefix = "/fn", endpoint = "explain", input = Json, output = Json)]
pub async fn explain(route: Uuid, question: Question) -> Result<Explanation, ApiError> {
    answer(async move { backend()?.explain(route, question).await }).await
}

#[server(prefix = "/fn", endpoint = "list-requests", input = Json, output = Json)]
pub async fn list_requests(filter: RequestFilter) -> Result<List<RequestRecord>, ApiError> {
    answer(async move { backend()?.list_requests(filter).await }).await
}

#[server(prefix = "/fn", endpoint = "get-request", input = Json, output = Json)]
pub async fn get_request(id: Uuid) -> Result<RequestRecord, ApiError> {
    answer(async move { backend()?.get_request(id).await }).await
}

/// What was asked and answered.
#[server(prefix = "/fn", endpoint = "request-bodies", input = Json, output = Json)]
pub async fn get_request_bodies(id: Uuid) -> Result<Bodies, ApiError> {
    answer(async move { backend()?.request_bodies(id).await }).await
}

/// What requests can be filtered by.
#[server(prefix = "/fn", endpoint = "request-names", input = Json, output = Json)]
pub async fn get_request_names() -> Result<RequestNames, ApiError> {
    answer(async { backend()?.request_names().await }).await
}

/// Where the latest requests of a route would have gone with other weights.
#[server(prefix = "/fn", endpoint = "what-if", input = Json, output = Json)]
pub async fn ask_what_if(route: Uuid, what_if: WhatIf) -> Result<WhatIfAnswer, ApiError> {
    answer(async move { backend()?.what_if(route, what_if).await }).await
}

#[server(prefix = "/fn", endpoint = "usage", input = Json, output = Json)]
pub async fn get_usage(query: UsageQuery) -> Result<Usage, ApiError> {
    answer(async move { backend()?.usage(query).await }).await
}

#[server(prefix = "/fn", endpoint = "list-keys", input = Json, output = Json)]
pub async fn list_keys() -> Result<Vec<Key>, ApiError> {
    answer(async {
        let backend = backend()?;
        every_page(|page| backend.list_keys(page)).await
    })
    .await
}

#[server(prefix = "/fn", endpoint = "create-key", input = Json, output = Json)]
pub async fn create_key(draft: KeyDraft) -> Result<NewKey, ApiError> {
    answer(async move { backend()?.create_key(draft).await }).await
}

#[server(prefix = "/fn", endpoint = "delete-key", input = Json, output = Json)]
pub async fn delete_key(id: Uuid) -> Result<(), ApiError> {
    answer(async move { backend()?.delete_key(id).await }).await
}

#[server(prefix = "/fn", endpoint = "about", input = Json, output = Json)]
pub async fn about_server() -> Result<About, ApiError> {
    answer(async { backend()?.about().await }).await
}

#[server(prefix = "/fn", endpoint = "change-password", input = Json, output = Json)]
pub async fn change_password(change: PasswordChange) -> Result<(), ApiError> {
    answer(async move { backend()?.change_password(change).await }).await
}

#[server(prefix = "/fn", endpoint = "list-sessions", input = Json, output = Json)]
pub async fn list_sessions() -> Result<Vec<Session>, ApiError> {
    answer(async { backend()?.list_sessions().await }).await
}

#[server(prefix = "/fn", endpoint = "end-session", input = Json, output = Json)]
pub async fn end_session(id: String) -> Result<(), ApiError> {
    answer(async move { backend()?.end_session(id).await }).await
}

#[server(prefix = "/fn", endpoint = "end-other-sessions", input = Json, output = Json)]
pub async fn end_other_sessions() -> Result<(), ApiError> {
    answer(async { backend()?.end_other_sessions().await }).await
}

#[cfg(feature = "ssr")]
use crate::{
    api::provider::{Category, Model},
    error::ErrorCode,
    summary::RouteSummary,
};
#[cfg(feature = "ssr")]
use on_server::{answer, backend, every_page};

#[cfg(feature = "ssr")]
mod on_server {
    use std::future::Future;

    use http::StatusCode;
    use leptos::prelude::use_context;
    use leptos_axum::ResponseOptions;

    use crate::api::list::{List, Page};
    use crate::backend::BackendHandle;
    use crate::error::{ApiError, ErrorCode};

    pub(super) fn backend() -> Result<BackendHandle, ApiError> {
        use_context().ok_or_else(|| {
            ApiError::new(
                ErrorCode::Internal,
                "This page has no service layer behind it.",
            )
        })
    }

    /// Gives a refusal its own status; leptos would answer 500 to all of them.
    pub(super) async fn answer<T>(
        work: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<T, ApiError> {
        let response = use_context::<ResponseOptions>();
        let result = work.await;
        if let (Err(error), Some(response)) = (&result, response)
            && let Ok(status) = StatusCode::from_u16(error.code.status())
        {
            response.set_status(status);
        }
        result
    }

    /// Follows `next` to the end.
    pub(super) async fn every_page<T, F, Fut>(list: F) -> Result<Vec<T>, ApiError>
    where
        F: Fn(Page) -> Fut,
        Fut: Future<Output = Result<List<T>, ApiError>>,
    {
        let mut page = Page {
            limit: 1000,
            after: None,
        };
        let mut items = Vec::new();
        loop {
            let List { items: more, next } = list(page.clone()).await?;
            items.extend(more);
            match next {
                Some(next) => page.after = Some(next),
                None => return Ok(items),
            }
        }
    }
}
