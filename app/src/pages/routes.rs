//! All routes, each with its track.

use futures_util::future::try_join;
use leptos::prelude::*;

use crate::components::icon::{Glyph, Icon};
use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::i18n::{text, use_locale};
use crate::summary::{RouteSummary, Upstream};
use crate::{paths, server_fns};

mod empty;
mod table;

use empty::{NoProviders, NoRoutes};
use table::RouteTable;

#[component]
pub(crate) fn RoutesPage() -> impl IntoView {
    let locale = use_locale();
    let data: Loading<(Vec<RouteSummary>, Vec<Upstream>)> = Resource::new(
        || (),
        |()| try_join(server_fns::list_routes(), server_fns::list_upstreams()),
    );

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
            <Load data let:loaded>
                {
                    let (routes, upstreams) = loaded;
                    if !routes.is_empty() {
                        view! { <RouteTable routes upstreams /> }.into_any()
                    } else if upstreams.is_empty() {
                        view! { <NoProviders /> }.into_any()
                    } else {
                        view! { <NoRoutes /> }.into_any()
                    }
                }
            </Load>
        </Page>
    }
}
