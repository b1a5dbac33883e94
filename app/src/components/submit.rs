//! A form's own button: waits for the page to be live, and shows that work is under way.

use leptos::prelude::*;

use crate::live::use_live;

#[component]
pub(crate) fn Submit(
    label: &'static str,
    /// The label while it works.
    busy_label: &'static str,
    #[prop(into)] busy: Signal<bool>,
) -> impl IntoView {
    let live = use_live();
    view! {
        <button
            class="button primary"
            type="submit"
            disabled=move || !live.get()
            aria-disabled=move || busy.get().then_some("true")
        >
            {move || if busy.get() { busy_label } else { label }}
        </button>
    }
}
