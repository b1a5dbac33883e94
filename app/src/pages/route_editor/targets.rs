//! Route Targets: a row for each (provider, model) pair.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::components::field::{FieldError, TextInput};
use crate::components::icon::{Glyph, Icon};
use crate::components::picker::Picker;
use crate::components::switch::Switch;
use crate::i18n::{text, use_locale};
use crate::upstream::Upstream;

use super::form::{RouteForm, TargetRow};

type Problems = Signal<BTreeMap<String, String>>;

#[component]
pub(super) fn Targets(
    form: RouteForm,
    upstreams: StoredValue<Vec<Upstream>>,
    problems: Problems,
) -> impl IntoView {
    let locale = use_locale();
    let rows = form.targets;
    // A target can be chosen once.
    let options = Memo::new(move |_| {
        let chosen: Vec<String> = rows.read().iter().map(|row| row.target.get()).collect();
        upstreams.with_value(|upstreams| target_options(upstreams, &chosen))
    });
    let of_list =
        Signal::derive(move || problems.with(|problems| problems.get("targets").cloned()));

    view! {
        <section class="panel" role="group" aria-labelledby="targets-title">
            <div class="panel-head">
                <h2 class="panel-title" id="targets-title">
                    {text!(locale, route.targets)}
                </h2>
                <p class="panel-about">{text!(locale, route.targets_about)}</p>
            </div>
            <div class="targets">
                <div class="targets-head" aria-hidden="true">
                    <span>{text!(locale, route.target)}</span>
                    <span>{text!(locale, route.weight)}</span>
                    <span>{text!(locale, route.on)}</span>
                </div>
                <For each=move || rows.get() key=|row| row.key let:row>
                    <Target form row options=options.into() problems />
                </For>
            </div>
            <FieldError id="targets".to_owned() error=of_list />
            <button class="button" type="button" on:click=move |_| form.add_target()>
                <Glyph icon=Icon::Plus />
                {text!(locale, route.add_target)}
            </button>
        </section>
    }
}

#[component]
fn Target(
    form: RouteForm,
    row: TargetRow,
    options: Signal<Vec<String>>,
    problems: Problems,
) -> impl IntoView {
    let locale = use_locale();
    let index = Memo::new(move |_| {
        form.targets
            .read()
            .iter()
            .position(|other| other.key == row.key)
            .unwrap_or_default()
    });
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
    let of_target = problem(&["provider", "model"]);
    let of_weight = problem(&["weight"]);
    let target_id = format!("target-{}", row.key);
    let weight_id = format!("weight-{}", row.key);

    view! {
        <div class="target">
            <Picker
                id=target_id.clone()
                label=Signal::derive(move || text!(locale, route.target_label, number = index.get() + 1))
                placeholder=text!(locale, route.target_placeholder)
                nothing=text!(locale, route.target_nothing)
                more=move |more| text!(locale, route.target_more, count = more)
                options
                value=row.target
                error=of_target
            />
            <TextInput
                id=weight_id.clone()
                label=Signal::derive(move || text!(locale, route.weight_label, number = index.get() + 1))
                inputmode="numeric"
                placeholder=text!(locale, route.weight_placeholder)
                value=row.weight
                error=of_weight
            />
            <Switch
                label=Signal::derive(move || text!(locale, route.on_label, number = index.get() + 1))
                on=row.enabled
            />
            <button
                class="icon-button"
                type="button"
                aria-label=move || text!(locale, route.remove_target, number = index.get() + 1)
                on:click=move |_| form.remove_target(row.key)
            >
                <Glyph icon=Icon::Close />
            </button>
            <div class="target-errors">
                <FieldError id=target_id error=of_target />
                <FieldError id=weight_id error=of_weight />
            </div>
        </div>
    }
}

/// Every `provider/model` that no row has chosen yet.
fn target_options(upstreams: &[Upstream], chosen: &[String]) -> Vec<String> {
    upstreams
        .iter()
        .flat_map(|upstream| {
            upstream
                .models
                .iter()
                .map(|model| format!("{}/{model}", upstream.provider))
        })
        .filter(|option| !chosen.contains(option))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Upstream, target_options};

    #[test]
    fn what_is_chosen_is_not_offered_again() {
        let upstreams = [Upstream {
            provider: "hub".into(),
            enabled: true,
            instances: vec!["http://h".into()],
            models: vec!["small".into(), "large".into()],
        }];
        assert_eq!(target_options(&upstreams, &[]), ["hub/small", "hub/large"]);
        assert_eq!(
            target_options(&upstreams, &["hub/small".into()]),
            ["hub/large"]
        );
    }
}
