//! Session Affinity: the chain of session keys.

use leptos::prelude::*;

use crate::components::field::{FieldError, TextField, TextInput};
use crate::components::focus::focus_first;
use crate::components::icon::{Glyph, Icon};
use crate::components::remove::Remove;
use crate::components::rows::Row;
use crate::components::select::Select;
use crate::components::steps::Steps;
use crate::i18n::{text, use_locale};

use super::super::policy_form::{AffinityForm, KeyPlace, KeyRow};
use super::Problems;

const ADD_KEY: &str = "add-session-key";

/// Clients, by their makers' names, and the header in which each sends its session.
const CLIENTS: [(&str, &str); 3] = [
    ("Codex", "session-id"),
    ("Claude Code", "x-claude-code-session-id"),
    ("opencode", "x-session-id"),
];

#[component]
pub(super) fn AffinityFields(form: AffinityForm, problems: Problems) -> impl IntoView {
    let locale = use_locale();
    let of_paths = problems.find(|path| path.starts_with("policy.session_affinity.body_paths"));
    view! {
        <div class="plugin-part" role="group" aria-labelledby="session-keys-title">
            <div class="panel-head">
                <h3 class="plugin-title" id="session-keys-title">
                    {text!(locale, policy.keys)}
                </h3>
                <p class="panel-about">{text!(locale, policy.keys_about)}</p>
            </div>
            <div class="rows">
                <For each=move || form.keys.list.get() key=|row| row.key let:row>
                    <SessionKey form row problems />
                </For>
            </div>
            <FieldError
                id="session-keys".to_owned()
                error=problems.at("policy.session_affinity.keys")
            />
            <div class="editor-actions">
                <button
                    class="button"
                    id=ADD_KEY
                    type="button"
                    on:click=move |_| {
                        let key = form.add_key(KeyPlace::Header, "");
                        focus_first(format!("#{}", name_id(key)));
                    }
                >
                    <Glyph icon=Icon::Plus />
                    {text!(locale, policy.add_key)}
                </button>
                {CLIENTS
                    .map(|(client, header)| {
                        view! {
                            <button
                                class="button small"
                                type="button"
                                title=header
                                on:click=move |_| form.put_header_first(header)
                            >
                                {text!(locale, policy.preset, client = client)}
                            </button>
                        }
                    })
                    .collect_view()}
            </div>
        </div>
        <TextField
            id="body-paths"
            label=text!(locale, policy.body_paths)
            hint=text!(locale, policy.body_paths_hint)
            code=true
            value=form.body_paths
            error=of_paths
        />
    }
}

#[component]
fn SessionKey(form: AffinityForm, row: Row<KeyRow>, problems: Problems) -> impl IntoView {
    let locale = use_locale();
    let Row { key, of: row } = row;
    let index = form.keys.index(key);
    let error = Signal::derive(move || {
        let at = format!("policy.session_affinity.keys[{}]", index.get());
        problems.0.with(|problems| {
            let found = problems.iter().find(|(path, _)| {
                path.strip_prefix(&*at)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            });
            found.map(|(_, problem)| problem.clone())
        })
    });
    let id = name_id(key);
    let number = move || index.get() + 1;
    view! {
        <div class="row session-key">
            <Select
                id=format!("session-key-place-{key}")
                label=Signal::derive(move || text!(locale, policy.place_label, number = number()))
                options=vec![
                    (KeyPlace::Header, text!(locale, policy.header)),
                    (KeyPlace::Body, text!(locale, policy.body)),
                ]
                value=row.place
            />
            <TextInput
                id=id.clone()
                label=Signal::derive(move || text!(locale, policy.name_label, number = number()))
                code=true
                value=row.name
                error
            />
            <Steps
                id=format!("{id}-steps")
                rows=form.keys
                key
                labels=(
                    Signal::derive(move || text!(locale, policy.key_up, number = number())),
                    Signal::derive(move || text!(locale, policy.key_down, number = number())),
                )
            />
            <Remove
                rows=form.keys
                key
                label=Signal::derive(move || text!(locale, policy.remove_key, number = number()))
                next=ADD_KEY
            />
            <div class="row-errors">
                <FieldError id error />
            </div>
        </div>
    }
}

fn name_id(key: u32) -> String {
    format!("session-key-{key}")
}
