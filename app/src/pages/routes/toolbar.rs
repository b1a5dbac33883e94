//! Above the table: search and filters; or, when rows are selected, what can be done with them.

use std::collections::BTreeSet;

use leptos::prelude::*;
use routing::RouteBy;

use crate::components::route_by::route_by_name;
use crate::components::select::Select;
use crate::i18n::{text, use_locale};

use super::listing::{Item, Listing, PART};

#[component]
pub(super) fn Toolbar(listing: Listing, items: StoredValue<Vec<Item>>) -> impl IntoView {
    let locale = use_locale();
    let none_selected = move || listing.selected.read().is_empty();
    view! {
        <div class="toolbar" role="search" aria-label=text!(locale, routes.search)>
            <input
                class="input"
                type="search"
                aria-label=text!(locale, routes.search)
                placeholder=text!(locale, routes.search)
                autocomplete="off"
                value=listing.query.get_untracked()
                on:input=move |event| {
                    listing.most.set(PART);
                    listing.query.set(event_target_value(&event));
                }
            />
            <Select
                id="filter-route-by".to_owned()
                label=Signal::stored(text!(locale, route_by.label).to_owned())
                options=vec![
                    (None, text!(locale, routes.any_route_by)),
                    (Some(RouteBy::RoundRobin), route_by_name(locale, RouteBy::RoundRobin)),
                    (Some(RouteBy::TargetWeight), route_by_name(locale, RouteBy::TargetWeight)),
                    (Some(RouteBy::Policy), route_by_name(locale, RouteBy::Policy)),
                ]
                value=listing.route_by
            />
            <Select
                id="filter-state".to_owned()
                label=Signal::stored(text!(locale, routes.column_state).to_owned())
                options=vec![
                    (None, text!(locale, routes.any_state)),
                    (Some(true), text!(locale, routes.enabled)),
                    (Some(false), text!(locale, routes.disabled)),
                ]
                value=listing.enabled
            />
        </div>
        <div class="selection" hidden=none_selected>
            <p role="status">
                {move || text!(locale, routes.selected, count = listing.selected.read().len())}
            </p>
            <button
                class="button small"
                type="button"
                on:click=move |_| listing.selected.set(BTreeSet::new())
            >
                {text!(locale, routes.select_none)}
            </button>
            <button
                class="button small danger"
                type="button"
                on:click=move |_| listing.doomed.set(selected(listing, items))
            >
                {text!(locale, routes.delete_selected)}
            </button>
        </div>
    }
}

fn selected(listing: Listing, items: StoredValue<Vec<Item>>) -> Vec<(uuid::Uuid, String)> {
    let selected = listing.selected.read_untracked();
    items.with_value(|items| {
        let picked = items
            .iter()
            .filter(|item| selected.contains(&item.route.id));
        picked
            .map(|item| (item.route.id, item.route.name.clone()))
            .collect()
    })
}
