//! One row a route.

use leptos::prelude::*;

use crate::components::route_by::{RouteByBadge, route_by_name};
use crate::components::track::{Branch, SmallTrack, branches};
use crate::i18n::{text, use_locale};
use crate::summary::{RouteSummary, Upstream};

#[component]
pub(super) fn RouteTable(routes: Vec<RouteSummary>, upstreams: Vec<Upstream>) -> impl IntoView {
    let locale = use_locale();
    view! {
        <div class="table-box">
            <table class="table route-table">
                <thead>
                    <tr>
                        <th scope="col">{text!(locale, routes.column_name)}</th>
                        <th scope="col">{text!(locale, routes.column_targets)}</th>
                        <th scope="col">{text!(locale, routes.column_route_by)}</th>
                        <th scope="col">{text!(locale, routes.column_state)}</th>
                    </tr>
                </thead>
                <tbody>
                    {routes
                        .into_iter()
                        .map(|route| {
                            // A stored route has a weight on every target or on none, so there is
                            // always an answer.
                            let branches = branches(route.enabled, &route.targets, &upstreams)
                                .unwrap_or_default();
                            view! { <RouteRow route branches /> }
                        })
                        .collect_view()}
                </tbody>
            </table>
        </div>
    }
}

#[component]
fn RouteRow(route: RouteSummary, branches: Vec<Branch>) -> impl IntoView {
    let locale = use_locale();
    let track_label = text!(
        locale,
        routes.track,
        name = route.name.as_str(),
        route_by = route_by_name(locale, route.route_by)
    );
    let state = if route.enabled {
        text!(locale, routes.enabled)
    } else {
        text!(locale, routes.disabled)
    };
    let description = (!route.description.is_empty())
        .then(|| view! { <p class="route-description">{route.description}</p> });

    view! {
        <tr>
            <th class="cell-name" scope="row">
                <span class="route-name">{route.name}</span>
                {description}
            </th>
            <td class="cell-targets">
                <SmallTrack branches label=track_label />
            </td>
            <td class="cell-route-by">
                <RouteByBadge route_by=route.route_by />
            </td>
            <td class="cell-state">
                <span class="state" class:off=!route.enabled>
                    {state}
                </span>
            </td>
        </tr>
    }
}
