//! Which page is at which address.

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{ParentRoute, Redirect, Route, Router, Routes};
use leptos_router::{Lazy, SsrMode, path};

use crate::components::frame::Frame;
use crate::i18n::{text, use_locale};
use crate::lazy::{
    LazyAddKey, LazyAddProvider, LazyAddRoute, LazyEditProvider, LazyEditRoute, LazyKeys,
    LazyPlayground, LazyProviders, LazyRequest, LazyRequests, LazySettings, LazyUsage, LazyWhatIf,
};
use crate::pages::not_found::NotFound;
use crate::pages::routes::RoutesPage;
use crate::pages::sign_in::SignIn;
use crate::paths;

/// In development `/_components` shows all of them; in a release it is no page.
#[cfg(debug_assertions)]
use crate::pages::gallery::Gallery as Components;
#[cfg(not(debug_assertions))]
use crate::pages::not_found::NotFound as Components;

#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    let locale = use_locale();
    let in_title = move |page: String| format!("{page} · {}", text!(locale, product));

    // `Async` renders the whole page before the first byte, so that a page nobody is signed in for
    // is a real redirect.
    view! {
        <Title formatter=in_title />
        <Router>
            <Routes fallback=NotFound>
                <Route path=path!("/sign-in") view=SignIn ssr=SsrMode::Async />
                <Route path=path!("/_components") view=Components ssr=SsrMode::Async />
                <ParentRoute path=path!("") view=Frame ssr=SsrMode::Async>
                    <Route path=path!("") view=|| view! { <Redirect path=paths::ROUTES /> } />
                    <Route path=path!("routes") view=RoutesPage />
                    <Route path=path!("routes/new") view={Lazy::<LazyAddRoute>::new()} />
                    <Route path=path!("routes/:id") view={Lazy::<LazyEditRoute>::new()} />
                    <Route path=path!("providers") view={Lazy::<LazyProviders>::new()} />
                    <Route path=path!("providers/new") view={Lazy::<LazyAddProvider>::new()} />
                    <Route path=path!("providers/:id") view={Lazy::<LazyEditProvider>::new()} />
                    <Route path=path!("keys") view={Lazy::<LazyKeys>::new()} />
                    <Route path=path!("keys/new") view={Lazy::<LazyAddKey>::new()} />
                    <Route path=path!("requests") view={Lazy::<LazyRequests>::new()} />
                    <Route path=path!("requests/what-if") view={Lazy::<LazyWhatIf>::new()} />
                    <Route path=path!("requests/:id") view={Lazy::<LazyRequest>::new()} />
                    <Route path=path!("usage") view={Lazy::<LazyUsage>::new()} />
                    <Route path=path!("playground") view={Lazy::<LazyPlayground>::new()} />
                    <Route path=path!("settings") view={Lazy::<LazySettings>::new()} />
                </ParentRoute>
            </Routes>
        </Router>
    }
}
