//! Asks the real decision service about a prompt, with the settings as they are typed.

use leptos::prelude::*;
use routing::DecisionServiceDraft;

use crate::api::explain::{DecisionSaid, DecisionTrial, DecisionTried};
use crate::components::field::TextArea;
use crate::components::notice::{Notice, Tone};
use crate::components::probabilities::Probabilities;
use crate::i18n::{text, use_locale};
use crate::live::use_live;
use crate::server_fns;

use super::super::policy_form::DecisionForm;

#[component]
pub(super) fn TryIt(form: DecisionForm) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let prompt = RwSignal::new(String::new());
    let ask = Action::new(|trial: &DecisionTrial| server_fns::try_decision(trial.clone()));
    let busy = ask.pending();
    let on_click = move |_| {
        if !busy.get_untracked() {
            ask.dispatch(DecisionTrial {
                settings: DecisionServiceDraft {
                    enabled: true,
                    ..untrack(|| form.draft(true))
                },
                prompt: prompt.get_untracked(),
            });
        }
    };
    let of_prompt = Signal::derive(move || match ask.value().get() {
        Some(Err(error)) => error.fields.get("prompt").cloned(),
        _ => None,
    });
    view! {
        <div class="plugin-part">
            <TextArea
                id="try-prompt"
                label=text!(locale, policy.try_prompt)
                hint=text!(locale, policy.try_hint)
                value=prompt
                error=of_prompt
            />
            <div class="editor-actions">
                <button
                    class="button"
                    type="button"
                    disabled=move || !live.get()
                    aria-disabled=move || busy.get().then_some("true")
                    on:click=on_click
                >
                    {move || {
                        if busy.get() {
                            text!(locale, policy.trying)
                        } else {
                            text!(locale, policy.try_it)
                        }
                    }}
                </button>
            </div>
            <div role="status">
                {move || match ask.value().get() {
                    Some(Ok(tried)) => view! { <Tried tried /> }.into_any(),
                    Some(Err(error)) if error.fields.contains_key("prompt") => ().into_any(),
                    Some(Err(error)) => {
                        let words: Vec<String> = error.fields.into_values().collect();
                        let words = if words.is_empty() { error.message } else { words.join(" ") };
                        view! { <Notice tone=Tone::Danger>{words}</Notice> }.into_any()
                    }
                    None => ().into_any(),
                }}
            </div>
        </div>
    }
}

#[component]
fn Tried(tried: DecisionTried) -> impl IntoView {
    let locale = use_locale();
    let DecisionTried {
        decision,
        latency_ms,
        reason,
    } = tried;
    let Some(DecisionSaid {
        probabilities,
        confidence,
    }) = decision
    else {
        let reason = reason.unwrap_or_default();
        return view! {
            <Notice tone=Tone::Danger>
                {text!(locale, policy.no_decision, reason = reason, ms = latency_ms)}
            </Notice>
        }
        .into_any();
    };
    view! {
        <div class="tried">
            <Probabilities of=probabilities />
            <p class="panel-about">
                {text!(
                    locale,
                    policy.tried,
                    confidence = format!("{confidence:.2}"),
                    ms = latency_ms
                )}
            </p>
        </div>
    }
    .into_any()
}
