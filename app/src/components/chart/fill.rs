//! What tells series apart: a colour, and a pattern for those who do not see colours.

use leptos::prelude::*;

/// How many there are. The last is for all that is left over.
pub(super) const FILLS: usize = 8;

/// What is drawn over the colour, on a square of 8 pixels.
const MARKS: [&str; FILLS] = [
    "",
    "M-1 1 1-1M0 8 8 0M7 9 9 7",
    "M2 1.2v1.6M6 5.2v1.6",
    "M0 2h8M0 6h8",
    "M-1 7 1 9M0 0 8 8M7-1 9 1",
    "M2 0v8M6 0v8",
    "M0 0 8 8M0 8 8 0",
    "M4 3.5v1",
];

/// The fills of one chart, to be named in its `fill` attributes.
#[component]
pub(super) fn Fills(id: &'static str) -> impl IntoView {
    let fills = MARKS.into_iter().enumerate().map(|(place, marks)| {
        view! {
            <pattern
                id=format!("{id}-{place}")
                width="8"
                height="8"
                patternUnits="userSpaceOnUse"
            >
                <rect class=format!("series-{place}") width="8" height="8" />
                <path class="chart-mark" d=marks />
            </pattern>
        }
    });
    view! { <defs>{fills.collect_view()}</defs> }
}

/// A series' fill beside its name.
#[component]
pub(super) fn Swatch(
    /// The chart's id.
    chart: &'static str,
    fill: usize,
) -> impl IntoView {
    view! {
        <svg class="swatch" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            <rect width="12" height="12" rx="2" fill=format!("url(#{chart}-{fill})") />
        </svg>
    }
}
