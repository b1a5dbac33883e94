//! Route Targets: a row for each (provider, model) pair.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::components::field::{FieldError, TextInput};
use crate::components::focus::focus_first;
use crate::components::icon::{Glyph, Icon};
use crate::components::picker::Picker;
use crate::components::remove::Remove;
use crate::components::rows::Row;
use crate::components::steps::Steps;
use crate::components::switch::Switch;
use crate::i18n::{text, use_locale};

use super::form::{RouteForm, TargetRow};
use super::policy_form::By;

const ADD_TARGET: &str = "add-target";

type Problems = Signal<BTreeMap<String, String>>;

#[component]
pub(super) fn Targets(
    form: RouteForm,
    /// Every `provider/model` there is.
    options: StoredValue<Vec<String>>,
    problems: Problems,
) -> impl IntoView {
    let locale = use_locale();
    let rows = form.targets.list;
    let of_list =
        Signal::derive(move || problems.with(|problems| problems.get("targets").cloned()));

    view! {
        <section class="panel" role="group" aria-labelledby="targets-title">
            <div class="panel-head">
                <h2 class="panel-title" id="targets-title">
                    {text!(locale, route.targets)}
                </h2>
                <p class="panel-about">
                    {move || match form.policy.by.get() {
                        By::TargetWeight => text!(locale, route.targets_about),
                        By::Policy => text!(locale, route.targets_about_policy),
                    }}
                </p>
            </div>
            <div class="targets" class:unweighted=move || form.policy.by.get() == By::Policy>
                <div class="targets-head" aria-hidden="true">
                    <span>{text!(locale, route.target)}</span>
                    <span class="of-weight">{text!(locale, route.weight)}</span>
                    <span>{text!(locale, route.on)}</span>
                </div>
                <For each=move || rows.get() key=|row| row.key let:row>
                    <Target form row options problems />
                </For>
            </div>
            <FieldError id="targets".to_owned() error=of_list />
            <button
                class="button"
                id=ADD_TARGET
                type="button"
                on:click=move |_| focus_first(format!("#{}", target_id(form.add_target())))
            >
                <Glyph icon=Icon::Plus />
                {text!(locale, route.add_target)}
            </button>
        </section>
    }
}

#[component]
fn Target(
    form: RouteForm,
    row: Row<TargetRow>,
    options: StoredValue<Vec<String>>,
    problems: Problems,
) -> impl IntoView {
    let locale = use_locale();
    let Row { key, of: row } = row;
    let index = form.targets.index(key);
    let problem = move |fields: &'static [&'static str]| {
        Signal::derive(move || {
            let index = index.get();
            problems.with(|problems| {
                fields
                    .iter()
                    .find_map(|field| problems.get(&format!("targets[{index}].{field}")).cloned())
            })
        })
    };
    let of_pair = problem(&["provider", "model"]);
    let of_target = Signal::derive(move || {
        let problem = of_pair.get()?;
        let untouched = row.target.read().trim().is_empty();
        Some(if untouched {
            text!(locale, route.target_missing).to_owned()
        } else {
            problem
        })
    });
    let of_weight = problem(&["weight"]);
    // What another row has chosen is not offered again.
    let free = Signal::derive(move || {
        let rows = form.targets.list.read();
        let others = rows.iter().filter(|other| other.key != key);
        let taken: Vec<String> = others.map(|other| other.of.target.get()).collect();
        options.with_value(|options| {
            let free = options.iter().filter(|option| !taken.contains(option));
            free.cloned().collect::<Vec<String>>()
        })
    });
    let target_id = target_id(key);
    let weight_id = format!("weight-{key}");

    view! {
        <div class="target">
            <Picker
                id=target_id.clone()
                label=Signal::derive(move || text!(locale, route.target_label, number = index.get() + 1))
                placeholder=text!(locale, route.target_placeholder)
                nothing=text!(locale, route.target_nothing)
                more=move |more| text!(locale, route.target_more, count = more)
                options=free
                value=row.target
                error=of_target
            />
            // Where there is no room for the head of columns.
            <span class="target-weight of-weight" aria-hidden="true">
                {text!(locale, route.weight)}
            </span>
            <div class="of-weight">
                <TextInput
                    id=weight_id.clone()
                    label=Signal::derive(move || text!(locale, route.weight_label, number = index.get() + 1))
                    inputmode="numeric"
                    code=true
                    placeholder=text!(locale, route.weight_placeholder)
                    value=row.weight
                    error=of_weight
                />
            </div>
            <Switch
                label=Signal::derive(move || text!(locale, route.on_label, number = index.get() + 1))
                on=row.enabled
            />
            <Steps id=format!("{target_id}-steps") rows=form.targets key labels=(
                Signal::derive(move || text!(locale, route.move_target_up, number = index.get() + 1)),
                Signal::derive(move || text!(locale, route.move_target_down, number = index.get() + 1)),
            ) />
            <Remove
                rows=form.targets
                key
                label=Signal::derive(move || text!(locale, route.remove_target, number = index.get() + 1))
                next=ADD_TARGET
            />
            <div class="target-errors">
                <FieldError id=target_id error=of_target />
                <FieldError id=weight_id error=of_weight />
            </div>
        </div>
    }
}

fn target_id(key: u32) -> String {
    format!("target-{key}")
}
