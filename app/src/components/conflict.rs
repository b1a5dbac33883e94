//! Somebody else saved meanwhile: shows what differs, and lets one choose.

use leptos::prelude::*;

use crate::components::dialog::Dialog;
use crate::components::leaving::use_leaving;
use crate::i18n::{text, use_locale};

/// One field that is not the same in both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub field: &'static str,
    /// What is stored now. Lines, where there are several.
    pub theirs: String,
    /// What is typed here.
    pub mine: String,
}

impl Difference {
    /// Nothing where both are alike.
    pub(crate) fn between(field: &'static str, theirs: String, mine: String) -> Option<Self> {
        (theirs != mine).then_some(Self {
            field,
            theirs,
            mine,
        })
    }
}

#[component]
pub(crate) fn Conflict(
    differences: Vec<Difference>,
    /// Saves what is typed here over the other edit.
    #[prop(into)]
    on_mine: Callback<()>,
    /// Goes on editing.
    #[prop(into)]
    on_close: Callback<()>,
) -> impl IntoView {
    let locale = use_locale();
    let leaving = use_leaving();
    let same = differences.is_empty();
    let rows = differences
        .into_iter()
        .map(|difference| {
            view! {
                <tr>
                    <th scope="row">{difference.field}</th>
                    <td data-label=text!(locale, conflict.theirs)>
                        <Value value=difference.theirs />
                    </td>
                    <td data-label=text!(locale, conflict.mine)>
                        <Value value=difference.mine />
                    </td>
                </tr>
            }
        })
        .collect_view();

    view! {
        <Dialog id="conflict" title=text!(locale, conflict.title) wide=true on_close let:close>
            <p class="dialog-text">
                {if same { text!(locale, conflict.same) } else { text!(locale, conflict.about) }}
            </p>
            {(!same)
                .then(|| {
                    view! {
                        <div class="table-box">
                            <table class="table conflict-table">
                                <thead>
                                    <tr>
                                        <td></td>
                                        <th scope="col">{text!(locale, conflict.theirs)}</th>
                                        <th scope="col">{text!(locale, conflict.mine)}</th>
                                    </tr>
                                </thead>
                                <tbody>{rows}</tbody>
                            </table>
                        </div>
                    }
                })}
            <div class="dialog-actions">
                <button class="button" type="button" on:click=move |_| close.run(())>
                    {text!(locale, conflict.edit)}
                </button>
                <button
                    class="button"
                    type="button"
                    on:click=move |_| {
                        close.run(());
                        if let Some(leaving) = leaving {
                            leaving.discard_and_reload();
                        }
                    }
                >
                    {text!(locale, conflict.take_theirs)}
                </button>
                <button
                    class="button primary"
                    type="button"
                    on:click=move |_| {
                        close.run(());
                        on_mine.run(());
                    }
                >
                    {text!(locale, conflict.save_mine)}
                </button>
            </div>
        </Dialog>
    }
}

#[component]
fn Value(value: String) -> impl IntoView {
    if value.is_empty() {
        let nothing = text!(use_locale(), conflict.nothing);
        return view! { <span class="muted">{nothing}</span> }.into_any();
    }
    view! { <span class="conflict-value">{value}</span> }.into_any()
}
