//! Views of one thing of which one is shown at a time. Follows the ARIA pattern: one tab in the order
//! of the Tab key, arrows between them.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::components::focus::focus_first;

#[component]
pub(crate) fn Tabs<T>(
    /// What they are views of.
    label: &'static str,
    /// Of the tabs on their page.
    id: &'static str,
    /// Each with its word.
    tabs: Vec<(T, &'static str)>,
    value: RwSignal<T>,
    /// The view of `value`.
    children: Children,
) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let values = StoredValue::new(tabs.iter().map(|(value, _)| *value).collect::<Vec<T>>());
    let at = move || {
        let value = value.get();
        values.with_value(|values| values.iter().position(|other| *other == value))
    };
    let at = Memo::new(move |_| at().unwrap_or_default());
    let tab_id = move |place: usize| format!("{id}-tab-{place}");
    let on_keydown = move |event: KeyboardEvent| {
        let last = values.with_value(Vec::len).saturating_sub(1);
        let at = at.get_untracked();
        let to = match event.key().as_str() {
            "ArrowRight" if at == last => 0,
            "ArrowRight" => at + 1,
            "ArrowLeft" if at == 0 => last,
            "ArrowLeft" => at - 1,
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        if let Some(chosen) = values.with_value(|values| values.get(to).copied()) {
            value.set(chosen);
            focus_first(format!("#{}", tab_id(to)));
        }
    };
    let panel_id = format!("{id}-panel");
    let controls = panel_id.clone();

    view! {
        <div class="tabs" role="tablist" aria-label=label on:keydown=on_keydown>
            {tabs
                .into_iter()
                .enumerate()
                .map(|(place, (tab, word))| {
                    let chosen = move || at.get() == place;
                    view! {
                        <button
                            class="tab"
                            type="button"
                            role="tab"
                            id=tab_id(place)
                            aria-selected=move || chosen().to_string()
                            aria-controls=controls.clone()
                            tabindex=move || if chosen() { "0" } else { "-1" }
                            on:click=move |_| value.set(tab)
                        >
                            {word}
                        </button>
                    }
                })
                .collect_view()}
        </div>
        <div
            class="tab-panel"
            role="tabpanel"
            id=panel_id
            aria-labelledby=move || tab_id(at.get())
        >
            {children()}
        </div>
    }
}
