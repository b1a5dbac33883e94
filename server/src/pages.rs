//! The web pages and their server functions: rendered here, with the service layer as their backend.

mod backend;
mod language;

use std::sync::Arc;

use app::backend::BackendHandle;
use app::shell::{Assets, shell};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use http::{HeaderName, HeaderValue, StatusCode, header};
use leptos::prelude::{provide_context, use_context};
use leptos_axum::ResponseOptions;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use self::backend::PageBackend;
use crate::api;
use crate::server::AppState;

/// Where somebody who is not signed in is sent.
const SIGN_IN: &str = "/sign-in";

/// Stays readable in `?next=`.
const IN_QUERY: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.');

/// Pages under `/`, server functions under `/fn`.
pub fn router(state: AppState) -> Router {
    // Another server in this process, as tests start them, may have set it already.
    let _ = any_spawner::Executor::init_tokio();
    let names = state.bundle.names();
    Router::new()
        .route("/fn/{*name}", post(server_function))
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
        .fallback(page)
        .layer(middleware::from_fn_with_state(state.clone(), with_session))
        .layer(middleware::map_response(secure))
        .with_state(Pages { state, names })
}

#[derive(Clone)]
struct Pages {
    state: AppState,
    names: Option<Assets>,
}

/// Looks the session up once; a page (but for signing in) needs one.
async fn with_session(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let signed_in = match state.sessions.signed_in(request.headers()).await {
        Ok(signed_in) => signed_in,
        Err(error) => return (api::status(error.code), format!("{error}\n")).into_response(),
    };
    let path = request.uri().path();
    let is_function = path.starts_with("/fn/");
    if signed_in.is_none() && !is_function && path != SIGN_IN {
        let here = request
            .uri()
            .path_and_query()
            .map_or("/", |path| path.as_str());
        return Redirect::to(&format!(
            "{SIGN_IN}?next={}",
            utf8_percent_encode(here, IN_QUERY)
        ))
        .into_response();
    }
    if signed_in.is_some() && path == SIGN_IN && request.method().is_safe() {
        return Redirect::to("/").into_response();
    }
    if let Some(signed_in) = signed_in {
        request.extensions_mut().insert(signed_in);
    }
    next.run(request).await
}

async fn page(State(pages): State<Pages>, request: Request) -> Response {
    if !request.method().is_safe() {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let language = language::choose(request.headers());
    let context = move || {
        pages.provide_backend();
        provide_context(language);
        if let Some(names) = pages.names.clone() {
            provide_context(names);
        }
        set_content_security_policy();
    };
    leptos_axum::render_app_async_with_context(context, shell)(request).await
}

async fn server_function(State(pages): State<Pages>, request: Request<Body>) -> Response {
    leptos_axum::handle_server_fns_with_context(move || pages.provide_backend(), request)
        .await
        .into_response()
}

impl Pages {
    fn provide_backend(&self) {
        let (Some(parts), Some(response)) = (
            use_context::<http::request::Parts>(),
            use_context::<ResponseOptions>(),
        ) else {
            tracing::error!("a page was rendered without its request");
            return;
        };
        let backend: BackendHandle =
            Arc::new(PageBackend::new(self.state.clone(), &parts, response));
        provide_context(backend);
    }
}

/// Only our own scripts and styles run, whatever text finds its way into a page.
fn set_content_security_policy() {
    let (Some(nonce), Some(response)) =
        (leptos::nonce::use_nonce(), use_context::<ResponseOptions>())
    else {
        return;
    };
    let policy = format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::try_from(policy) {
        response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// Headers of every page.
async fn secure(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("same-origin"),
    );
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
    // Pages show what only a signed-in person may see; nothing in between keeps them.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(
            "default-src 'none'; frame-ancestors 'none'",
        ));
    response
}
