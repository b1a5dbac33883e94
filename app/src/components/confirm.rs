//! Asks before something is lost, in a sentence that names what will stop working.

use leptos::prelude::*;

use crate::components::dialog::Dialog;
use crate::i18n::{text, use_locale};

/// Open for as long as it is on the page.
#[component]
pub(crate) fn Confirm(
    #[prop(into)] title: String,
    /// What will happen.
    #[prop(into)]
    question: String,
    /// The word on the button that does it.
    action: &'static str,
    #[prop(optional, into)] busy: Signal<bool>,
    #[prop(into)] on_yes: Callback<()>,
    /// Also after Escape.
    #[prop(into)]
    on_close: Callback<()>,
) -> impl IntoView {
    let locale = use_locale();
    view! {
        <Dialog id="confirm" title on_close let:close>
            <p class="dialog-text">{question}</p>
            <div class="dialog-actions">
                <button class="button" type="button" on:click=move |_| close.run(())>
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
        </Dialog>
    }
}
