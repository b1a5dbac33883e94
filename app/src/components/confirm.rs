//! Asks before something is destroyed, in a sentence that names what will stop working.

use leptos::html::Dialog;
use leptos::prelude::*;

use crate::i18n::{text, use_locale};

/// A dialog that is open while there is a question.
#[component]
pub(crate) fn Confirm(
    title: &'static str,
    /// What will happen; closed while there is nothing.
    question: Signal<Option<String>>,
    /// The word on the button that does it.
    action: &'static str,
    #[prop(into)] busy: Signal<bool>,
    #[prop(into)] on_yes: Callback<()>,
    /// Also after Escape.
    #[prop(into)]
    on_close: Callback<()>,
) -> impl IntoView {
    let locale = use_locale();
    let dialog = NodeRef::<Dialog>::new();

    Effect::new(move |_| {
        let asks = question.read().is_some();
        if let Some(dialog) = dialog.get() {
            if asks && !dialog.open() {
                // Refused only for a dialog that is not on the page.
                let _ = dialog.show_modal();
            } else if !asks && dialog.open() {
                dialog.close();
            }
        }
    });

    view! {
        <dialog
            class="dialog"
            node_ref=dialog
            aria-labelledby="confirm-title"
            aria-describedby="confirm-question"
            on:close=move |_| on_close.run(())
        >
            <h2 class="dialog-title" id="confirm-title">
                {title}
            </h2>
            <p class="dialog-text" id="confirm-question">
                {move || question.get()}
            </p>
            <div class="dialog-actions">
                <button class="button" type="button" on:click=move |_| on_close.run(())>
                    {text!(locale, confirm.cancel)}
                </button>
                <button
                    class="button danger"
                    type="button"
                    aria-disabled=move || busy.get().then_some("true")
                    on:click=move |_| {
                        if !busy.get_untracked() {
                            on_yes.run(());
                        }
                    }
                >
                    {action}
                </button>
            </div>
        </dialog>
    }
}
