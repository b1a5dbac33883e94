//! Where a route's latest requests would have gone with other weights.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_query_map};
use routing::RouteDraft;
use uuid::Uuid;

use crate::components::filter::Filter;
use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::i18n::{text, use_locale};
use crate::summary::RouteList;
use crate::{paths, server_fns};

mod answer;
mod form;

use form::WhatIfForm;

#[component]
pub(crate) fn WhatIfPage() -> impl IntoView {
    let locale = use_locale();
    let query = use_query_map();
    let route = Memo::new(move |_| query.read().get("route")?.parse::<Uuid>().ok());
    let routes: Loading<RouteList> = Resource::new(|| (), |()| server_fns::list_routes());

    let back = move || {
        view! {
            <a class="page-back" href=paths::REQUESTS>
                {text!(locale, requests.title)}
            </a>
        }
    };
    view! {
        <Page title=text!(locale, what_if.title) about=text!(locale, what_if.about) back>
            <Load data=routes let:list>
                <ChooseRoute list route />
            </Load>
            {move || {
                route
                    .get()
                    .map(|route| view! { <OfRoute route /> }.into_any())
                    .unwrap_or_else(|| {
                        view! { <p class="table-note">{text!(locale, what_if.choose)}</p> }
                            .into_any()
                    })
            }}
        </Page>
    }
}

#[component]
fn ChooseRoute(list: RouteList, route: Memo<Option<Uuid>>) -> impl IntoView {
    let locale = use_locale();
    let navigate = use_navigate();
    let options = list
        .routes
        .into_iter()
        .map(|route| (route.id.to_string(), route.name));
    let value = Signal::derive(move || route.get().map_or_else(String::new, |id| id.to_string()));
    let on_change = move |id: String| {
        let options = NavigateOptions {
            replace: true,
            scroll: false,
            ..NavigateOptions::default()
        };
        match id.parse() {
            Ok(id) => navigate(&paths::what_if(id), options),
            Err(_) => navigate(paths::WHAT_IF, options),
        }
    };
    view! {
        <div class="filters">
            <Filter
                id="what-if-route"
                label=text!(locale, requests.column_route)
                any=text!(locale, what_if.no_route)
                options=options.collect()
                value
                on_change
            />
        </div>
    }
}

#[component]
fn OfRoute(route: Uuid) -> impl IntoView {
    let draft: Loading<RouteDraft> = Resource::new(|| (), move |()| server_fns::get_route(route));
    view! {
        <Load data=draft let:draft>
            <WhatIfForm route policy=draft.policy />
        </Load>
    }
}
