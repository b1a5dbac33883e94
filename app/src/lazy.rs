//! Pages whose code is loaded when somebody goes there, so that the list of routes, the first page
//! of most visits, comes with its own code only.
//!
//! `wasm-split` takes each `#[lazy]` function, and what nothing else needs, out of the wasm into a
//! file of its own; pages that share much share one, and what several groups need stands in parts beside.

use leptos::prelude::*;
#[cfg(feature = "ssr")]
use leptos_meta::Link;
use leptos_router::LazyRoute;

use crate::pages::add_key::AddKey;
use crate::pages::add_provider::AddProvider;
use crate::pages::add_route::AddRoute;
use crate::pages::edit_provider::EditProvider;
use crate::pages::edit_route::EditRoute;
use crate::pages::keys::KeysPage;
use crate::pages::playground::PlaygroundPage;
use crate::pages::providers::ProvidersPage;
use crate::pages::request::RequestPage;
use crate::pages::requests::RequestsPage;
use crate::pages::settings::SettingsPage;
use crate::pages::usage::UsagePage;
use crate::pages::what_if::WhatIfPage;
#[cfg(feature = "ssr")]
use crate::shell::Assets;

#[lazy]
fn route_page(page: RoutePage) -> AnyView {
    match page {
        RoutePage::Add => AddRoute().into_any(),
        RoutePage::Edit => EditRoute().into_any(),
    }
}

#[lazy]
fn provider_page(page: ProviderPage) -> AnyView {
    match page {
        ProviderPage::List => ProvidersPage().into_any(),
        ProviderPage::Add => AddProvider().into_any(),
        ProviderPage::Edit => EditProvider().into_any(),
    }
}

#[lazy]
fn account_page(page: AccountPage) -> AnyView {
    match page {
        AccountPage::Keys => KeysPage().into_any(),
        AccountPage::AddKey => AddKey().into_any(),
        AccountPage::Settings => SettingsPage().into_any(),
    }
}

#[lazy]
fn requests_page(page: RequestsGroup) -> AnyView {
    match page {
        RequestsGroup::List => RequestsPage().into_any(),
        RequestsGroup::One => RequestPage().into_any(),
        RequestsGroup::WhatIf => WhatIfPage().into_any(),
    }
}

#[lazy]
fn traffic_page(page: TrafficPage) -> AnyView {
    match page {
        TrafficPage::Usage => UsagePage().into_any(),
        TrafficPage::Playground => PlaygroundPage().into_any(),
    }
}

enum RoutePage {
    Add,
    Edit,
}

enum ProviderPage {
    List,
    Add,
    Edit,
}

enum AccountPage {
    Keys,
    AddKey,
    Settings,
}

enum RequestsGroup {
    List,
    One,
    WhatIf,
}

enum TrafficPage {
    Usage,
    Playground,
}

/// While it lives, `<html data-loading>` has the style show that something is under way.
struct Loading;

impl Loading {
    fn begin() -> Self {
        #[cfg(target_arch = "wasm32")]
        if let Some(root) = document().document_element() {
            // Only an invalid name is refused.
            let _ = root.set_attribute("data-loading", "");
        }
        Self
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        #[cfg(target_arch = "wasm32")]
        if let Some(root) = document().document_element() {
            let _ = root.remove_attribute("data-loading");
        }
    }
}

/// Names a group's files in the head of the document, so that they come with the wasm and not after it.
#[cfg(feature = "ssr")]
fn name_parts(group: &str) {
    let assets = use_context::<Assets>();
    let parts = assets.and_then(|mut assets| assets.parts.remove(group));
    for href in parts.into_iter().flatten() {
        let link = view! {
            <Link rel="preload" as_="fetch" type_="application/wasm" crossorigin="anonymous" href />
        };
        // Made into HTML it goes to the head, and is nothing here.
        let _ = link.to_html();
    }
}

/// `#[lazy]` makes `preload` beside each function; the router calls it before it takes a page over.
macro_rules! lazy_routes {
    ($view:ident, $preload:ident: $($name:ident = $page:expr),* $(,)?) => {$(
        pub(crate) struct $name;

        impl LazyRoute for $name {
            fn data() -> Self {
                Self
            }

            async fn view(_route: Self) -> AnyView {
                let _loading = Loading::begin();
                #[cfg(feature = "ssr")]
                name_parts(stringify!($view));
                $view($page).await
            }

            async fn preload() {
                #[cfg(target_arch = "wasm32")]
                $preload().await;
            }
        }
    )*};
}

lazy_routes! {
    route_page, __preload_route_page:
    LazyAddRoute = RoutePage::Add,
    LazyEditRoute = RoutePage::Edit,
}

lazy_routes! {
    provider_page, __preload_provider_page:
    LazyProviders = ProviderPage::List,
    LazyAddProvider = ProviderPage::Add,
    LazyEditProvider = ProviderPage::Edit,
}

lazy_routes! {
    account_page, __preload_account_page:
    LazyKeys = AccountPage::Keys,
    LazyAddKey = AccountPage::AddKey,
    LazySettings = AccountPage::Settings,
}

lazy_routes! {
    requests_page, __preload_requests_page:
    LazyRequests = RequestsGroup::List,
    LazyRequest = RequestsGroup::One,
    LazyWhatIf = RequestsGroup::WhatIf,
}

lazy_routes! {
    traffic_page, __preload_traffic_page:
    LazyUsage = TrafficPage::Usage,
    LazyPlayground = TrafficPage::Playground,
}
