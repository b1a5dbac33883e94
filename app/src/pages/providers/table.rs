//! One row a provider.

use leptos::prelude::*;

use crate::components::health::InstanceHealth;
use crate::components::icon::{Glyph, Icon};
use crate::components::provider_words::kind_name;
use crate::components::traffic::LiveTraffic;
use crate::i18n::{text, use_locale};
use crate::live::use_live;
use crate::paths;
use crate::summary::ProviderSummary;

/// How many routes are named before the rest is counted.
const ROUTES_NAMED: usize = 3;

#[component]
pub(super) fn ProviderTable(
    providers: Vec<ProviderSummary>,
    doomed: RwSignal<Option<ProviderSummary>>,
) -> impl IntoView {
    let locale = use_locale();
    let traffic = LiveTraffic::follow();
    view! {
        <div class="table-box">
            <table class="table provider-table">
                <thead>
                    <tr>
                        <th scope="col">{text!(locale, providers.column_name)}</th>
                        <th scope="col">{text!(locale, providers.column_kind)}</th>
                        <th scope="col">{text!(locale, providers.column_instances)}</th>
                        <th class="number" scope="col">
                            {text!(locale, providers.column_models)}
                        </th>
                        <th scope="col">{text!(locale, providers.column_routes)}</th>
                        <th scope="col">{text!(locale, providers.column_state)}</th>
                        <th scope="col">
                            <span class="unseen">{text!(locale, providers.column_actions)}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {providers
                        .into_iter()
                        .map(|provider| view! { <ProviderRow provider doomed traffic /> })
                        .collect_view()}
                </tbody>
            </table>
        </div>
    }
}

#[component]
fn ProviderRow(
    provider: ProviderSummary,
    doomed: RwSignal<Option<ProviderSummary>>,
    traffic: LiveTraffic,
) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let ProviderSummary {
        id,
        name,
        kind,
        enabled,
        instances,
        models,
        routes,
    } = provider.clone();
    let state = if enabled {
        text!(locale, providers.enabled)
    } else {
        text!(locale, providers.disabled)
    };
    let all_instances = instances.join("\n");
    let more_instances = instances.len().saturating_sub(1);
    let all_routes = routes.join(", ");
    let more_routes = routes.len().saturating_sub(ROUTES_NAMED);
    let some_routes = routes
        .into_iter()
        .take(ROUTES_NAMED)
        .collect::<Vec<_>>()
        .join(", ");
    let more = move |count: usize| {
        (count > 0).then(|| {
            view! { <span class="more">{text!(locale, providers.more, count = count)}</span> }
        })
    };

    view! {
        <tr>
            <th class="cell-name" scope="row">
                <a class="row-link" href=paths::provider(id)>
                    {name.clone()}
                </a>
            </th>
            <td class="cell-kind">{kind_name(locale, kind)}</td>
            <td class="cell-instances" title=all_instances>
                <span class="cut">{instances.into_iter().next()}</span>
                {more(more_instances)}
                <InstanceHealth traffic provider=name.clone() />
            </td>
            <td class="cell-models number" data-label=text!(locale, providers.column_models)>
                {models}
            </td>
            <td class="cell-routes" title=all_routes data-label=text!(locale, providers.column_routes)>
                {if some_routes.is_empty() {
                    view! { <span class="more">{text!(locale, providers.no_routes)}</span> }.into_any()
                } else {
                    view! { <span class="route-names">{some_routes}</span> }.into_any()
                }}
                {more(more_routes)}
            </td>
            <td class="cell-state">
                <span class="state" class:off=!enabled>
                    {state}
                </span>
            </td>
            <td class="cell-actions">
                <a
                    class="button small"
                    href=paths::provider(id)
                    aria-label=text!(locale, providers.edit_one, name = name.as_str())
                >
                    {text!(locale, providers.edit)}
                </a>
                <a
                    class="button small"
                    href=paths::clone_provider(id)
                    aria-label=text!(locale, providers.clone_one, name = name.as_str())
                >
                    {text!(locale, providers.clone)}
                </a>
                <button
                    class="icon-button"
                    type="button"
                    aria-label=text!(locale, providers.delete_one, name = name.as_str())
                    disabled=move || !live.get()
                    on:click=move |_| doomed.set(Some(provider.clone()))
                >
                    <Glyph icon=Icon::Trash />
                </button>
            </td>
        </tr>
    }
}
