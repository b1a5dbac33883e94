//! Copies the text of something on the page.

use leptos::html::Code;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDocument};

use crate::components::focus::once_left;
use crate::components::icon::{Glyph, Icon};
use crate::i18n::{text, use_locale};

#[component]
pub(crate) fn CopyButton(
    /// What it copies.
    of: NodeRef<Code>,
    /// With its word, where copying is the thing to do.
    #[prop(optional)]
    worded: bool,
) -> impl IntoView {
    let locale = use_locale();
    let copied = RwSignal::new(false);
    let word = move || {
        if copied.get() {
            text!(locale, copy.done)
        } else {
            text!(locale, copy.copy)
        }
    };

    view! {
        <button
            class=if worded { "button" } else { "icon-button" }
            type="button"
            aria-label=(!worded).then_some(word)
            on:click=move |_| copied.set(of.get().is_some_and(|element| copy(&element)))
            on:blur=move |_| once_left(move || copied.set(false))
        >
            {move || {
                let icon = if copied.get() { Icon::Check } else { Icon::Copy };
                view! { <Glyph icon /> }
            }}
            {worded.then_some(word)}
        </button>
    }
}

/// Selects the text and copies it. The newer `navigator.clipboard` is missing over plain http, as
/// on most private networks.
fn copy(element: &Element) -> bool {
    let Ok(Some(selection)) = window().get_selection() else {
        return false;
    };
    let Ok(document) = document().dyn_into::<HtmlDocument>() else {
        return false;
    };
    selection.select_all_children(element).is_ok() && document.exec_command("copy").unwrap_or(false)
}
