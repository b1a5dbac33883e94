//! Before the first request: how to send one.

use leptos::prelude::*;

use crate::components::empty_state::EmptyState;
use crate::components::snippet::Snippet;
use crate::i18n::{text, use_locale};
use crate::live::use_live;
use crate::pages::add_key::lines::Use;
use crate::paths;

#[component]
pub(super) fn NoRequests() -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    // Where it is only the browser knows.
    let origin = move || match live.get() {
        true => location().origin().unwrap_or_default(),
        false => String::new(),
    };
    let code = Signal::derive(move || {
        let lines = Use {
            origin: origin(),
            key: "sb_…".to_owned(),
            model: text!(locale, key.model_unknown).to_owned(),
        };
        lines.curl()
    });
    view! {
        <EmptyState title=text!(locale, requests.none)>
            <p>{text!(locale, requests.none_about)}</p>
            <Snippet label=text!(locale, key.in_terminal) code />
            <a class="button" href=paths::ADD_KEY>
                {text!(locale, keys.add)}
            </a>
        </EmptyState>
    }
}
