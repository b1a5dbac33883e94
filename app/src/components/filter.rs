//! A choice above a table that narrows it down. Its value lives elsewhere, as in the page's address.

use leptos::ev;
use leptos::prelude::*;

use crate::live::use_live;

#[component]
pub(crate) fn Filter(
    id: &'static str,
    label: &'static str,
    /// The word for no filter, whose value is empty.
    any: &'static str,
    /// Values with their words.
    options: Vec<(String, String)>,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] on_change: Callback<String>,
) -> impl IntoView {
    let live = use_live();
    let now = value.get_untracked();
    let mut options = options;
    // What an address asks for can be read there also when nothing is of that kind any more.
    if !now.is_empty() && options.iter().all(|(known, _)| *known != now) {
        options.push((now.clone(), now.clone()));
    }
    view! {
        <select
            class="input"
            id=id
            aria-label=label
            autocomplete="off"
            disabled=move || !live.get()
            prop:value=value
            on:change=move |event: ev::Event| on_change.run(event_target_value(&event))
        >
            <option value="" selected=now.is_empty()>
                {any}
            </option>
            {options
                .into_iter()
                .map(|(value, word)| {
                    let selected = value == now;
                    view! {
                        <option value=value selected=selected>
                            {word}
                        </option>
                    }
                })
                .collect_view()}
        </select>
    }
}
