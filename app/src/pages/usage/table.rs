//! What each route, target or key came to, over the whole time; and all of it to take away.

use leptos::prelude::*;

use crate::api::price::Amount;
use crate::api::usage::{Counts, UsageQuery, UsageRow};
use crate::components::figures::grouped;
use crate::components::track::percent;
use crate::i18n::{text, use_locale};

use super::chosen::export_address;
use super::words::{by_name, money, row_name};

#[component]
pub(super) fn UsageTable(query: UsageQuery, rows: Vec<UsageRow>) -> impl IntoView {
    let locale = use_locale();
    let by = query.by;
    let mut all = Counts::default();
    for row in &rows {
        all.add(row.total);
    }
    let several = rows.len() > 1;
    // Without prices there is none.
    let has_cost = all.cost > Amount::default();
    let rows = rows.into_iter().map(|row| {
        let UsageRow { name, total, .. } = row;
        let unnamed = name.is_empty();
        view! {
            <tr>
                <th class="cell-name" class:muted=unnamed scope="row">
                    {row_name(locale, by, &name)}
                </th>
                <Cells counts=total has_cost />
            </tr>
        }
    });

    view! {
        <section class="usage-totals" aria-labelledby="usage-totals">
            <div class="usage-head">
                <h2 class="panel-title" id="usage-totals">
                    {text!(locale, usage.totals)}
                </h2>
                <a class="button small" href=export_address(&query) download="">
                    {text!(locale, usage.export)}
                </a>
            </div>
            <div class="table-box">
                <table class="table usage-table">
                    <thead>
                        <tr>
                            <th scope="col">{by_name(locale, by)}</th>
                            <th class="number" scope="col">
                                {text!(locale, usage.requests)}
                            </th>
                            <th class="number" scope="col">
                                {text!(locale, usage.errors)}
                            </th>
                            <th class="number" scope="col">
                                {text!(locale, usage.column_input)}
                            </th>
                            <th class="number" scope="col">
                                {text!(locale, usage.column_output)}
                            </th>
                            <th class="number" scope="col">
                                {text!(locale, usage.column_uncounted)}
                            </th>
                            {has_cost
                                .then(|| {
                                    view! {
                                        <th class="number" scope="col">
                                            {text!(locale, usage.column_cost)}
                                        </th>
                                    }
                                })}
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                    {several
                        .then(|| {
                            view! {
                                <tfoot>
                                    <tr>
                                        <th class="cell-name" scope="row">
                                            {text!(locale, usage.all)}
                                        </th>
                                        <Cells counts=all has_cost />
                                    </tr>
                                </tfoot>
                            }
                        })}
                </table>
            </div>
        </section>
    }
}

/// The numbers of one row. What is part of another number stands below it.
#[component]
fn Cells(counts: Counts, has_cost: bool) -> impl IntoView {
    let locale = use_locale();
    let Counts {
        requests,
        errors,
        input,
        output,
        cached,
        reasoning,
        uncounted,
        cost,
    } = counts;
    let rate = errors as f64 / requests.max(1) as f64;
    let part = |words: Option<String>| {
        words.map(|words| view! { <span class="usage-part">{words}</span> })
    };
    let of_cache = (cached > 0).then(|| text!(locale, usage.cached, count = grouped(cached)));
    let thought =
        (reasoning > 0).then(|| text!(locale, usage.reasoning, count = grouped(reasoning)));
    let unknown = match uncounted {
        0 => text!(locale, usage.all_counted).to_owned(),
        count => text!(locale, usage.unknown, count = grouped(count)),
    };
    view! {
        <td class="number" data-label=text!(locale, usage.requests)>
            <span>{grouped(requests)}</span>
        </td>
        <td class="number" data-label=text!(locale, usage.errors)>
            <span class:failed={errors > 0}>{grouped(errors)}</span>
            {part(Some(percent(rate)))}
        </td>
        <td class="number" data-label=text!(locale, usage.column_input)>
            <span>{grouped(input)}</span>
            {part(of_cache)}
        </td>
        <td class="number" data-label=text!(locale, usage.column_output)>
            <span>{grouped(output)}</span>
            {part(thought)}
        </td>
        <td class="number" data-label=text!(locale, usage.column_uncounted)>
            <span class:muted={uncounted == 0}>{unknown}</span>
        </td>
        {has_cost
            .then(|| {
                view! {
                    <td class="number" data-label=text!(locale, usage.column_cost)>
                        <span>{money(cost)}</span>
                    </td>
                }
            })}
    }
}
