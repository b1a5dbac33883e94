//! Above the table: what narrows it down, whether it follows, and the way out as a file.

use leptos::ev;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use routing::DecidedBy;

use crate::api::request::RequestNames;
use crate::components::decided_by::{decided_by_key, decided_by_name};
use crate::components::figures::grouped;
use crate::components::filter::Filter;
use crate::components::notice::{Notice, Tone};
use crate::components::switch::Switch;
use crate::components::time::present;
use crate::i18n::{Locale, text, use_locale};
use crate::live::use_live;
use crate::paths;

use super::filters::{Field, Filters, Range};

/// What is worth a filter of its own, besides those of a whole kind.
const STATUSES: [&str; 7] = ["2xx", "4xx", "5xx", "429", "499", "502", "503"];

#[component]
pub(super) fn Toolbar(
    names: RequestNames,
    filters: Memo<Filters>,
    /// Whether new requests appear by themselves.
    follow: RwSignal<bool>,
) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let navigate = use_navigate();
    let show = Callback::new(move |filters: Filters| {
        let options = NavigateOptions {
            replace: true,
            scroll: false,
            ..NavigateOptions::default()
        };
        navigate(&filters.address(), options);
    });
    let set = move |field: Field| {
        Callback::new(move |value: String| {
            show.run(filters.get_untracked().with(field, value));
        })
    };
    let value = move |field: Field| Signal::derive(move || filters.read().get(field).to_owned());
    let RequestNames {
        routes,
        targets,
        keys,
        paths: asked_paths,
        dropped,
    } = names;
    let keys = keys.into_iter().map(|key| (key.id.to_string(), key.name));
    let decided_by = DecidedBy::ALL.map(|decided_by| {
        let name = decided_by_name(locale, decided_by).to_owned();
        (decided_by_key(decided_by).to_owned(), name)
    });
    let ranges = Range::ALL.map(|range| {
        let word = range_name(locale, range).to_owned();
        (range.key().to_owned(), word)
    });

    view! {
        {(dropped > 0)
            .then(|| {
                view! {
                    <Notice tone=Tone::Info>
                        {text!(locale, requests.dropped, count = grouped(dropped))}
                    </Notice>
                }
            })}
        <div class="filters" role="search" aria-label=text!(locale, requests.filters)>
            <Filter
                id="filter-range"
                label=text!(locale, requests.column_time)
                any=text!(locale, requests.any_time)
                options=ranges.to_vec()
                value=value(Field::Range)
                on_change=set(Field::Range)
            />
            <Filter
                id="filter-route"
                label=text!(locale, requests.column_route)
                any=text!(locale, requests.any_route)
                options=named(routes)
                value=value(Field::Route)
                on_change=set(Field::Route)
            />
            <Filter
                id="filter-target"
                label=text!(locale, requests.column_target)
                any=text!(locale, requests.any_target)
                options=named(targets)
                value=value(Field::Target)
                on_change=set(Field::Target)
            />
            <Filter
                id="filter-key"
                label=text!(locale, requests.column_key)
                any=text!(locale, requests.any_key)
                options=keys.collect()
                value=value(Field::Key)
                on_change=set(Field::Key)
            />
            <Filter
                id="filter-status"
                label=text!(locale, requests.column_status)
                any=text!(locale, requests.any_status)
                options=named(STATUSES.map(str::to_owned).to_vec())
                value=value(Field::Status)
                on_change=set(Field::Status)
            />
            <Filter
                id="filter-path"
                label=text!(locale, requests.path)
                any=text!(locale, requests.any_path)
                options=named(asked_paths)
                value=value(Field::Path)
                on_change=set(Field::Path)
            />
            <Filter
                id="filter-decided-by"
                label=text!(locale, requests.column_decided_by)
                any=text!(locale, requests.any_decided_by)
                options=decided_by.to_vec()
                value=value(Field::DecidedBy)
                on_change=set(Field::DecidedBy)
            />
            <Filter
                id="filter-tie"
                label=text!(locale, requests.tie)
                any=text!(locale, requests.any_tie)
                options=either(text!(locale, requests.tied), text!(locale, requests.not_tied))
                value=value(Field::Tie)
                on_change=set(Field::Tie)
            />
            <Filter
                id="filter-fallback"
                label=text!(locale, requests.fallback)
                any=text!(locale, requests.any_fallback)
                options=either(
                    text!(locale, requests.fallback_used),
                    text!(locale, requests.fallback_not_used),
                )
                value=value(Field::Fallback)
                on_change=set(Field::Fallback)
            />
            <input
                class="input"
                type="number"
                min="0"
                id="filter-slow"
                aria-label=text!(locale, requests.slow)
                placeholder=text!(locale, requests.slow)
                autocomplete="off"
                disabled=move || !live.get()
                value=value(Field::Slow).get_untracked()
                prop:value=value(Field::Slow)
                on:change=move |event: ev::Event| {
                    set(Field::Slow).run(event_target_value(&event));
                }
            />
        </div>
        <div class="request-bar">
            <label class="switch-row">
                <Switch label=Signal::stored(text!(locale, requests.live).to_owned()) on=follow />
                {text!(locale, requests.live)}
            </label>
            <a
                class="button small"
                href=paths::REQUESTS
                hidden=move || filters.read().is_empty()
            >
                {text!(locale, requests.clear)}
            </a>
            <span class="request-exports">
                {text!(locale, requests.export)}
                <a
                    class="button small"
                    download
                    rel="external"
                    href=move || filters.read().export("csv", present())
                >
                    {text!(locale, requests.csv)}
                </a>
                <a
                    class="button small"
                    download
                    rel="external"
                    href=move || filters.read().export("jsonl", present())
                >
                    {text!(locale, requests.jsonl)}
                </a>
            </span>
        </div>
    }
}

fn range_name(locale: Locale, range: Range) -> &'static str {
    match range {
        Range::Hour => text!(locale, requests.last_hour),
        Range::Day => text!(locale, requests.last_day),
        Range::Week => text!(locale, requests.last_week),
    }
}

/// Names that are their own words.
fn named(names: Vec<String>) -> Vec<(String, String)> {
    names.into_iter().map(|name| (name.clone(), name)).collect()
}

fn either(yes: &str, no: &str) -> Vec<(String, String)> {
    vec![
        ("true".to_owned(), yes.to_owned()),
        ("false".to_owned(), no.to_owned()),
    ]
}
