//! One route: a row, and under it, when expanded, its targets and instances.

use leptos::prelude::*;
use routing::TargetDraft;

use crate::components::health::{InstanceHealth, TroubledCount};
use crate::components::icon::{Glyph, Icon};
use crate::components::route_by::{RouteByBadge, route_by_name};
use crate::components::switch::Switch;
use crate::components::time::Time;
use crate::components::toast::use_toasts;
use crate::components::track::{LargeTrack, SmallTrack};
use crate::components::traffic::{LiveTraffic, RouteFlow, TargetFlows};
use crate::i18n::{text, use_locale};
use crate::live::use_live;
use crate::{paths, server_fns};

use super::listing::{Item, Listing};

const COLUMNS: &str = "8";

/// A body of its own for each route keeps its two rows together.
#[component]
pub(super) fn RouteRow(
    item: Item,
    listing: Listing,
    traffic: LiveTraffic,
    on_changed: Callback<()>,
) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let (ready, targets) = (item.ready(), item.branches.len());
    let Item { route, branches } = item;
    let id = route.id;
    let name = route.name.clone();
    let track_label = text!(
        locale,
        routes.track,
        name = name.as_str(),
        route_by = route_by_name(locale, route.route_by)
    );
    let description = (!route.description.is_empty())
        .then(|| view! { <p class="route-description">{route.description.clone()}</p> });
    let expanded = move || listing.expanded.read().contains(&id);
    let toggle = move |_| {
        listing.expanded.update(|expanded| {
            if !expanded.remove(&id) {
                expanded.insert(id);
            }
        });
    };
    let select = move |on: bool| {
        listing.selected.update(|selected| {
            if on {
                selected.insert(id);
            } else {
                selected.remove(&id);
            }
        });
    };
    // Of a route that is off, none takes requests, as was wanted.
    let short = route.enabled && ready < targets;
    let details_id = format!("route-{id}");
    let doomed = (id, name.clone());
    let large_label = track_label.clone();
    let large = StoredValue::new((branches.clone(), large_label));
    let providers = providers(&route.targets);
    let watched = StoredValue::new(providers.clone());

    view! {
        <tbody>
            <tr>
                <td class="cell-select">
                    <input
                        type="checkbox"
                        aria-label=text!(locale, routes.select_one, name = name.as_str())
                        autocomplete="off"
                        disabled=move || !live.get()
                        prop:checked=move || listing.selected.read().contains(&id)
                        on:change=move |event| select(event_target_checked(&event))
                    />
                </td>
                <th class="cell-name" scope="row">
                    <a class="route-name" href=paths::route(id)>
                        {name.clone()}
                    </a>
                    {description}
                </th>
                <td class="cell-targets">
                    <SmallTrack branches label=track_label />
                    <RouteFlow traffic route=id />
                </td>
                <td class="cell-ready">
                    <span class="ready" class:short=short>
                        {text!(locale, routes.ready, ready = ready, targets = targets)}
                    </span>
                    <TroubledCount traffic providers />
                </td>
                <td class="cell-route-by">
                    <RouteByBadge route_by=route.route_by />
                </td>
                <td class="cell-created" data-label=text!(locale, routes.column_created)>
                    <Time at=route.created_at />
                </td>
                <td class="cell-state">
                    <State item_name=name.clone() id enabled=route.enabled on_changed />
                </td>
                <td class="cell-actions">
                    <button
                        class="icon-button expander"
                        type="button"
                        aria-label=text!(locale, routes.expand, name = name.as_str())
                        title=text!(locale, routes.details)
                        aria-expanded=move || expanded().to_string()
                        aria-controls=details_id.clone()
                        disabled=move || !live.get()
                        on:click=toggle
                    >
                        <Glyph icon=Icon::Chevron />
                    </button>
                    <a
                        class="icon-button"
                        href=paths::duplicate_route(id)
                        aria-label=text!(locale, routes.duplicate_one, name = name.as_str())
                        title=text!(locale, routes.duplicate)
                    >
                        <Glyph icon=Icon::Copy />
                    </a>
                    <button
                        class="icon-button"
                        type="button"
                        aria-label=text!(locale, routes.delete_one, name = name.as_str())
                        title=text!(locale, routes.delete)
                        disabled=move || !live.get()
                        on:click=move |_| listing.doomed.set(vec![doomed.clone()])
                    >
                        <Glyph icon=Icon::Trash />
                    </button>
                </td>
            </tr>
            <tr class="route-details" id=details_id hidden=move || !expanded()>
                <td colspan=COLUMNS>
                    {move || {
                        expanded()
                            .then(|| {
                                let (branches, label) = large.get_value();
                                let health = watched
                                    .get_value()
                                    .into_iter()
                                    .map(|provider| view! { <InstanceHealth traffic provider /> })
                                    .collect_view();
                                view! {
                                    <LargeTrack branches label />
                                    <TargetFlows traffic route=id />
                                    {health}
                                }
                            })
                    }}
                </td>
            </tr>
        </tbody>
    }
}

/// Of the targets, each once.
fn providers(targets: &[TargetDraft]) -> Vec<String> {
    let mut providers: Vec<String> = targets
        .iter()
        .map(|target| target.provider.clone())
        .collect();
    providers.sort();
    providers.dedup();
    providers
}

/// On or off, saved at once.
#[component]
fn State(
    item_name: String,
    id: uuid::Uuid,
    enabled: bool,
    on_changed: Callback<()>,
) -> impl IntoView {
    let locale = use_locale();
    let toasts = use_toasts();
    let on = RwSignal::new(enabled);
    let switch = Action::new(move |on: &bool| {
        let on = *on;
        async move { (on, server_fns::switch_route(id, on).await) }
    });
    let name = StoredValue::new(item_name.clone());
    Effect::watch(
        move || on.get(),
        move |now, _, _| {
            if *now != enabled {
                switch.dispatch(*now);
            }
        },
        false,
    );
    Effect::new(move |_| match switch.value().get() {
        Some((on, Ok(()))) => {
            let name = name.get_value();
            toasts.success(if on {
                text!(locale, routes.switched_on, name = name)
            } else {
                text!(locale, routes.switched_off, name = name)
            });
            on_changed.run(());
        }
        Some((_, Err(error))) => {
            on.set(enabled);
            toasts.failure(error.message);
        }
        None => {}
    });
    let word = move || {
        if on.get() {
            text!(locale, routes.enabled)
        } else {
            text!(locale, routes.disabled)
        }
    };
    view! {
        <label class="switch-row">
            <Switch
                label=Signal::stored(text!(locale, routes.state_of, name = item_name.as_str()))
                on
            />
            <span class="state-word">{word}</span>
        </label>
    }
}
