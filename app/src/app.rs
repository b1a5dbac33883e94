//! Which page is at which address.

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{ParentRoute, Redirect, Route, Router, Routes};
use leptos_router::{SsrMode, path};

use crate::components::frame::Frame;
use crate::i18n::{text, use_locale};
use crate::live::provide_live;
use crate::pages::add_key::AddKey;
use crate::pages::add_provider::AddProvider;
use crate::pages::add_route::AddRoute;
use crate::pages::edit_provider::EditProvider;
use crate::pages::edit_route::EditRoute;
use crate::pages::keys::KeysPage;
use crate::pages::not_found::NotFound;
use crate::pages::providers::ProvidersPage;
use crate::pages::routes::RoutesPage;
use crate::pages::settings::SettingsPage;
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
    provide_live();
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
                    <Route path=path!("routes/new") view=AddRoute />
                    <Route path=path!("routes/:id") view=EditRoute />
                    <Route path=path!("providers") view=ProvidersPage />
                    <Route path=path!("providers/new") view=AddProvider />
                    <Route path=path!("providers/:id") view=EditProvider />
                    <Route path=path!("keys") view=KeysPage />
                    <Route path=path!("keys/new") view=AddKey />
                    <Route path=path!("settings") view=SettingsPage />
                </ParentRoute>
            </Routes>
        </Router>
    }
}
