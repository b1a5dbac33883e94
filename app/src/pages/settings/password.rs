//! A new password, with the present one to prove who asks.

use leptos::ev::SubmitEvent;
use leptos::html::Form;
use leptos::prelude::*;

use crate::api::account::{PasswordChange, Session};
use crate::components::field::TextField;
use crate::components::focus::focus_first;
use crate::components::load::Loading;
use crate::components::save_refused::SaveRefused;
use crate::components::submit::Submit;
use crate::components::toast::use_toasts;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::{text, use_locale};
use crate::{paths, server_fns};

#[component]
pub(super) fn ChangePassword(sessions: Loading<Vec<Session>>) -> impl IntoView {
    let locale = use_locale();
    let toasts = use_toasts();
    let form = NodeRef::<Form>::new();
    let current = RwSignal::new(String::new());
    let new = RwSignal::new(String::new());
    let refusal = RwSignal::new(None::<ApiError>);
    // What was wrong with a field counts until it changes.
    let problem = move |field: &'static str, value: RwSignal<String>| {
        let problem = RwSignal::new(None::<String>);
        Effect::new(move |_| {
            problem.set(
                refusal
                    .read()
                    .as_ref()
                    .and_then(|error| error.fields.get(field).cloned()),
            );
        });
        Effect::new(move |before: Option<()>| {
            value.track();
            if before.is_some() {
                problem.set(None);
            }
        });
        Signal::derive(move || problem.get())
    };
    let of_current = problem("current", current);
    let of_new = problem("new", new);

    let change = Action::new(|change: &PasswordChange| server_fns::change_password(change.clone()));
    Effect::new(move |_| match change.value().get() {
        Some(Ok(())) => {
            if let Some(form) = form.get_untracked() {
                form.reset();
            }
            current.set(String::new());
            new.set(String::new());
            toasts.success(text!(locale, settings.changed).to_owned());
            sessions.refetch();
        }
        Some(Err(error)) => {
            refusal.set(Some(error));
            focus_first(".password-form [aria-invalid]");
        }
        None => {}
    });

    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        if !change.pending().get_untracked() {
            refusal.set(None);
            change.dispatch(PasswordChange {
                current: current.get_untracked(),
                new: new.get_untracked(),
            });
        }
    };

    view! {
        <form
            class="panel password-form"
            method="post"
            novalidate
            aria-labelledby="password-title"
            node_ref=form
            on:submit=on_submit
        >
            <div class="panel-head">
                <h2 class="panel-title" id="password-title">
                    {text!(locale, settings.password)}
                </h2>
                <p class="panel-about">{text!(locale, settings.password_about)}</p>
            </div>
            // Password managers ask whose password it is.
            <input type="text" autocomplete="username" value="admin" readonly hidden />
            <TextField
                id="current-password"
                label=text!(locale, settings.current)
                kind="password"
                autocomplete="current-password"
                value=current
                error=of_current
            />
            <TextField
                id="new-password"
                label=text!(locale, settings.new)
                hint=text!(locale, settings.new_hint)
                kind="password"
                autocomplete="new-password"
                value=new
                error=of_new
            />
            {move || {
                refusal
                    .get()
                    .filter(|error| error.code != ErrorCode::Invalid)
                    .map(|error| view! { <SaveRefused error next=paths::SETTINGS /> })
            }}
            <div class="editor-actions">
                <Submit
                    label=text!(locale, settings.change)
                    busy_label=text!(locale, settings.changing)
                    busy=change.pending()
                />
            </div>
        </form>
    }
}
