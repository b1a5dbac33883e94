//! A text field that suggests: type to narrow down, arrow keys and Enter or a click to choose.
//!
//! It follows the ARIA combobox pattern with a list. Only the first matches are in the page, so it
//! stays fluid however many there are. What is typed counts even if nothing was chosen; whoever
//! reads the value says if it is wrong.

use leptos::ev;
use leptos::html::{Input, Ul};
use leptos::prelude::*;

use crate::components::field::{adopt, describe_by};
use crate::components::focus::once_left;
use crate::components::icon::{Glyph, Icon};

const SHOWN: usize = 50;

#[component]
pub(crate) fn Picker(
    id: String,
    #[prop(into)] label: Signal<String>,
    placeholder: &'static str,
    /// Said when nothing matches.
    nothing: &'static str,
    /// Said under the first matches when there are more; gets their number.
    #[prop(into)]
    more: Callback<usize, String>,
    options: Signal<Vec<String>>,
    value: RwSignal<String>,
    error: Signal<Option<String>>,
) -> impl IntoView {
    let input = NodeRef::<Input>::new();
    input.on_load(move |input| adopt(value, input.value()));
    let list = NodeRef::<Ul>::new();
    let list_id = format!("{id}-options");
    let option_id = {
        let id = id.clone();
        move |index: usize| format!("{id}-option-{index}")
    };

    let open = RwSignal::new(false);
    // What narrows the list: nothing right after opening, so that a chosen value can be changed.
    let query = RwSignal::new(String::new());
    let active = RwSignal::new(None::<usize>);
    let matches = Memo::new(move |_| {
        if !open.get() {
            return Matches::default();
        }
        options.with(|options| find(options, &query.read()))
    });

    let show = move || {
        query.set(String::new());
        active.set(None);
        open.set(true);
    };
    let choose = move |chosen: String| {
        if let Some(input) = input.get_untracked() {
            input.set_value(&chosen);
        }
        value.set(chosen);
        open.set(false);
    };
    let step = move |down: bool| {
        if !open.get_untracked() {
            show();
        }
        let count = matches.with_untracked(|matches| matches.shown.len());
        active.update(|active| *active = next_active(*active, count, down));
        if let (Some(list), Some(active)) = (list.get_untracked(), active.get_untracked())
            && let Some(option) = list.children().item(active as u32)
        {
            option.scroll_into_view_with_scroll_into_view_options(&nearest());
        }
    };
    let on_keydown = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "ArrowDown" | "ArrowUp" => {
            event.prevent_default();
            step(event.key() == "ArrowDown");
        }
        "Enter" if open.get_untracked() => {
            // Never submits the form while the list is open.
            event.prevent_default();
            let chosen = active.get_untracked().and_then(|active| {
                matches.with_untracked(|matches| matches.shown.get(active).cloned())
            });
            match chosen {
                Some(chosen) => choose(chosen),
                None => open.set(false),
            }
        }
        "Escape" if open.get_untracked() => {
            event.prevent_default();
            open.set(false);
        }
        _ => {}
    };

    view! {
        <div class="picker">
            <input
                class="input code"
                id=id.clone()
                type="text"
                role="combobox"
                aria-label=label
                aria-autocomplete="list"
                aria-expanded=move || open.get().to_string()
                aria-controls=list_id.clone()
                aria-activedescendant={
                    let option_id = option_id.clone();
                    move || active.get().filter(|_| open.get()).map(&option_id)
                }
                aria-invalid=move || error.read().is_some().then_some("true")
                aria-describedby=describe_by(&id, false)
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                placeholder=placeholder
                value=value.get_untracked()
                node_ref=input
                on:click=move |_| {
                    if !open.get_untracked() {
                        show();
                    }
                }
                on:input=move |event: ev::Event| {
                    let typed = event_target_value(&event);
                    // A complete name needs no suggestions in the way.
                    open.set(!options.with_untracked(|options| options.contains(&typed)));
                    query.set(typed.clone());
                    value.set(typed);
                    active.set(None);
                }
                on:keydown=on_keydown
                on:blur=move |_| once_left(move || open.set(false))
            />
            <Glyph icon=Icon::Chevron />
            <div class="picker-popup" hidden=move || !open.get()>
                <ul role="listbox" id=list_id aria-label=label node_ref=list>
                    {move || {
                        let option_id = option_id.clone();
                        matches
                            .get()
                            .shown
                            .into_iter()
                            .enumerate()
                            .map(|(index, option)| {
                                let chosen = option.clone();
                                let is_active = move || active.get() == Some(index);
                                view! {
                                    <li
                                        id=option_id(index)
                                        role="option"
                                        class:active=is_active
                                        aria-selected=move || (is_active()).to_string()
                                        // `mousedown`, for a click would come after the blur that closes.
                                        on:mousedown=move |event| {
                                            event.prevent_default();
                                            choose(chosen.clone());
                                        }
                                    >
                                        {option}
                                    </li>
                                }
                            })
                            .collect_view()
                    }}
                </ul>
                <p class="picker-note" role="status">
                    {move || {
                        let matches = matches.read();
                        if matches.shown.is_empty() {
                            nothing.to_owned()
                        } else if matches.more > 0 {
                            more.run(matches.more)
                        } else {
                            String::new()
                        }
                    }}
                </p>
            </div>
        </div>
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Matches {
    pub shown: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

/// Options that hold every word of the query, whatever their case.
pub(crate) fn find(options: &[String], query: &str) -> Matches {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let mut found = Matches::default();
    for option in options {
        let lower = option.to_lowercase();
        if words.iter().all(|word| lower.contains(word)) {
            if found.shown.len() < SHOWN {
                found.shown.push(option.clone());
            } else {
                found.more += 1;
            }
        }
    }
    found
}

/// One further, and around the ends.
fn next_active(active: Option<usize>, count: usize, down: bool) -> Option<usize> {
    if count == 0 {
        return None;
    }
    Some(match (active, down) {
        (None, true) => 0,
        (None, false) => count - 1,
        (Some(at), true) => (at + 1) % count,
        (Some(at), false) => (at + count - 1) % count,
    })
}

fn nearest() -> web_sys::ScrollIntoViewOptions {
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
    options
}

#[cfg(test)]
mod tests {
    use super::{SHOWN, find, next_active};

    #[test]
    fn every_word_counts_in_any_case_and_order() {
        let options = ["local-a/Qwen3-0.6B", "local-b/qwen3-32b", "jev/jev-latest"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(find(&options, "").shown.len(), 3);
        assert_eq!(find(&options, "qwen3").shown.len(), 2);
        assert_eq!(find(&options, "32B local").shown, ["local-b/qwen3-32b"]);
        assert!(find(&options, "gemma").shown.is_empty());
    }

    #[test]
    fn only_the_first_are_shown_and_the_rest_counted() {
        let options: Vec<String> = (0..10_000).map(|n| format!("p/m{n}")).collect();
        let found = find(&options, "m");
        assert_eq!((found.shown.len(), found.more), (SHOWN, 10_000 - SHOWN));
    }

    #[test]
    fn arrows_go_around() {
        assert_eq!(next_active(None, 3, true), Some(0));
        assert_eq!(next_active(None, 3, false), Some(2));
        assert_eq!(next_active(Some(2), 3, true), Some(0));
        assert_eq!(next_active(Some(0), 3, false), Some(2));
        assert_eq!(next_active(None, 0, true), None);
    }
}
