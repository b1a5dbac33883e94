//! Takes a row out of a form's list.

use leptos::prelude::*;

use crate::components::focus::focus_first;
use crate::components::icon::{Glyph, Icon};
use crate::components::rows::Rows;

#[component]
pub(crate) fn Remove<T>(
    rows: Rows<T>,
    /// The row's.
    key: u32,
    #[prop(into)] label: Signal<String>,
    /// Id of what has the focus next, which would be lost with the row.
    next: &'static str,
) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
{
    view! {
        <button
            class="icon-button"
            type="button"
            aria-label=label
            on:click=move |_| {
                rows.remove(key);
                focus_first(format!("#{next}"));
            }
        >
            <Glyph icon=Icon::Close />
        </button>
    }
}
