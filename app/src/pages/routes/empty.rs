//! What the list shows while there is nothing to list: the next step.

use leptos::prelude::*;

use crate::components::empty_state::EmptyState;
use crate::components::snippet::Snippet;
use crate::i18n::{text, use_locale};
use crate::paths;

/// Until the browser says where it is.
const DEFAULT_ORIGIN: &str = "http://127.0.0.1:8080";

#[component]
pub(super) fn NoRoutes() -> impl IntoView {
    let locale = use_locale();
    view! {
        <EmptyState title=text!(locale, routes.none)>
            <p>{text!(locale, routes.none_about)}</p>
            <a class="button" href=paths::ADD_ROUTE>
                {text!(locale, routes.add_first)}
            </a>
        </EmptyState>
    }
}

/// A route needs a provider; two commands register one.
#[component]
pub(super) fn NoProviders() -> impl IntoView {
    let locale = use_locale();
    let origin = RwSignal::new(DEFAULT_ORIGIN.to_owned());
    Effect::new(move |_| {
        if let Ok(here) = location().origin() {
            origin.set(here);
        }
    });

    view! {
        <EmptyState title=text!(locale, routes.no_provider)>
            <p>{text!(locale, routes.no_provider_about)}</p>
            <Snippet
                label=text!(locale, routes.step_sign_in)
                code=Signal::derive(move || sign_in_command(&origin.read()))
            />
            <Snippet
                label=text!(locale, routes.step_register)
                code=Signal::derive(move || register_command(&origin.read()))
            />
            <p>{text!(locale, routes.no_provider_then)}</p>
        </EmptyState>
    }
}

fn sign_in_command(origin: &str) -> String {
    format!(
        r#"curl {origin}/api/v1/login -c cookies.txt \
  -H 'content-type: application/json' \
  -d '{{"username": "admin", "password": "…"}}'"#
    )
}

fn register_command(origin: &str) -> String {
    format!(
        r#"curl {origin}/api/v1/providers -b cookies.txt \
  -H 'content-type: application/json' \
  -d '{{"name": "local", "kind": "openai",
       "instances": [{{"url": "http://127.0.0.1:11434"}}],
       "models": [{{"name": "qwen3:0.6b"}}]}}'"#
    )
}
