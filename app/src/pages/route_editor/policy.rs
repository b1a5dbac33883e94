//! The Policy side of Route By: the three scorers, each with its switch, its fields and its weight.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::components::field::TextField;
use crate::components::switch::Switch;
use crate::i18n::{text, use_locale};
use crate::summary::Decider;

use super::policy_form::PolicyForm;

mod affinity;
mod criteria;
mod decision;
mod try_it;

use affinity::AffinityFields;
use decision::DecisionFields;

/// Field path to sentence.
#[derive(Clone, Copy)]
pub(super) struct Problems(pub Signal<BTreeMap<String, String>>);

impl Problems {
    pub(super) fn at(self, path: &'static str) -> Signal<Option<String>> {
        Signal::derive(move || self.0.with(|problems| problems.get(path).cloned()))
    }

    /// The first at a path that begins so; to be asked where signals are followed.
    pub(super) fn first_under(self, at: &str) -> Option<String> {
        let problems = self.0.read();
        let found = problems.iter().find(|(path, _)| path.starts_with(at));
        found.map(|(_, problem)| problem.clone())
    }

    /// The first at a path that matches.
    pub(super) fn find(
        self,
        matches: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Signal<Option<String>> {
        Signal::derive(move || {
            let problems = self.0.read();
            let found = problems.iter().find(|(path, _)| matches(path));
            found.map(|(_, problem)| problem.clone())
        })
    }
}

#[component]
pub(super) fn Policy(
    form: PolicyForm,
    deciders: StoredValue<Vec<Decider>>,
    /// Models of the route's targets, each once.
    models: Memo<Vec<String>>,
    problems: Problems,
) -> impl IntoView {
    let locale = use_locale();
    view! {
        <Plugin
            id="affinity"
            name=text!(locale, policy.session_affinity)
            about=text!(locale, policy.session_affinity_about)
            on=form.affinity.on
        >
            <Weight
                id="affinity-weight"
                placeholder_is_one=true
                value=form.affinity.weight
                error=problems.at("policy.session_affinity.weight")
            />
            <AffinityFields form=form.affinity problems />
        </Plugin>
        <Plugin
            id="inflight"
            name=text!(locale, policy.least_inflight)
            about=text!(locale, policy.least_inflight_about)
            on=form.inflight.on
        >
            <Weight
                id="inflight-weight"
                placeholder_is_one=true
                value=form.inflight.weight
                error=problems.at("policy.least_inflight.weight")
            />
        </Plugin>
        <Plugin
            id="decision"
            name=text!(locale, policy.decision_service)
            about=text!(locale, policy.decision_service_about)
            on=form.decision.on
        >
            <Weight
                id="decision-weight"
                value=form.decision.weight
                error=problems.at("policy.decision_service.weight")
            />
            <DecisionFields form=form.decision deciders models problems />
        </Plugin>
    }
}

#[component]
fn Plugin(
    id: &'static str,
    name: &'static str,
    about: &'static str,
    on: RwSignal<bool>,
    children: Children,
) -> impl IntoView {
    let title_id = format!("{id}-title");
    let labelled_by = title_id.clone();
    view! {
        <section class="panel" role="group" aria-labelledby=labelled_by>
            <div class="panel-bar">
                <div class="panel-head">
                    <h2 class="panel-title" id=title_id>
                        {name}
                    </h2>
                    <p class="panel-about">{about}</p>
                </div>
                <Switch label=Signal::stored(name.to_owned()) on />
            </div>
            <div class="plugin-fields" hidden=move || !on.get()>
                {children()}
            </div>
        </section>
    }
}

#[component]
fn Weight(
    id: &'static str,
    /// Else it is ten.
    #[prop(optional)]
    placeholder_is_one: bool,
    value: RwSignal<String>,
    error: Signal<Option<String>>,
) -> impl IntoView {
    let locale = use_locale();
    let hint = if placeholder_is_one {
        text!(locale, policy.weight_hint_1)
    } else {
        text!(locale, policy.weight_hint_10)
    };
    view! {
        <div class="short-field">
            <TextField id label=text!(locale, route.weight) hint=hint code=true value error />
        </div>
    }
}
