//! A box to tick, with its label and perhaps a line about it.

use leptos::html::Input;
use leptos::prelude::*;

#[component]
pub(crate) fn Checkbox(
    #[prop(into)] label: String,
    #[prop(optional, into)] about: Option<&'static str>,
    /// The label is a name that clients send.
    #[prop(optional)]
    code: bool,
    #[prop(into)] checked: Signal<bool>,
    #[prop(into)] on_change: Callback<bool>,
) -> impl IntoView {
    let input = NodeRef::<Input>::new();
    // As with texts: what was ticked before the page came alive counts.
    input.on_load(move |input| {
        if checked.get_untracked() != input.checked() {
            on_change.run(input.checked());
        }
    });

    view! {
        <label class="checkbox">
            <input
                type="checkbox"
                checked=checked.get_untracked()
                prop:checked=checked
                node_ref=input
                on:change=move |event| on_change.run(event_target_checked(&event))
            />
            <span class="checkbox-words">
                <span class:code=code>{label}</span>
                {about.map(|about| view! { <span class="field-hint">{about}</span> })}
            </span>
        </label>
    }
}
