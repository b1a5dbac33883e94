//! A new route: empty, or as another one is.

use futures_util::future::try_join;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use routing::RouteDraft;
use uuid::Uuid;

use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::i18n::{text, use_locale};
use crate::pages::route_editor::{RouteEditor, Start};
use crate::summary::Catalog;
use crate::{paths, server_fns};

#[component]
pub(crate) fn AddRoute() -> impl IntoView {
    let locale = use_locale();
    let query = use_query_map();
    let original = Memo::new(move |_| query.read().get("from")?.parse::<Uuid>().ok());
    let data: Loading<(Option<RouteDraft>, Catalog)> = Resource::new(
        move || original.get(),
        |original| async move {
            let original = async {
                match original {
                    Some(id) => server_fns::get_route(id).await.map(Some),
                    None => Ok(None),
                }
            };
            try_join(original, server_fns::get_catalog()).await
        },
    );

    let back = move || {
        view! {
            <a class="page-back" href=paths::ROUTES>
                {text!(locale, routes.title)}
            </a>
        }
    };
    view! {
        <Page title=text!(locale, route.add) back>
            <Load data let:loaded>
                {
                    let (original, catalog) = loaded;
                    let start = original.map_or(Start::New, Start::Copy);
                    view! { <RouteEditor start catalog /> }
                }
            </Load>
        </Page>
    }
}
