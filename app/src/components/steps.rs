//! Moves a row of a form's list up and down.

use leptos::prelude::*;

use crate::components::focus::focus_first;
use crate::components::icon::{Glyph, Icon};
use crate::components::rows::Rows;

#[component]
pub(crate) fn Steps<T>(
    /// Of the pair of buttons.
    id: String,
    rows: Rows<T>,
    /// The row's.
    key: u32,
    /// For up and for down.
    labels: (Signal<String>, Signal<String>),
) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
{
    let index = rows.index(key);
    let count = Memo::new(move |_| rows.list.read().len());
    let selector = StoredValue::new(format!("#{id}"));
    let step = move |down: bool| {
        rows.step(key, down);
        // The browser takes the focus from an element that moves, and at an end the button is off.
        let last = count.get_untracked().saturating_sub(1);
        let way = match index.get_untracked() {
            0 => "down",
            at if at == last => "up",
            _ if down => "down",
            _ => "up",
        };
        focus_first(selector.with_value(|selector| format!("{selector} .{way}")));
    };
    view! {
        <span class="steps" id=id hidden=move || count.get() < 2>
            <button
                class="icon-button up"
                type="button"
                aria-label=labels.0
                disabled=move || index.get() == 0
                on:click=move |_| step(false)
            >
                <Glyph icon=Icon::Up />
            </button>
            <button
                class="icon-button down"
                type="button"
                aria-label=labels.1
                disabled=move || index.get() + 1 == count.get()
                on:click=move |_| step(true)
            >
                <Glyph icon=Icon::Chevron />
            </button>
        </span>
    }
}
