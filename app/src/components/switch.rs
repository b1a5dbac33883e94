//! On or off, at once.

use leptos::html::Input;
use leptos::prelude::*;

#[component]
pub(crate) fn Switch(#[prop(into)] label: Signal<String>, on: RwSignal<bool>) -> impl IntoView {
    let input = NodeRef::<Input>::new();
    // As with texts: what was switched before the page came alive counts.
    input.on_load(move |input| {
        if on.get_untracked() != input.checked() {
            on.set(input.checked());
        }
    });

    view! {
        <input
            class="switch"
            type="checkbox"
            role="switch"
            aria-label=label
            checked=on.get_untracked()
            prop:checked=on
            node_ref=input
            on:change=move |event| on.set(event_target_checked(&event))
        />
    }
}
