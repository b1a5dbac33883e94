//! Model Criteria: what each of the route's models is good at.

use leptos::ev;
use leptos::prelude::*;

use crate::components::field::{FieldError, describe_by};
use crate::components::remove::Remove;
use crate::components::rows::Row;
use crate::i18n::{text, use_locale};

use super::super::policy_form::{CriterionRow, DecisionForm};
use super::Problems;

const GENERATE: &str = "generate-criteria";

#[component]
pub(super) fn Criteria(
    form: DecisionForm,
    models: Memo<Vec<String>>,
    problems: Problems,
) -> impl IntoView {
    let locale = use_locale();
    let generate = move |_| {
        form.generate(&models.read_untracked(), |model| {
            text!(locale, policy.starter, model = model)
        });
    };
    view! {
        <div class="plugin-part" role="group" aria-labelledby="criteria-title">
            <div class="panel-bar">
                <div class="panel-head">
                    <h3 class="plugin-title" id="criteria-title">
                        {text!(locale, policy.criteria)}
                    </h3>
                    <p class="panel-about">{text!(locale, policy.criteria_about)}</p>
                </div>
                <button class="button" id=GENERATE type="button" on:click=generate>
                    {text!(locale, policy.generate)}
                </button>
            </div>
            <div class="rows">
                <For each=move || form.criteria.list.get() key=|row| row.key let:row>
                    <Criterion form row problems />
                </For>
            </div>
            <FieldError
                id="criteria".to_owned()
                error=problems.at("policy.decision_service.criteria")
            />
        </div>
    }
}

#[component]
fn Criterion(form: DecisionForm, row: Row<CriterionRow>, problems: Problems) -> impl IntoView {
    let locale = use_locale();
    let Row {
        key,
        of: CriterionRow { model, text },
    } = row;
    let id = format!("criterion-{key}");
    let path = format!("policy.decision_service.criteria.{model}");
    let error = problems.find(move |known| known == path);
    let label = text!(locale, policy.criterion_label, model = model.as_str());
    let remove = text!(locale, policy.remove_criterion, model = model.as_str());
    view! {
        <div class="criterion">
            <div class="panel-bar">
                <label class="criterion-model" for=id.clone() title=label>
                    {model}
                </label>
                <Remove
                    rows=form.criteria
                    key
                    label=remove
                    next=GENERATE
                />
            </div>
            <textarea
                class="input"
                id=id.clone()
                rows="3"
                aria-invalid=move || error.read().is_some().then_some("true")
                aria-describedby=describe_by(&id, false)
                on:input=move |event: ev::Event| text.set(event_target_value(&event))
            >
                {text.get_untracked()}
            </textarea>
            <FieldError id error />
        </div>
    }
}
