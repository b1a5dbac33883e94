//! All routes, each with its track.

use leptos::prelude::*;

use crate::components::icon::{Glyph, Icon};
use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::i18n::{text, use_locale};
use crate::summary::RouteList;
use crate::{paths, server_fns};

mod delete;
mod empty;
mod listing;
mod row;
mod table;
mod toolbar;

use delete::DeleteRoutes;
use empty::{NoProviders, NoRoutes};
use listing::Listing;
use table::RouteTable;

#[component]
pub(crate) fn RoutesPage() -> impl IntoView {
    let locale = use_locale();
    let data: Loading<RouteList> = Resource::new(|| (), |()| server_fns::list_routes());
    // Outlives the data, which is loaded again after each change.
    let listing = Listing::new();

    let add_route = move || {
        view! {
            <a class="button primary" href=paths::ADD_ROUTE>
                <Glyph icon=Icon::Plus />
                {text!(locale, routes.add)}
            </a>
        }
    };
    view! {
        <Page title=text!(locale, routes.title) about=text!(locale, routes.about) action=add_route>
            <Load data let:list>
                {if !list.routes.is_empty() {
                    view! { <RouteTable list listing on_changed=move |()| data.refetch() /> }
                        .into_any()
                } else if list.upstreams.is_empty() {
                    view! { <NoProviders /> }.into_any()
                } else {
                    view! { <NoRoutes /> }.into_any()
                }}
            </Load>
            <DeleteRoutes listing on_deleted=move |()| data.refetch() />
        </Page>
    }
}
