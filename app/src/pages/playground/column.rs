//! One conversation: the route it is with, and what was said.

use leptos::prelude::*;

use crate::components::picker::Picker;
use crate::components::remove::Remove;
use crate::components::rows::{Row, Rows};
use crate::i18n::{Locale, text, use_locale};

use super::conversation::{Conversation, State};
use super::setup::Setup;
use super::turn::TurnView;

/// What has the focus once a column is gone.
pub(super) const MESSAGE: &str = "playground-message";

#[component]
pub(super) fn Column(
    row: Row<Conversation>,
    columns: Rows<Conversation>,
    options: Signal<Vec<String>>,
    setup: Setup,
) -> impl IntoView {
    let locale = use_locale();
    let Row { key, of } = row;
    let index = columns.index(key);
    let number = move || index.get() + 1;
    let alone = move || columns.list.read().len() < 2;
    let nothing_said = move || of.turns.read().is_empty();
    let last = move |key: u32| of.turns.read().last().is_some_and(|turn| turn.key == key);
    // Whoever takes the column away takes its request along.
    on_cleanup(move || of.stop());

    view! {
        <section
            class="panel playground-column"
            aria-label=move || text!(locale, playground.conversation, number = number())
        >
            <div class="playground-route">
                <Picker
                    id=format!("playground-route-{key}")
                    label=Signal::derive(move || {
                        text!(locale, playground.route_label, number = number())
                    })
                    placeholder=text!(locale, playground.route_placeholder)
                    nothing=text!(locale, playground.route_nothing)
                    more=move |count: usize| text!(locale, route.target_more, count = count)
                    options
                    value=of.route
                    error=Signal::stored(None)
                />
                <span hidden=alone>
                    <Remove
                        rows=columns
                        key
                        label=Signal::derive(move || {
                            text!(locale, playground.remove, number = number())
                        })
                        next=MESSAGE
                    />
                </span>
            </div>
            <p class="field-hint" hidden=move || !nothing_said()>
                {text!(locale, playground.nothing_said)}
            </p>
            <ol class="turns" hidden=nothing_said>
                <For each=move || of.turns.get() key=|turn| turn.key let:turn>
                    {
                        let key = turn.key;
                        view! {
                            <TurnView
                                turn
                                is_last=Signal::derive(move || last(key))
                                again=move |()| of.again(setup)
                            />
                        }
                    }
                </For>
            </ol>
            <p class="unseen" role="status" aria-live="polite">
                {move || finished(locale, of)}
            </p>
        </section>
    }
}

/// The last answer, once it is whole: read out then, and not word by word.
fn finished(locale: Locale, conversation: Conversation) -> Option<String> {
    let turns = conversation.turns.read();
    let answer = turns.last()?.answer.read();
    let over = answer.state != State::Coming && !answer.has_failed();
    (over && !answer.text.is_empty()).then(|| {
        text!(
            locale,
            playground.finished,
            route = answer.route.as_str(),
            text = answer.text.as_str()
        )
    })
}
