//! A question in front of the page. It opens when it is put there; Escape closes it.

use leptos::html;
use leptos::prelude::*;

#[component]
pub(crate) fn Dialog<F, V>(
    id: &'static str,
    #[prop(into)] title: String,
    /// For what needs more room than a sentence.
    #[prop(optional)]
    wide: bool,
    /// Takes it off the page.
    #[prop(into)]
    on_close: Callback<()>,
    /// What it holds; gets what closes it, so that the focus goes back to where it was.
    children: F,
) -> impl IntoView
where
    F: FnOnce(Callback<()>) -> V,
    V: IntoView,
{
    let dialog = NodeRef::<html::Dialog>::new();
    dialog.on_load(|dialog| {
        // Once it is in the document.
        request_animation_frame(move || {
            let _ = dialog.show_modal();
        });
    });
    let close = Callback::new(move |()| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    });
    let title_id = format!("{id}-title");
    let labelled_by = title_id.clone();

    view! {
        <dialog
            class="dialog"
            class:wide=wide
            aria-labelledby=labelled_by
            node_ref=dialog
            on:close=move |_| on_close.run(())
        >
            <h2 class="dialog-title" id=title_id>
                {title}
            </h2>
            {children(close)}
        </dialog>
    }
}
