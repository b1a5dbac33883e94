//! What was asked and what came back, with how that ended and why it came from where it did.

use leptos::prelude::*;

use crate::components::notice::{Notice, Tone};
use crate::i18n::{Locale, text, use_locale};

use super::conversation::{Answer, State, Turn};
use super::listener::End;
use super::why::Why;

#[component]
pub(super) fn TurnView(
    turn: Turn,
    /// Only then it can be tried again.
    is_last: Signal<bool>,
    #[prop(into)] again: Callback<()>,
) -> impl IntoView {
    let locale = use_locale();
    let Turn { asked, answer, .. } = turn;
    let answer = RwSignal::from(answer);
    let text = move || answer.with(|answer| answer.text.clone());
    let thoughts = move || answer.with(|answer| answer.thoughts.clone());
    let has_thoughts = Memo::new(move |_| answer.with(|answer| !answer.thoughts.is_empty()));
    let has_text = Memo::new(move |_| answer.with(|answer| !answer.text.is_empty()));
    let state = Memo::new(move |_| answer.with(|answer| answer.state.clone()));
    let failed = Memo::new(move |_| answer.with(Answer::has_failed));
    let waiting = move || *state.read() == State::Coming && !has_text.get() && !has_thoughts.get();

    view! {
        <li class="turn">
            <h3 class="unseen">{text!(locale, playground.you)}</h3>
            <p class="turn-asked">{asked}</p>
            <h3 class="unseen">{text!(locale, playground.answer)}</h3>
            <p class="muted" hidden=move || !waiting()>
                {text!(locale, playground.waiting)}
            </p>
            <details class="turn-thoughts" hidden=move || !has_thoughts.get()>
                <summary>{text!(locale, playground.thoughts)}</summary>
                <p>{thoughts}</p>
            </details>
            <p
                class="turn-answer"
                class:coming=move || *state.read() == State::Coming
                hidden=move || !has_text.get()
            >
                {text}
            </p>
            {move || {
                let words = ending(locale, &state.read())?;
                Some(if failed.get() {
                    view! {
                        <Notice tone=Tone::Danger>
                            <p>{words}</p>
                            <button
                                class="button small"
                                type="button"
                                hidden=move || !is_last.get()
                                on:click=move |_| again.run(())
                            >
                                {text!(locale, playground.again)}
                            </button>
                        </Notice>
                    }
                        .into_any()
                } else {
                    view! { <p class="field-hint">{words}</p> }.into_any()
                })
            }}
            <Why answer />
        </li>
    }
}

/// How it ended, in a sentence; nothing where that goes without saying.
fn ending(locale: Locale, state: &State) -> Option<String> {
    let reason = |message: &str| {
        if message.is_empty() {
            text!(locale, playground.no_reason).to_owned()
        } else {
            message.to_owned()
        }
    };
    Some(match state {
        State::Coming | State::Ended(End::Done) => return None,
        State::Stopped => text!(locale, playground.stopped).to_owned(),
        State::Unreachable => text!(locale, playground.unreachable).to_owned(),
        State::Ended(End::Cut) => text!(locale, playground.cut).to_owned(),
        State::Ended(End::BrokeOff) => text!(locale, playground.broke_off).to_owned(),
        State::Ended(End::Refused { status, message }) => text!(
            locale,
            playground.refused,
            status = *status,
            message = reason(message)
        ),
        State::Ended(End::Failed(message)) => {
            text!(locale, playground.failed, message = reason(message))
        }
    })
}
