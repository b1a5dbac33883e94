//! What the pages ask of the server. Each is one call of the service layer; the session comes from
//! the cookie, and is already bound to the backend in context.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use routing::RouteDraft;
use uuid::Uuid;

use crate::error::ApiError;
use crate::summary::{RouteSummary, Upstream};

#[server(prefix = "/fn", endpoint = "sign-in", input = Json)]
pub async fn sign_in(username: String, password: String) -> Result<(), ApiError> {
    answer(async move { backend()?.sign_in(username, password).await }).await
}

#[server(prefix = "/fn", endpoint = "sign-out", input = Json)]
pub async fn sign_out() -> Result<(), ApiError> {
    answer(async { backend()?.sign_out().await }).await
}

#[server(prefix = "/fn", endpoint = "list-routes", input = Json)]
pub async fn list_routes() -> Result<Vec<RouteSummary>, ApiError> {
    answer(async {
        let backend = backend()?;
        let routes = every_page(|page| backend.list_routes(page)).await?;
        Ok(routes.into_iter().map(RouteSummary::from).collect())
    })
    .await
}

/// Answers with the new route's id.
#[server(prefix = "/fn", endpoint = "create-route", input = Json)]
pub async fn create_route(draft: RouteDraft) -> Result<Uuid, ApiError> {
    answer(async move { Ok(backend()?.create_route(draft).await?.id) }).await
}

/// Where a route's targets can lead to.
#[server(prefix = "/fn", endpoint = "list-upstreams", input = Json)]
pub async fn list_upstreams() -> Result<Vec<Upstream>, ApiError> {
    answer(async {
        let backend = backend()?;
        let providers = every_page(|page| backend.list_providers(page)).await?;
        Ok(providers.into_iter().filter_map(Upstream::of).collect())
    })
    .await
}

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
