//! A route that is there already. Its address can be shared.

use futures_util::future::try_join;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use uuid::Uuid;

use crate::api::route::Route;
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
    let data: Loading<(Route, Catalog)> = Resource::new(
        move || id.get(),
        move |id| async move {
            match id {
                Some(id) => try_join(server_fns::get_route(id), server_fns::get_catalog()).await,
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
                    let (route, catalog) = loaded;
                    view! {
                        <RouteEditor
                            start=Start::Stored(route)
                            catalog
                        />
                    }
                }
            </Load>
        </Page>
    }
}
