//! One number over time: a chart, and all of its values as a table.

use leptos::prelude::*;

use crate::api::usage::{Step, Usage, UsageQuery};
use crate::components::chart::{Chart, Series, largest};
use crate::components::choice::Choice;
use crate::components::figures::grouped;
use crate::i18n::{Locale, text, use_locale};

use super::chosen::{Chosen, Measure};
use super::clock::{label, use_in_browser};
use super::numbers::Numbers;
use super::words::{measure_name, row_name, short};

#[component]
pub(super) fn OverTime(query: UsageQuery, usage: Usage, chosen: Chosen) -> impl IntoView {
    let locale = use_locale();
    let in_browser = use_in_browser();
    let (step, by) = (query.step, query.by);
    let begins = usage.steps.clone();
    let labels = Memo::new({
        let steps = begins.clone();
        move |_| {
            let in_browser = in_browser.get();
            let labels = steps
                .iter()
                .map(|at| label(locale, *at, &query, in_browser));
            labels.collect::<Vec<_>>()
        }
    });
    let drawing = move || {
        let measure = chosen.measure.get();
        let rows = usage.rows.iter().map(|row| Series {
            name: row_name(locale, by, &row.name),
            values: row.steps.iter().map(|counts| measure.of(counts)).collect(),
        });
        let series = largest(rows.collect(), text!(locale, usage.others));
        if series.is_empty() {
            let nothing = match measure {
                Measure::Requests => text!(locale, usage.no_requests),
                Measure::Errors => text!(locale, usage.no_errors),
                Measure::Tokens => text!(locale, usage.no_tokens),
            };
            return view! { <p class="usage-nothing">{nothing}</p> }.into_any();
        }
        let unit = unit(locale, measure, step);
        view! {
            <Chart
                id="usage-chart"
                summary=summary(locale, &unit, &series)
                unit
                series=series.clone()
                labels
                short
            />
            <Numbers begins=begins.clone() series labels />
        }
        .into_any()
    };

    view! {
        <section class="panel" aria-labelledby="usage-over-time">
            <div class="usage-head">
                <h2 class="panel-title" id="usage-over-time">
                    {text!(locale, usage.over_time)}
                </h2>
                <Choice
                    label=text!(locale, usage.measure)
                    unlabelled=true
                    name="usage-measure"
                    options=[Measure::Requests, Measure::Errors, Measure::Tokens]
                        .map(|measure| (measure, measure_name(locale, measure)))
                        .to_vec()
                    value=chosen.measure
                />
            </div>
            {drawing}
        </section>
    }
}

fn unit(locale: Locale, measure: Measure, step: Step) -> String {
    let what = measure_name(locale, measure);
    match step {
        Step::Hour => text!(locale, usage.per_hour, what = what),
        Step::Day => text!(locale, usage.per_day, what = what),
    }
}

/// What the chart shows, in a sentence.
fn summary(locale: Locale, unit: &str, series: &[Series]) -> String {
    let steps = series.iter().map(|one| one.values.len()).max();
    let of_step = |step: usize| -> u64 {
        let values = series.iter().filter_map(|one| one.values.get(step));
        values.sum()
    };
    let sums: Vec<u64> = (0..steps.unwrap_or_default()).map(of_step).collect();
    let most = sums.iter().max().copied().unwrap_or_default();
    text!(
        locale,
        usage.summary,
        unit = unit,
        total = grouped(sums.iter().sum()),
        most = grouped(most)
    )
}
