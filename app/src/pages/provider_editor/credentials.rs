//! Secrets: stored ones by their hint, new ones typed unseen.

use leptos::prelude::*;

use crate::api::provider::Credential;
use crate::components::field::{FieldError, TextField, TextInput};
use crate::components::focus::focus_first;
use crate::components::icon::{Glyph, Icon};
use crate::components::remove::Remove;
use crate::components::rows::Row;
use crate::i18n::{text, use_locale};

use super::form::ProviderForm;
use super::problems::Problems;

const ADD_SECRET: &str = "add-credential";

#[component]
pub(super) fn Credentials(form: ProviderForm, problems: Problems) -> impl IntoView {
    let locale = use_locale();
    let of_list = problems.find(
        |path| path == "credentials" || path.starts_with("credentials[") && path.ends_with("].id"),
        |draft| draft.credentials.clone(),
    );

    view! {
        <section class="panel" role="group" aria-labelledby="credentials-title">
            <div class="panel-head">
                <h2 class="panel-title" id="credentials-title">
                    {text!(locale, provider.credentials)}
                </h2>
                <p class="panel-about">{text!(locale, provider.credentials_about)}</p>
            </div>
            <div class="rows">
                <For each=move || form.kept.get() key=|credential| credential.id let:credential>
                    <Kept form credential />
                </For>
                <For each=move || form.secrets.list.get() key=|row| row.key let:row>
                    <Secret form row problems />
                </For>
            </div>
            <FieldError id="credentials".to_owned() error=of_list />
            <button
                class="button"
                id=ADD_SECRET
                type="button"
                on:click=move |_| focus_first(format!("#{}", secret_id(form.add_secret())))
            >
                <Glyph icon=Icon::Plus />
                {text!(locale, provider.add_credential)}
            </button>
            <TextField
                id="credential-header"
                label=text!(locale, provider.credential_header)
                hint=text!(locale, provider.credential_header_hint)
                code=true
                value=form.credential_header
                error=problems
                    .at(
                        || "credential_header".to_owned(),
                        |draft| draft.credential_header.clone(),
                    )
            />
        </section>
    }
}

#[component]
fn Kept(form: ProviderForm, credential: Credential) -> impl IntoView {
    let locale = use_locale();
    let Credential { id, hint } = credential;
    let remove = text!(locale, provider.remove_stored, hint = hint.as_str());
    view! {
        <div class="row single">
            <p class="stored">
                <code>"••••"{hint}</code>
                <span class="more">{text!(locale, provider.stored)}</span>
            </p>
            <button
                class="icon-button"
                type="button"
                aria-label=remove
                on:click=move |_| {
                    form.kept.update(|kept| kept.retain(|other| other.id != id));
                    focus_first(format!("#{ADD_SECRET}"));
                }
            >
                <Glyph icon=Icon::Close />
            </button>
        </div>
    }
}

#[component]
fn Secret(form: ProviderForm, row: Row<RwSignal<String>>, problems: Problems) -> impl IntoView {
    let locale = use_locale();
    let Row { key, of: secret } = row;
    let index = form.secrets.index(key);
    let error = problems.at(
        move || {
            form.secret_index(key)
                .map_or_else(String::new, |index| format!("credentials[{index}].secret"))
        },
        move |draft| {
            let credentials = draft.credentials.as_ref()?;
            credentials.get(form.secret_index(key)?).cloned()
        },
    );
    let id = secret_id(key);
    view! {
        <div class="row single">
            <TextInput
                id=id.clone()
                label=Signal::derive(move || text!(locale, provider.secret_label, number = index.get() + 1))
                kind="password"
                autocomplete="new-password"
                placeholder=text!(locale, provider.secret_placeholder)
                code=true
                value=secret
                error
            />
            <Remove
                rows=form.secrets
                key
                label=Signal::derive(move || text!(locale, provider.remove_secret, number = index.get() + 1))
                next=ADD_SECRET
            />
            <div class="row-errors">
                <FieldError id error />
            </div>
        </div>
    }
}

fn secret_id(key: u32) -> String {
    format!("secret-{key}")
}
