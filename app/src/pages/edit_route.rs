//! A route that is there already. Its address can be shared.

use futures_util::future::try_join;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use routing::RouteDraft;
use uuid::Uuid;

use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::{text, use_locale};
use crate::pages::route_editor::{RouteEditor, Start};
use crate::summary::Catalog;
use crate::{paths, server_fns};

#[component]
pub(crate) fn EditRoute() -> impl IntoView {
    let locale = use_locale();
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id")?.parse::<Uuid>().ok());
    let data: Loading<(Uuid, RouteDraft, Catalog)> = Resource::new(
        move || id.get(),
        move |id| async move {
            match id {
                Some(id) => {
                    let data = try_join(server_fns::get_route(id), server_fns::get_catalog());
                    data.await.map(|(route, catalog)| (id, route, catalog))
                }
                None => Err(ApiError::new(
                    ErrorCode::NotFound,
                    text!(locale, route.no_such),
                )),
            }
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
        <Page title=text!(locale, route.edit) back>
            <Load data let:loaded>
                {
                    let (id, route, catalog) = loaded;
                    view! {
                        <RouteEditor
                            start=Start::Stored(id, route)
                            catalog
                        />
                    }
                }
            </Load>
        </Page>
    }
}
