//! One of a few, in the browser's own control.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;

#[component]
pub(crate) fn Select<T, N>(
    id: String,
    #[prop(optional, into)] label: Option<Signal<String>>,
    /// Each with its word.
    options: Vec<(T, N)>,
    value: RwSignal<T>,
) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
    N: IntoView + 'static,
{
    let values: StoredValue<Vec<T>> =
        StoredValue::new(options.iter().map(|(value, _)| *value).collect());
    // Options go by their places.
    let choose = move |place: String| {
        let chosen = place
            .parse::<usize>()
            .ok()
            .and_then(|place| values.with_value(|values| values.get(place).copied()));
        if let Some(chosen) = chosen
            && chosen != value.get_untracked()
        {
            value.set(chosen);
        }
    };
    let select = NodeRef::<html::Select>::new();
    select.on_load(move |select| choose(select.value()));
    let now = value.get_untracked();

    view! {
        <select
            class="input"
            id=id
            aria-label=label.map(|label| move || label.get())
            autocomplete="off"
            node_ref=select
            on:change=move |event: ev::Event| choose(event_target_value(&event))
        >
            {options
                .into_iter()
                .enumerate()
                .map(|(place, (value, name))| {
                    view! {
                        <option value=place.to_string() selected=value == now>
                            {name}
                        </option>
                    }
                })
                .collect_view()}
        </select>
    }
}
