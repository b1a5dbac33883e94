//! All values of the chart as a table, for whoever wants them.

use chrono::{DateTime, Utc};
use leptos::prelude::*;

use crate::components::chart::Series;
use crate::components::figures::grouped;
use crate::i18n::{text, use_locale};

#[component]
pub(super) fn Numbers(
    /// When each step begins.
    begins: Vec<DateTime<Utc>>,
    series: Vec<Series>,
    labels: Memo<Vec<String>>,
) -> impl IntoView {
    let locale = use_locale();
    let heads = series.iter().map(|one| {
        let name = one.name.clone();
        view! {
            <th class="number" scope="col">
                {name}
            </th>
        }
    });
    let heads = heads.collect_view();
    let rows = begins.into_iter().enumerate().map(|(step, at)| {
        let label = move || labels.read().get(step).cloned();
        let values = series.iter().map(|one| {
            let value = one.values.get(step).copied().unwrap_or_default();
            view! { <td class="number">{grouped(value)}</td> }
        });
        view! {
            <tr>
                <th scope="row">
                    <time datetime=at.to_rfc3339()>{label}</time>
                </th>
                {values.collect_view()}
            </tr>
        }
    });

    view! {
        <details class="usage-numbers">
            <summary>{text!(locale, usage.numbers)}</summary>
            <div
                class="usage-scroll"
                tabindex="0"
                role="region"
                aria-label=text!(locale, usage.numbers)
            >
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col">{text!(locale, usage.column_time)}</th>
                            {heads}
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </details>
    }
}
