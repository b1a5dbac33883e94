//! Decision Service Routing: who is asked, what, and how well each model is described.

use leptos::prelude::*;

use crate::components::field::{Field, FieldError, TextArea, TextField};
use crate::components::picker::Picker;
use crate::components::select::Select;
use crate::i18n::{text, use_locale};
use crate::summary::Decider;
use crate::{paths, server_fns};

use super::super::policy_form::DecisionForm;
use super::Problems;
use super::criteria::Criteria;
use super::try_it::TryIt;

#[component]
pub(super) fn DecisionFields(
    form: DecisionForm,
    deciders: StoredValue<Vec<Decider>>,
    models: Memo<Vec<String>>,
    problems: Problems,
) -> impl IntoView {
    let locale = use_locale();
    if deciders.with_value(Vec::is_empty) {
        return view! {
            <p class="panel-about">
                {text!(locale, policy.no_decider)} " "
                <a href=paths::add_provider_from("jev")>{text!(locale, policy.add_decider)}</a>
            </p>
        }
        .into_any();
    }
    let of_model = problems.at("policy.decision_service.model");
    let fetch = Action::new(|provider: &String| {
        let provider = provider.clone();
        async move {
            (
                provider.clone(),
                server_fns::fetch_decision_models(provider).await,
            )
        }
    });
    // Of the chosen service: what was fetched, else what it had when the page was made.
    let known_models = Signal::derive(move || {
        let provider = form.provider.read();
        if let Some((of, Ok(models))) = &*fetch.value().read()
            && *of == *provider
        {
            return models.clone();
        }
        deciders.with_value(|deciders| {
            let chosen = deciders
                .iter()
                .find(|decider| decider.provider == *provider);
            chosen
                .map(|decider| decider.models.clone())
                .unwrap_or_default()
        })
    });
    let fetched = move || match fetch.value().get() {
        Some((_, Ok(models))) => Some(text!(locale, policy.fetched, models = models.join(", "))),
        Some((_, Err(error))) => Some(error.message),
        None => None,
    };
    view! {
        <div class="pair">
            <Field
                id="decision-provider"
                label=text!(locale, policy.decider)
                hint=None
                error=problems.at("policy.decision_service.provider")
            >
                <Service form deciders />
            </Field>
            <div class="field">
                <label class="field-label" for="decision-model">
                    {text!(locale, policy.decision_model)}
                </label>
                <Picker
                    id="decision-model".to_owned()
                    label=Signal::stored(text!(locale, policy.decision_model).to_owned())
                    placeholder="jev-latest"
                    nothing=text!(locale, route.target_nothing)
                    more=move |more| text!(locale, route.target_more, count = more)
                    options=known_models
                    value=form.model
                    error=of_model
                />
                <FieldError id="decision-model".to_owned() error=of_model />
            </div>
        </div>
        <div class="editor-actions">
            <button
                class="button small"
                type="button"
                disabled=move || form.provider.read().is_empty()
                aria-disabled=move || fetch.pending().get().then_some("true")
                on:click=move |_| {
                    if !fetch.pending().get_untracked() {
                        fetch.dispatch(form.provider.get_untracked());
                    }
                }
            >
                {move || {
                    if fetch.pending().get() {
                        text!(locale, provider.fetching)
                    } else {
                        text!(locale, provider.fetch)
                    }
                }}
            </button>
            <p class="panel-about" role="status">
                {fetched}
            </p>
        </div>
        <TextArea
            id="instructions"
            label=text!(locale, policy.instructions)
            hint=text!(locale, policy.instructions_hint)
            value=form.instructions
            error=problems.at("policy.decision_service.instructions")
        />
        <Criteria form models problems />
        <TextField
            id="decision-timeout"
            label=text!(locale, policy.timeout)
            hint=text!(locale, policy.timeout_hint)
            code=true
            value=form.timeout_ms
            error=problems.at("policy.decision_service.timeout_ms")
        />
        <TryIt form />
    }
    .into_any()
}

/// By its place among the services; the first stands for "choose one" until one is chosen.
#[component]
fn Service(form: DecisionForm, deciders: StoredValue<Vec<Decider>>) -> impl IntoView {
    let locale = use_locale();
    let names: Vec<String> = deciders.with_value(|deciders| {
        let names = deciders.iter().map(|decider| decider.provider.clone());
        names.collect()
    });
    let chosen = form.provider.get_untracked();
    let place = RwSignal::new(names.iter().position(|name| *name == chosen));
    let stored = StoredValue::new(names.clone());
    Effect::watch(
        move || place.get(),
        move |place, _, _| {
            let name = place.and_then(|place| stored.with_value(|names| names.get(place).cloned()));
            form.provider.set(name.unwrap_or_default());
        },
        false,
    );
    let none = (None, text!(locale, policy.choose).to_owned());
    let options = names.into_iter().enumerate();
    let options = options.map(|(place, name)| (Some(place), name));
    let options: Vec<_> = std::iter::once(none).chain(options).collect();
    view! {
        <Select
            id="decision-provider".to_owned()
            options
            value=place
        />
    }
}
