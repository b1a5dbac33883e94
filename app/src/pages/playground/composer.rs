//! Where one writes what all routes on the page are asked.

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::html::Textarea;
use leptos::prelude::*;

use crate::components::field::adopt;
use crate::components::focus::focus_first;
use crate::components::rows::Rows;
use crate::components::submit::Submit;
use crate::i18n::{text, use_locale};

use super::column::MESSAGE;
use super::conversation::{Conversation, all};
use super::setup::Setup;

/// What is wrong with how to ask.
const WRONG_FIELD: &str = ".playground [aria-invalid]";
const ROUTE: &str = ".playground-route input";

#[component]
pub(super) fn Composer(
    columns: Rows<Conversation>,
    setup: Setup,
    /// What is being written.
    draft: RwSignal<String>,
) -> impl IntoView {
    let locale = use_locale();
    let area = NodeRef::<Textarea>::new();
    area.on_load(move |area| adopt(draft, area.value()));
    let write = move |text: String| {
        if let Some(area) = area.get_untracked() {
            area.set_value(&text);
        }
        draft.set(text);
    };
    let busy = Memo::new(move |_| all(columns).into_iter().any(Conversation::is_busy));
    // What was sent and has not been answered by anyone yet.
    let sent = StoredValue::new(String::new());

    let send = move || {
        let text = draft.get_untracked().trim().to_owned();
        if busy.get_untracked() || text.is_empty() {
            return;
        }
        if untrack(|| setup.has_problem()) {
            focus_first(WRONG_FIELD);
            return;
        }
        let mut asked = untrack(|| all(columns));
        asked.retain(|one| !one.route.read_untracked().trim().is_empty());
        if asked.is_empty() {
            focus_first(ROUTE);
            return;
        }
        sent.set_value(text.clone());
        write(String::new());
        for conversation in asked {
            conversation.say(setup, text.clone());
        }
    };
    // What nobody has answered is not lost: it is there to be sent again.
    Effect::watch(
        move || busy.get(),
        move |busy, _, _| {
            let failed = || {
                let mut asked = all(columns);
                asked.retain(|one| !one.turns.read().is_empty());
                !asked.is_empty() && asked.into_iter().all(Conversation::has_failed)
            };
            if !busy && draft.read_untracked().is_empty() && untrack(failed) {
                write(sent.get_value());
            }
        },
        false,
    );
    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        send();
    };
    let on_keydown = move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            send();
        }
    };
    let stop = move |_| {
        for conversation in untrack(|| all(columns)) {
            conversation.stop();
        }
        focus_first(format!("#{MESSAGE}"));
    };
    let clear = move |_| {
        for conversation in untrack(|| all(columns)) {
            conversation.clear();
        }
        focus_first(format!("#{MESSAGE}"));
    };
    let untouched = move || {
        let conversations = all(columns);
        conversations.iter().all(|one| one.turns.read().is_empty())
    };

    view! {
        <form class="panel composer" method="post" novalidate on:submit=on_submit>
            <div class="field">
                <label class="field-label" for=MESSAGE>
                    {text!(locale, playground.message)}
                </label>
                <textarea
                    class="input"
                    id=MESSAGE
                    rows="3"
                    aria-describedby="playground-message-hint"
                    node_ref=area
                    on:input=move |event| draft.set(event_target_value(&event))
                    on:keydown=on_keydown
                ></textarea>
                <p class="field-hint" id="playground-message-hint">
                    {text!(locale, playground.message_hint)}
                </p>
            </div>
            <div class="editor-actions">
                <Submit
                    label=text!(locale, playground.send)
                    busy_label=text!(locale, playground.sending)
                    busy
                />
                <button class="button" type="button" hidden=move || !busy.get() on:click=stop>
                    {text!(locale, playground.stop)}
                </button>
                <button
                    class="button"
                    type="button"
                    hidden=move || busy.get() || untouched()
                    on:click=clear
                >
                    {text!(locale, playground.clear)}
                </button>
            </div>
        </form>
    }
}
