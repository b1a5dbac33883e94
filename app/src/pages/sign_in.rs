//! The door: user name, password, and on to where one was going.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_query_map};

use crate::components::field::TextField;
use crate::components::frame::Brand;
use crate::components::notice::{Notice, Tone};
use crate::components::submit::Submit;
use crate::i18n::{text, use_locale};
use crate::{paths, server_fns};

#[component]
pub(crate) fn SignIn() -> impl IntoView {
    let locale = use_locale();
    let query = use_query_map();
    let navigate = use_navigate();

    let username = RwSignal::new(String::new());
    let password = RwSignal::new(String::new());
    let submit = Action::new(move |(): &()| {
        server_fns::sign_in(username.get_untracked(), password.get_untracked())
    });
    let refusal = move || match submit.value().get() {
        Some(Err(error)) if !submit.pending().get() => Some(error),
        _ => None,
    };

    Effect::new(move |_| {
        if let Some(Ok(())) = submit.value().get() {
            let next = query.read_untracked().get("next");
            let replace = NavigateOptions {
                replace: true,
                ..Default::default()
            };
            navigate(paths::after_sign_in(next.as_deref()), replace);
        }
    });

    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        if !submit.pending().get_untracked() {
            submit.dispatch(());
        }
    };

    // `post`: should the browser ever submit it by itself, the password stays out of the address.
    view! {
        <Title text=text!(locale, sign_in.title) />
        <main class="gate">
            <Brand />
            <form class="gate-card" method="post" on:submit=on_submit>
                <h1>{text!(locale, sign_in.title)}</h1>
                {move || {
                    refusal()
                        .map(|error| view! { <Notice tone=Tone::Danger>{error.message}</Notice> })
                }}
                <TextField
                    id="username"
                    label=text!(locale, sign_in.username)
                    autocomplete="username"
                    autofocus=true
                    value=username
                />
                <TextField
                    id="password"
                    label=text!(locale, sign_in.password)
                    kind="password"
                    autocomplete="current-password"
                    value=password
                />
                <Submit
                    label=text!(locale, sign_in.submit)
                    busy_label=text!(locale, sign_in.busy)
                    busy=submit.pending()
                />
            </form>
        </main>
    }
}
