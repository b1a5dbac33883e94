//! Lines to copy into a terminal.

use leptos::html::Code;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDocument};

use crate::components::focus::once_left;
use crate::components::icon::{Glyph, Icon};
use crate::i18n::{text, use_locale};

#[component]
pub(crate) fn Snippet(
    /// What the lines do.
    label: &'static str,
    #[prop(into)] code: Signal<String>,
) -> impl IntoView {
    let locale = use_locale();
    let lines = NodeRef::<Code>::new();
    let copied = RwSignal::new(false);

    view! {
        <figure class="snippet">
            <figcaption>
                {label}
                <button
                    class="icon-button"
                    type="button"
                    aria-label=move || {
                        if copied.get() {
                            text!(locale, copy.done)
                        } else {
                            text!(locale, copy.copy)
                        }
                    }
                    on:click=move |_| copied.set(lines.get().is_some_and(|lines| copy(&lines)))
                    on:blur=move |_| once_left(move || copied.set(false))
                >
                    {move || {
                        let icon = if copied.get() { Icon::Check } else { Icon::Copy };
                        view! { <Glyph icon /> }
                    }}
                </button>
            </figcaption>
            <pre tabindex="0">
                <code node_ref=lines>{code}</code>
            </pre>
        </figure>
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
