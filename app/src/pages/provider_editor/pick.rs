//! Which of the models that the upstream lists are wanted.

use std::collections::HashSet;

use leptos::prelude::*;

use crate::components::dialog::Dialog;
use crate::i18n::{text, use_locale};

use super::form::ProviderForm;

/// How many are in the page at once; a filter finds the others.
const SHOWN: usize = 200;
/// So few are wanted all, most likely.
const FEW: usize = 10;

#[component]
pub(super) fn PickModels(
    form: ProviderForm,
    names: Vec<String>,
    #[prop(into)] on_close: Callback<()>,
) -> impl IntoView {
    let locale = use_locale();
    let names: Vec<String> = {
        let list = form.models.list.read_untracked();
        let known: HashSet<&str> = list.iter().map(|row| &*row.of.name).collect();
        let new = names.into_iter().filter(|name| !known.contains(&**name));
        new.collect()
    };
    let nothing_new = names.is_empty();
    let picked: RwSignal<HashSet<String>> = RwSignal::new(if names.len() <= FEW {
        names.iter().cloned().collect()
    } else {
        HashSet::new()
    });
    let names = StoredValue::new(names);
    let filter = RwSignal::new(String::new());
    let matching = Memo::new(move |_| {
        let filter = filter.read().to_lowercase();
        names.with_value(|names| {
            let found = names
                .iter()
                .filter(|name| name.to_lowercase().contains(&*filter));
            found.cloned().collect::<Vec<_>>()
        })
    });
    let shown = move || {
        matching
            .read()
            .iter()
            .take(SHOWN)
            .cloned()
            .collect::<Vec<_>>()
    };
    let more = move || matching.read().len().saturating_sub(SHOWN);
    let all_picked = Memo::new(move |_| {
        let picked = picked.read();
        matching.read().iter().all(|name| picked.contains(name))
    });
    let toggle_all = move || {
        let all = all_picked.get_untracked();
        let matching = matching.get_untracked();
        picked.update(|picked| {
            for name in matching {
                if all {
                    picked.remove(&name);
                } else {
                    picked.insert(name);
                }
            }
        });
    };
    let add = move || {
        let picked = picked.get_untracked();
        let wanted = names.with_value(|names| {
            let wanted = names.iter().filter(|name| picked.contains(*name));
            wanted.cloned().collect::<Vec<_>>()
        });
        form.add_models(wanted.into_iter().map(|name| {
            let category = form.guess(&name);
            (name, category, None)
        }));
    };

    view! {
        <Dialog id="pick-models" title=text!(locale, provider.pick) on_close let:close>
            {if nothing_new {
                view! {
                    <p>{text!(locale, provider.nothing_new)}</p>
                    <div class="dialog-actions">
                        <button class="button" type="button" on:click=move |_| close.run(())>
                            {text!(locale, providers.close)}
                        </button>
                    </div>
                }
                    .into_any()
            } else {
                view! {
                    <div class="row-add">
                        <input
                            class="input"
                            type="search"
                            aria-label=text!(locale, provider.filter)
                            placeholder=text!(locale, provider.filter)
                            autocomplete="off"
                            on:input=move |event| filter.set(event_target_value(&event))
                        />
                        <button class="button" type="button" on:click=move |_| toggle_all()>
                            {move || {
                                if all_picked.get() {
                                    text!(locale, provider.pick_none)
                                } else {
                                    text!(locale, provider.pick_all)
                                }
                            }}
                        </button>
                    </div>
                    <ul class="checks">
                        <For each=shown key=|name| name.clone() let:name>
                            <Choice name picked />
                        </For>
                    </ul>
                    <p class="panel-about" hidden=move || more() == 0>
                        {move || text!(locale, provider.more_models, count = more())}
                    </p>
                    <div class="dialog-actions">
                        <button class="button" type="button" on:click=move |_| close.run(())>
                            {text!(locale, form.cancel)}
                        </button>
                        <button
                            class="button primary"
                            type="button"
                            disabled=move || picked.read().is_empty()
                            on:click=move |_| {
                                add();
                                close.run(());
                            }
                        >
                            {move || text!(locale, provider.pick_add, count = picked.read().len())}
                        </button>
                    </div>
                }
                    .into_any()
            }}
        </Dialog>
    }
}

#[component]
fn Choice(name: String, picked: RwSignal<HashSet<String>>) -> impl IntoView {
    let of_row = name.clone();
    let is_picked = {
        let name = name.clone();
        move || picked.read().contains(&name)
    };
    view! {
        <li>
            <label class="check">
                <input
                    type="checkbox"
                    prop:checked=is_picked
                    on:change=move |event| {
                        let checked = event_target_checked(&event);
                        picked
                            .update(|picked| {
                                if checked {
                                    picked.insert(of_row.clone());
                                } else {
                                    picked.remove(&of_row);
                                }
                            });
                    }
                />
                <span>{name}</span>
            </label>
        </li>
    }
}
