//! What a preset gets right and is rarely changed: endpoints, extra headers, timeouts, health check.

use leptos::html::Input;
use leptos::prelude::*;

use crate::api::provider::ProviderKind;
use crate::components::checkbox::Checkbox;
use crate::components::field::{FieldError, TextField, TextInput};
use crate::components::focus::focus_first;
use crate::components::icon::{Glyph, Icon};
use crate::components::remove::Remove;
use crate::components::rows::Row;
use crate::i18n::{text, use_locale};
use crate::presets::ENDPOINTS;

use super::form::{HeaderRow, ProviderForm};
use super::problems::Problems;

const ADD_HEADER: &str = "add-header";

#[component]
pub(super) fn Speaks(form: ProviderForm) -> impl IntoView {
    let locale = use_locale();
    view! {
        <section
            class="panel"
            role="group"
            aria-labelledby="speaks-title"
            hidden=move || form.kind.get() == ProviderKind::Decision
        >
            <div class="panel-head">
                <h2 class="panel-title" id="speaks-title">
                    {text!(locale, provider.speaks)}
                </h2>
                <p class="panel-about">{text!(locale, provider.speaks_about)}</p>
            </div>
            <ul class="checks flow">
                {ENDPOINTS
                    .map(|endpoint| view! { <Endpoint endpoint speaks=form.speaks /> })
                    .collect_view()}
            </ul>
        </section>
    }
}

#[component]
fn Endpoint(endpoint: &'static str, speaks: RwSignal<Vec<String>>) -> impl IntoView {
    let set = move |on: bool| {
        let is_on = speaks.with_untracked(|speaks| speaks.iter().any(|name| name == endpoint));
        if on && !is_on {
            speaks.update(|speaks| speaks.push(endpoint.to_owned()));
        } else if !on && is_on {
            speaks.update(|speaks| speaks.retain(|name| name != endpoint));
        }
    };
    let input = NodeRef::<Input>::new();
    // What was ticked before the page came alive counts.
    input.on_load(move |input| set(input.checked()));
    let checked = Memo::new(move |_| speaks.read().iter().any(|name| name == endpoint));
    view! {
        <li>
            <label class="check">
                <input
                    type="checkbox"
                    autocomplete="off"
                    checked=checked.get_untracked()
                    prop:checked=checked
                    node_ref=input
                    on:change=move |event| set(event_target_checked(&event))
                />
                <span>{endpoint}</span>
            </label>
        </li>
    }
}

#[component]
pub(super) fn Headers(form: ProviderForm, problems: Problems) -> impl IntoView {
    let locale = use_locale();
    let of_list = problems.at(|| "headers".to_owned(), |draft| draft.headers.clone());
    view! {
        <section class="panel" role="group" aria-labelledby="headers-title">
            <div class="panel-head">
                <h2 class="panel-title" id="headers-title">
                    {text!(locale, provider.headers)}
                </h2>
                <p class="panel-about">{text!(locale, provider.headers_about)}</p>
            </div>
            <div class="rows">
                <For each=move || form.headers.list.get() key=|row| row.key let:row>
                    <HeaderFields form row problems />
                </For>
            </div>
            <FieldError id="headers".to_owned() error=of_list />
            <button
                class="button"
                id=ADD_HEADER
                type="button"
                on:click=move |_| focus_first(format!("#{}", name_id(form.add_header("", false))))
            >
                <Glyph icon=Icon::Plus />
                {text!(locale, provider.add_header)}
            </button>
        </section>
    }
}

#[component]
fn HeaderFields(form: ProviderForm, row: Row<HeaderRow>, problems: Problems) -> impl IntoView {
    let locale = use_locale();
    let Row { key, of } = row;
    let index = form.headers.index(key);
    let error = problems.at(
        move || format!("headers.{}", of.name.read()),
        move |draft| {
            let headers = draft.headers.as_ref()?;
            headers.get(&*of.name.read()).cloned()
        },
    );
    let name_id = name_id(key);
    let value_id = format!("header-value-{key}");
    let value_placeholder = if of.stored {
        text!(locale, provider.header_stored)
    } else {
        text!(locale, provider.header_value)
    };
    let name = if of.stored {
        // To rename it is to remove it, for nobody can read its value any more.
        view! { <span class="model-name">{of.name.get_untracked()}</span> }.into_any()
    } else {
        view! {
            <TextInput
                id=name_id
                label=Signal::derive(move || {
                    text!(locale, provider.header_name_label, number = index.get() + 1)
                })
                placeholder=text!(locale, provider.header_name)
                code=true
                value=of.name
                error
            />
        }
        .into_any()
    };
    view! {
        <div class="row header">
            {name}
            <TextInput
                id=value_id.clone()
                label=Signal::derive(move || {
                    text!(locale, provider.header_value_label, number = index.get() + 1)
                })
                kind="password"
                autocomplete="new-password"
                placeholder=value_placeholder
                code=true
                value=of.value
                error
            />
            <Remove
                rows=form.headers
                key
                label=Signal::derive(move || text!(locale, provider.remove_header, number = index.get() + 1))
                next=ADD_HEADER
            />
            <div class="row-errors">
                <FieldError id=value_id error />
            </div>
        </div>
    }
}

/// Whether streams count their tokens, and what that changes.
#[component]
pub(super) fn UsageInStreams(form: ProviderForm) -> impl IntoView {
    let locale = use_locale();
    view! {
        <section class="panel" role="group" aria-labelledby="usage-title">
            <h2 class="panel-title" id="usage-title">
                {text!(locale, provider.usage)}
            </h2>
            <Checkbox
                label=text!(locale, provider.include_usage)
                about=text!(locale, provider.include_usage_about)
                checked=form.include_usage
                on_change=move |on| form.include_usage.set(on)
            />
        </section>
    }
}

#[component]
pub(super) fn TimeLimits(form: ProviderForm, problems: Problems) -> impl IntoView {
    let locale = use_locale();
    view! {
        <section class="panel" role="group" aria-labelledby="timeouts-title">
            <h2 class="panel-title" id="timeouts-title">
                {text!(locale, provider.timeouts)}
            </h2>
            <TextField
                id="connect-ms"
                label=text!(locale, provider.connect_ms)
                value=form.connect_ms
                error=problems
                    .at(|| "timeouts.connect_ms".to_owned(), |draft| draft.timeouts.connect_ms)
            />
            <TextField
                id="first-byte-ms"
                label=text!(locale, provider.first_byte_ms)
                value=form.first_byte_ms
                error=problems
                    .at(|| "timeouts.first_byte_ms".to_owned(), |draft| draft.timeouts.first_byte_ms)
            />
            <TextField
                id="idle-ms"
                label=text!(locale, provider.idle_ms)
                hint=text!(locale, provider.idle_hint)
                value=form.idle_ms
                error=problems.at(|| "timeouts.idle_ms".to_owned(), |draft| draft.timeouts.idle_ms)
            />
        </section>
    }
}

#[component]
pub(super) fn HealthCheck(form: ProviderForm, problems: Problems) -> impl IntoView {
    let locale = use_locale();
    view! {
        <section class="panel" role="group" aria-labelledby="health-check-title">
            <div class="panel-head">
                <h2 class="panel-title" id="health-check-title">
                    {text!(locale, provider.health_check)}
                </h2>
                <p class="panel-about">{text!(locale, provider.health_check_about)}</p>
            </div>
            <div class="pair short">
                <TextField
                    id="health-path"
                    label=text!(locale, provider.health_path)
                    hint=text!(locale, provider.health_path_hint)
                    code=true
                    value=form.health_path
                    error=problems
                        .at(|| "health_check.path".to_owned(), |draft| draft.health_check.clone())
                />
                <TextField
                    id="health-interval"
                    label=text!(locale, provider.health_interval)
                    value=form.health_interval_s
                    error=problems
                        .at(
                            || "health_check.interval_s".to_owned(),
                            |draft| draft.health_check.clone(),
                        )
                />
            </div>
        </section>
    }
}

fn name_id(key: u32) -> String {
    format!("header-name-{key}")
}
