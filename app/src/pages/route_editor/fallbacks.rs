//! Fallbacks: where a request goes when no target is left.

use leptos::prelude::*;

use crate::components::field::FieldError;
use crate::components::focus::focus_first;
use crate::components::icon::{Glyph, Icon};
use crate::components::picker::Picker;
use crate::components::remove::Remove;
use crate::components::rows::Row;
use crate::components::steps::Steps;
use crate::i18n::{text, use_locale};

use super::form::RouteForm;
use super::policy::Problems;

const ADD_FALLBACK: &str = "add-fallback";

#[component]
pub(super) fn Fallbacks(
    form: RouteForm,
    /// Every `provider/model` there is.
    options: StoredValue<Vec<String>>,
    problems: Problems,
) -> impl IntoView {
    let locale = use_locale();
    let rows = form.fallbacks.list;

    view! {
        <section class="panel" role="group" aria-labelledby="fallbacks-title">
            <div class="panel-head">
                <h2 class="panel-title" id="fallbacks-title">
                    {text!(locale, route.fallbacks)}
                </h2>
                <p class="panel-about">
                    {move || {
                        if rows.read().is_empty() {
                            text!(locale, route.fallbacks_none)
                        } else {
                            text!(locale, route.fallbacks_about)
                        }
                    }}
                </p>
            </div>
            <div class="rows">
                <For each=move || rows.get() key=|row| row.key let:row>
                    <Fallback form row options problems />
                </For>
            </div>
            <FieldError id="fallbacks".to_owned() error=problems.at("fallbacks") />
            <button
                class="button"
                id=ADD_FALLBACK
                type="button"
                on:click=move |_| focus_first(format!("#{}", fallback_id(form.add_fallback())))
            >
                <Glyph icon=Icon::Plus />
                {text!(locale, route.add_fallback)}
            </button>
        </section>
    }
}

#[component]
fn Fallback(
    form: RouteForm,
    row: Row<RwSignal<String>>,
    options: StoredValue<Vec<String>>,
    problems: Problems,
) -> impl IntoView {
    let locale = use_locale();
    let Row { key, of: value } = row;
    let index = form.fallbacks.index(key);
    let error = Signal::derive(move || {
        let at = format!("fallbacks[{}].", index.get());
        let problem = problems.first_under(&at)?;
        let untouched = value.read().trim().is_empty();
        Some(if untouched {
            text!(locale, route.target_missing).to_owned()
        } else {
            problem
        })
    });
    // What another row has chosen is not offered again.
    let free = Signal::derive(move || {
        let rows = form.fallbacks.list.read();
        let others = rows.iter().filter(|other| other.key != key);
        let taken: Vec<String> = others.map(|other| other.of.get()).collect();
        options.with_value(|options| {
            let free = options.iter().filter(|option| !taken.contains(option));
            free.cloned().collect::<Vec<String>>()
        })
    });
    let id = fallback_id(key);
    let number = move || index.get() + 1;

    view! {
        <div class="row fallback">
            <Picker
                id=id.clone()
                label=Signal::derive(move || text!(locale, route.fallback_label, number = number()))
                placeholder=text!(locale, route.target_placeholder)
                nothing=text!(locale, route.target_nothing)
                more=move |more| text!(locale, route.target_more, count = more)
                options=free
                value
                error
            />
            <Steps
                id=format!("{id}-steps")
                rows=form.fallbacks
                key
                labels=(
                    Signal::derive(move || text!(locale, route.fallback_up, number = number())),
                    Signal::derive(move || text!(locale, route.fallback_down, number = number())),
                )
            />
            <Remove
                rows=form.fallbacks
                key
                label=Signal::derive(move || text!(locale, route.remove_fallback, number = number()))
                next=ADD_FALLBACK
            />
            <div class="row-errors">
                <FieldError id error />
            </div>
        </div>
    }
}

fn fallback_id(key: u32) -> String {
    format!("fallback-{key}")
}
