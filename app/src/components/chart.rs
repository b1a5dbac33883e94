//! Stacked bars over time, with a value axis, a label below the steps and a legend.
//!
//! Heights are pixels and widths per cents, so that nothing is stretched however wide the page is.
//! A series is told by its pattern as well as by its colour.

use leptos::prelude::*;

mod fill;
mod geometry;

use fill::{Fills, Swatch};
use geometry::{AXIS, Bars, HEIGHT, PLOT, Scale, label_at, y_of};
pub(crate) use geometry::{Series, largest};

#[component]
pub(crate) fn Chart(
    /// Of the chart on its page.
    id: &'static str,
    /// What it shows, for those who do not see it.
    summary: String,
    /// What the value axis counts.
    unit: String,
    /// At most as many as there are fills; the first stands at the bottom.
    series: Vec<Series>,
    /// Of each step.
    labels: Memo<Vec<String>>,
    /// A number of the value axis in short.
    short: fn(u64) -> String,
) -> impl IntoView {
    let bars = Bars::of(&series);
    let scale = Scale::of(bars.most());
    let ticks = scale.ticks();
    let numbers = ticks.iter().map(|tick| {
        let y = (y_of(*tick, &scale) + 4.0).to_string();
        view! {
            <text x={(AXIS - 8).to_string()} y=y text-anchor="end">
                {short(*tick)}
            </text>
        }
    });
    let lines = ticks.iter().map(|tick| {
        let y = y_of(*tick, &scale).to_string();
        view! { <line class="chart-line" x1="0" x2="100%" y1=y.clone() y2=y /> }
    });
    let parts = bars.parts(&scale).into_iter().map(|part| {
        view! {
            <rect
                class="chart-part"
                x=part.x
                width=part.width
                y=part.y.to_string()
                height=part.height.to_string()
                fill=format!("url(#{id}-{})", part.series)
            />
        }
    });
    let words = bars.count();
    let told = StoredValue::new(series.clone());
    let hits = (0..words).map(|step| view! { <Hit step of=words series=told labels /> });
    let marks = (0..words).filter_map(|step| {
        let label = label_at(step, words)?;
        let text = move || labels.read().get(step).cloned();
        Some(view! {
            <text
                class="chart-label"
                class:minor=label.minor
                x=label.x
                y={(HEIGHT - 6).to_string()}
                text-anchor="middle"
            >
                {text}
            </text>
        })
    });

    view! {
        <figure class="chart">
            <p class="chart-unit" aria-hidden="true">
                {unit}
            </p>
            <div class="chart-drawing" role="img" aria-label=summary>
                <svg class="chart-axis" width=AXIS.to_string() height=HEIGHT.to_string()>
                    <Fills id />
                    {numbers.collect_view()}
                </svg>
                <svg class="chart-plot" width="100%" height=HEIGHT.to_string()>
                    {lines.collect_view()}
                    {parts.collect_view()}
                    {marks.collect_view()}
                    {hits.collect_view()}
                </svg>
            </div>
            <ul class="legend">
                {series
                    .into_iter()
                    .enumerate()
                    .map(|(place, series)| {
                        view! {
                            <li>
                                <Swatch chart=id fill=place />
                                <span class="chart-name">{series.name}</span>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </figure>
    }
}

/// The room of one step: says its numbers when pointed at.
#[component]
fn Hit(
    step: usize,
    /// How many steps there are.
    of: usize,
    series: StoredValue<Vec<Series>>,
    labels: Memo<Vec<String>>,
) -> impl IntoView {
    let width = 100.0 / of as f64;
    let words = move || {
        let mut words = labels.read().get(step).cloned().unwrap_or_default();
        series.with_value(|series| {
            for one in series {
                match one.values.get(step) {
                    Some(0) | None => {}
                    Some(value) => words.push_str(&format!("\n{}: {value}", one.name)),
                }
            }
        });
        words
    };
    view! {
        <rect
            class="chart-hit"
            x=format!("{:.3}%", width * step as f64)
            width=format!("{width:.3}%")
            y="0"
            height=PLOT.to_string()
        >
            <title>{words}</title>
        </rect>
    }
}
