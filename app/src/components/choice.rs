//! One of a few, all in view: radio buttons side by side.

use leptos::html::Input;
use leptos::prelude::*;

#[component]
pub(crate) fn Choice<T>(
    /// What is chosen.
    label: &'static str,
    /// Of the group on its page.
    name: &'static str,
    /// Each with its word.
    options: Vec<(T, &'static str)>,
    value: RwSignal<T>,
    /// For where a title says it already.
    #[prop(optional)]
    unlabelled: bool,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let options = options
        .into_iter()
        .enumerate()
        .map(|(place, (option, word))| view! { <Segment name place option word value /> })
        .collect_view();
    view! {
        <fieldset class="choice">
            <legend class="field-label" class:unseen=unlabelled>
                {label}
            </legend>
            <div class="choice-segments">{options}</div>
        </fieldset>
    }
}

#[component]
fn Segment<T>(
    name: &'static str,
    place: usize,
    option: T,
    word: &'static str,
    value: RwSignal<T>,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let input = NodeRef::<Input>::new();
    let option = StoredValue::new(option);
    let is_chosen = move || option.with_value(|option| *value.read() == *option);
    // As with texts: what was chosen before the page came alive counts.
    input.on_load(move |input| {
        if input.checked() && !input.default_checked() && !untrack(is_chosen) {
            value.set(option.get_value());
        }
    });

    view! {
        <label class="choice-segment">
            <input
                type="radio"
                name=name
                value=place.to_string()
                checked=untrack(is_chosen)
                prop:checked=is_chosen
                node_ref=input
                on:change=move |_| value.set(option.get_value())
            />
            {word}
        </label>
    }
}
