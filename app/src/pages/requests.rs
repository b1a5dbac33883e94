//! Requests, the newest first, as they come in.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::api::list::List;
use crate::api::request::{RequestNames, RequestRecord};
use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::components::time::present;
use crate::i18n::{text, use_locale};
use crate::{paths, server_fns};

mod empty;
mod filters;
mod row;
mod rows;
mod table;
mod toolbar;

use filters::Filters;
pub(crate) use row::Status;
use table::RequestTable;
use toolbar::Toolbar;

#[component]
pub(crate) fn RequestsPage() -> impl IntoView {
    let locale = use_locale();
    let query = use_query_map();
    let filters = Memo::new(move |_| Filters::of(&query.read()));
    let names: Loading<RequestNames> = Resource::new(|| (), |()| server_fns::get_request_names());
    let first: Loading<List<RequestRecord>> = Resource::new(
        move || filters.get(),
        |filters| server_fns::list_requests(filters.wanted(present())),
    );
    // Outlives the rows, which are loaded again for other filters.
    let follow = RwSignal::new(true);

    let what_if = move || {
        view! {
            <a class="button" href=paths::WHAT_IF>
                {text!(locale, what_if.title)}
            </a>
        }
    };
    view! {
        <Page
            title=text!(locale, requests.title)
            about=text!(locale, requests.about)
            action=what_if
        >
            <div class="request-list">
                <Load data=names let:names>
                    <Toolbar names filters follow />
                </Load>
                <Load data=first let:first>
                    <RequestTable first filters follow />
                </Load>
            </div>
        </Page>
    }
}
