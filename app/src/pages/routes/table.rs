//! The table of routes with its heads, filters and end.

use leptos::prelude::*;

use crate::components::icon::{Glyph, Icon};
use crate::components::traffic::LiveTraffic;
use crate::i18n::{text, use_locale};
use crate::live::use_live;
use crate::summary::RouteList;

use super::listing::{Column, Item, Listing, Order, PART};
use super::row::RouteRow;
use super::toolbar::Toolbar;

#[component]
pub(super) fn RouteTable(
    list: RouteList,
    listing: Listing,
    #[prop(into)] on_changed: Callback<()>,
) -> impl IntoView {
    let locale = use_locale();
    let items = StoredValue::new(Item::all(list));
    let traffic = LiveTraffic::follow();
    let matching = Memo::new(move |_| items.with_value(|items| listing.matching(items)));
    let shown = move || {
        let most = listing.most.get();
        matching.with(|matching| matching.iter().take(most).cloned().collect::<Vec<_>>())
    };
    let more = move || matching.read().len().saturating_sub(listing.most.get());
    let nothing = move || matching.read().is_empty();

    view! {
        <div class="route-list">
            <Toolbar listing items />
            <div class="table-box">
                <table class="table route-table">
                    <thead>
                        <tr>
                            <th class="cell-select" scope="col">
                                <SelectAll listing matching />
                            </th>
                            <Head listing column=Column::Name name=text!(locale, routes.column_name) />
                            <th scope="col">{text!(locale, routes.column_targets)}</th>
                            <Head listing column=Column::Ready name=text!(locale, routes.column_ready) />
                            <Head listing column=Column::RouteBy name=text!(locale, routes.column_route_by) />
                            <Head listing column=Column::Created name=text!(locale, routes.column_created) />
                            <th scope="col">{text!(locale, routes.column_state)}</th>
                            <th scope="col">
                                <span class="unseen">{text!(locale, routes.column_actions)}</span>
                            </th>
                        </tr>
                    </thead>
                    <For each=shown key=|item| item.route.id let:item>
                        <RouteRow item listing traffic on_changed />
                    </For>
                </table>
                <p class="table-note" role="status" hidden=move || !nothing()>
                    {move || nothing().then_some(text!(locale, routes.nothing_found))}
                </p>
            </div>
            <p class="table-count">
                <span>
                    {move || {
                        if listing.filters() {
                            text!(
                                locale,
                                routes.count_of,
                                count = matching.read().len(),
                                all = items.with_value(Vec::len)
                            )
                        } else {
                            text!(locale, routes.count, count = items.with_value(Vec::len))
                        }
                    }}
                </span>
                <button
                    class="button small"
                    type="button"
                    hidden=move || more() == 0
                    on:click=move |_| listing.most.update(|most| *most += PART)
                >
                    {move || text!(locale, routes.more, count = more().min(PART))}
                </button>
            </p>
        </div>
    }
}

/// A column's head that sorts by it.
#[component]
fn Head(listing: Listing, column: Column, name: &'static str) -> impl IntoView {
    let live = use_live();
    let sorted = move || {
        let order = listing.order.get();
        (order.column == column).then_some(order)
    };
    let aria_sort = move || match sorted() {
        Some(Order {
            descending: true, ..
        }) => "descending",
        Some(_) => "ascending",
        None => "none",
    };
    view! {
        <th scope="col" aria-sort=aria_sort>
            <button
                class="sort"
                type="button"
                disabled=move || !live.get()
                on:click=move |_| listing.sort_by(column)
            >
                {name}
                <Glyph icon=Icon::Chevron />
            </button>
        </th>
    }
}

/// Of all that the filters leave, shown or not.
#[component]
fn SelectAll(listing: Listing, matching: Memo<Vec<Item>>) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let all = move || {
        let selected = listing.selected.read();
        matching.with(|matching| {
            !matching.is_empty()
                && matching
                    .iter()
                    .all(|item| selected.contains(&item.route.id))
        })
    };
    let toggle = move |on: bool| {
        matching.with_untracked(|matching| {
            listing.selected.update(|selected| {
                for item in matching {
                    if on {
                        selected.insert(item.route.id);
                    } else {
                        selected.remove(&item.route.id);
                    }
                }
            });
        });
    };
    view! {
        <input
            type="checkbox"
            aria-label=text!(locale, routes.select_all)
            autocomplete="off"
            disabled=move || !live.get()
            prop:checked=all
            on:change=move |event| toggle(event_target_checked(&event))
        />
    }
}
