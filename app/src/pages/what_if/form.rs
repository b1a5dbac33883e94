//! The weights to try.

use std::collections::BTreeMap;

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use routing::{PolicyDraft, ScorerName};
use uuid::Uuid;

use crate::api::request::WhatIf;
use crate::components::field::{TextField, TextInput};
use crate::components::notice::{Notice, Tone};
use crate::components::scores::scorer_name;
use crate::components::submit::Submit;
use crate::components::switch::Switch;
use crate::error::ApiError;
use crate::i18n::{Locale, text, use_locale};
use crate::server_fns;

use super::answer::Answer;

const LAST: &str = "10000";

/// A scorer as it is typed.
#[derive(Clone, Copy)]
struct Tried {
    scorer: ScorerName,
    on: RwSignal<bool>,
    weight: RwSignal<String>,
}

#[component]
pub(super) fn WhatIfForm(route: Uuid, policy: PolicyDraft) -> impl IntoView {
    let locale = use_locale();
    let tried = ScorerName::ALL.map(|scorer| {
        let (on, weight) = present(&policy, scorer);
        Tried {
            scorer,
            on: RwSignal::new(on),
            weight: RwSignal::new(weight.to_string()),
        }
    });
    let last = RwSignal::new(LAST.to_owned());
    let wrong = RwSignal::new(BTreeMap::<String, String>::new());
    let refused = RwSignal::new(None::<ApiError>);
    let replay = Action::new(move |what_if: &WhatIf| {
        let what_if = what_if.clone();
        server_fns::ask_what_if(route, what_if)
    });
    Effect::new(move |_| {
        if let Some(Err(error)) = replay.value().get() {
            wrong.set(error.fields.clone());
            refused.set(Some(error));
        }
    });
    let problem =
        move |path: String| Signal::derive(move || wrong.with(|wrong| wrong.get(&path).cloned()));
    let busy = replay.pending();
    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        refused.set(None);
        match untrack(|| typed(locale, &tried, &last.read())) {
            Ok(what_if) => {
                wrong.set(BTreeMap::new());
                replay.dispatch(what_if);
            }
            Err(problems) => wrong.set(problems),
        }
    };
    // What stands at no field of this page.
    let unplaced = move || {
        let error = refused.get()?;
        let is_placed = |path: &String| {
            path == "last"
                || ScorerName::ALL
                    .iter()
                    .any(|scorer| *path == path_of(*scorer))
        };
        let others = error.fields.iter().filter(|(path, _)| !is_placed(path));
        let others: Vec<&str> = others.map(|(_, problem)| problem.as_str()).collect();
        match (error.fields.is_empty(), others.is_empty()) {
            (true, _) => Some(error.message.clone()),
            (false, false) => Some(others.join(" ")),
            (false, true) => None,
        }
    };

    view! {
        <form class="panel what-if" method="post" novalidate on:submit=on_submit>
            <ul class="what-if-weights">
                {tried
                    .into_iter()
                    .map(|tried| {
                        view! { <Weight tried error=problem(path_of(tried.scorer)) /> }
                    })
                    .collect_view()}
            </ul>
            <div class="short-field">
                <TextField
                    id="what-if-last"
                    label=text!(locale, what_if.last)
                    hint=text!(locale, what_if.last_hint)
                    code=true
                    value=last
                    error=problem("last".to_owned())
                />
            </div>
            <div class="editor-actions">
                <Submit
                    label=text!(locale, what_if.replay)
                    busy_label=text!(locale, what_if.replaying)
                    busy
                />
            </div>
            {move || {
                unplaced().map(|words| view! { <Notice tone=Tone::Danger>{words}</Notice> })
            }}
        </form>
        <div class="what-if-answer" role="status">
            {move || match replay.value().get() {
                Some(Ok(answer)) => view! { <Answer answer /> }.into_any(),
                _ => ().into_any(),
            }}
        </div>
    }
}

#[component]
fn Weight(tried: Tried, error: Signal<Option<String>>) -> impl IntoView {
    let locale = use_locale();
    let Tried { scorer, on, weight } = tried;
    let name = scorer_name(locale, scorer);
    let id = format!("what-if-{}", scorer.key());
    let error_id = format!("{id}-error");
    view! {
        <li>
            <label class="switch-row">
                <Switch label=Signal::stored(name.to_owned()) on />
                {name}
            </label>
            <TextInput
                id
                label=Signal::stored(text!(locale, what_if.weight_of, scorer = name))
                inputmode="decimal"
                code=true
                value=weight
                error
            />
            <p class="field-error" id=error_id hidden=move || error.read().is_none()>
                {move || error.get()}
            </p>
        </li>
    }
}

/// The field of a refusal.
fn path_of(scorer: ScorerName) -> String {
    format!("weights.{}", scorer.key())
}

/// Whether the scorer is on, and with which weight; one that was never set has its default.
fn present(policy: &PolicyDraft, scorer: ScorerName) -> (bool, f64) {
    let (draft, default) = match scorer {
        ScorerName::SessionAffinity => {
            let draft = policy.session_affinity.as_ref();
            (draft.map(|draft| (draft.enabled, draft.weight)), 1.0)
        }
        ScorerName::LeastInflight => {
            let draft = policy.least_inflight.as_ref();
            (draft.map(|draft| (draft.enabled, draft.weight)), 1.0)
        }
        ScorerName::DecisionService => {
            let draft = policy.decision_service.as_ref();
            (draft.map(|draft| (draft.enabled, draft.weight)), 10.0)
        }
    };
    let (on, weight) = draft.unwrap_or_default();
    (on, weight.unwrap_or(default))
}

/// What was typed, or what is wrong with it by field.
fn typed(locale: Locale, tried: &[Tried], last: &str) -> Result<WhatIf, BTreeMap<String, String>> {
    let mut wrong = BTreeMap::new();
    let mut what_if = WhatIf::default();
    for tried in tried.iter().filter(|tried| tried.on.get()) {
        let weight = tried.weight.read().trim().parse::<f64>().ok();
        match weight.filter(|weight| weight.is_finite() && *weight > 0.0) {
            Some(weight) => {
                what_if
                    .weights
                    .insert(tried.scorer.key().to_owned(), weight);
            }
            None => {
                let problem = text!(locale, what_if.no_weight).to_owned();
                wrong.insert(path_of(tried.scorer), problem);
            }
        }
    }
    match last.trim().replace(',', "") {
        nothing if nothing.is_empty() => {}
        last => match last.parse() {
            Ok(last) => what_if.last = Some(last),
            Err(_) => {
                wrong.insert(
                    "last".to_owned(),
                    text!(locale, provider.no_number).to_owned(),
                );
            }
        },
    }
    match wrong.is_empty() {
        true => Ok(what_if),
        false => Err(wrong),
    }
}

#[cfg(test)]
mod tests {
    use routing::SessionAffinityDraft;

    use super::*;

    #[test]
    fn a_scorer_that_is_off_is_left_out_and_nonsense_is_named() {
        Owner::new().with(|| {
            let policy = PolicyDraft {
                session_affinity: Some(SessionAffinityDraft {
                    weight: Some(2.5),
                    ..SessionAffinityDraft::default()
                }),
                ..PolicyDraft::default()
            };
            let tried = ScorerName::ALL.map(|scorer| {
                let (on, weight) = present(&policy, scorer);
                Tried {
                    scorer,
                    on: RwSignal::new(on),
                    weight: RwSignal::new(weight.to_string()),
                }
            });
            let asked = typed(Locale::en, &tried, "1,000").unwrap();
            assert_eq!(asked.weights, [("session_affinity".to_owned(), 2.5)].into());
            assert_eq!(asked.last, Some(1_000));
            assert_eq!(tried[2].weight.get(), "10");

            tried[1].on.set(true);
            tried[1].weight.set("-1".into());
            let wrong = typed(Locale::en, &tried, "many").unwrap_err();
            let fields: Vec<_> = wrong.keys().map(String::as_str).collect();
            assert_eq!(fields, ["last", "weights.least_inflight"]);
        });
    }
}
