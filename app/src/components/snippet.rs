//! Lines to copy into a terminal.

use leptos::html::Code;
use leptos::prelude::*;

use crate::components::copy_button::CopyButton;

#[component]
pub(crate) fn Snippet(
    /// What the lines do.
    #[prop(into)]
    label: String,
    #[prop(into)] code: Signal<String>,
) -> impl IntoView {
    let lines = NodeRef::<Code>::new();

    view! {
        <figure class="snippet">
            <figcaption>{label} <CopyButton of=lines /></figcaption>
            <pre tabindex="0">
                <code node_ref=lines>{code}</code>
            </pre>
        </figure>
    }
}
