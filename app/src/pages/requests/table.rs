//! The table of requests, and the way to older ones.

use leptos::prelude::*;

use crate::api::list::List;
use crate::api::request::{RequestFilter, RequestRecord};
use crate::components::toast::use_toasts;
use crate::i18n::{text, use_locale};
use crate::live::use_live;
use crate::server_fns;

use super::empty::NoRequests;
use super::filters::Filters;
use super::row::RequestRow;
use super::rows::Rows;

#[component]
pub(super) fn RequestTable(
    first: List<RequestRecord>,
    filters: Memo<Filters>,
    follow: RwSignal<bool>,
) -> impl IntoView {
    let rows = Rows::new(first, filters);
    rows.follow(follow);
    let none = Memo::new(move |_| rows.list.read().is_empty());
    let none_ever = Memo::new(move |_| none.get() && filters.read().is_empty());
    move || match none_ever.get() {
        true => view! { <NoRequests /> }.into_any(),
        false => view! { <Table rows none /> }.into_any(),
    }
}

#[component]
fn Table(rows: Rows, none: Memo<bool>) -> impl IntoView {
    let locale = use_locale();
    view! {
        <div class="table-box">
            <table class="table request-table">
                <thead>
                    <tr>
                        <th scope="col">{text!(locale, requests.column_time)}</th>
                        <th scope="col">{text!(locale, requests.column_route)}</th>
                        <th scope="col">{text!(locale, requests.column_target)}</th>
                        <th scope="col">{text!(locale, requests.column_status)}</th>
                        <th scope="col">{text!(locale, requests.column_decided_by)}</th>
                        <th class="number" scope="col">
                            {text!(locale, requests.column_first_byte)}
                        </th>
                        <th class="number" scope="col">
                            {text!(locale, requests.column_duration)}
                        </th>
                        <th class="number" scope="col">
                            {text!(locale, requests.column_tokens)}
                        </th>
                        <th scope="col">{text!(locale, requests.column_key)}</th>
                    </tr>
                </thead>
                <tbody>
                    <For each=move || rows.list.get() key=|record| record.id let:record>
                        <RequestRow record />
                    </For>
                </tbody>
            </table>
            <p class="table-note" role="status" hidden=move || !none.get()>
                {move || none.get().then_some(text!(locale, requests.nothing_found))}
            </p>
        </div>
        <Walk rows />
    }
}

/// To older ones, and back.
#[component]
fn Walk(rows: Rows) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let toasts = use_toasts();
    let older = Action::new(|wanted: &RequestFilter| server_fns::list_requests(wanted.clone()));
    let newest = Action::new(|wanted: &RequestFilter| server_fns::list_requests(wanted.clone()));
    Effect::new(move |_| match older.value().get() {
        Some(Ok(list)) => rows.append(list),
        Some(Err(error)) => toasts.failure(error.message),
        None => {}
    });
    Effect::new(move |_| {
        if let Some(list) = newest.value().get()
            && let Err(error) = rows.back(list)
        {
            toasts.failure(error.message);
        }
    });
    let busy = move || older.pending().get() || newest.pending().get();
    view! {
        <p class="table-count">
            <span>{move || text!(locale, requests.shown, count = rows.list.read().len())}</span>
            <span class="request-walk">
                <button
                    class="button small"
                    type="button"
                    hidden=move || !rows.walked.get()
                    aria-disabled=move || busy().then_some("true")
                    on:click=move |_| {
                        if !untrack(busy) {
                            newest.dispatch(rows.newest_wanted());
                        }
                    }
                >
                    {text!(locale, requests.newest)}
                </button>
                <button
                    class="button small"
                    type="button"
                    hidden=move || rows.next.read().is_none()
                    disabled=move || !live.get()
                    aria-disabled=move || busy().then_some("true")
                    on:click=move |_| {
                        if !untrack(busy) {
                            older.dispatch(rows.older_wanted());
                        }
                    }
                >
                    {move || {
                        if older.pending().get() {
                            text!(locale, load.waiting)
                        } else {
                            text!(locale, requests.older)
                        }
                    }}
                </button>
            </span>
        </p>
    }
}
