//! A new route.

use leptos::prelude::*;

use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::i18n::{text, use_locale};
use crate::pages::route_editor::RouteEditor;
use crate::summary::Upstream;
use crate::{paths, server_fns};

#[component]
pub(crate) fn AddRoute() -> impl IntoView {
    let locale = use_locale();
    let upstreams: Loading<Vec<Upstream>> = Resource::new(|| (), |()| server_fns::list_upstreams());

    let back = move || {
        view! {
            <a class="page-back" href=paths::ROUTES>
                {text!(locale, routes.title)}
            </a>
        }
    };
    view! {
        <Page title=text!(locale, route.add) back>
            <Load data=upstreams let:upstreams>
                <RouteEditor upstreams />
            </Load>
        </Page>
    }
}
