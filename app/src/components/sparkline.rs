//! A few numbers over time as one small line of bars.

use leptos::prelude::*;

const HEIGHT: f64 = 16.0;
const STEP: f64 = 1.5;
const BAR: f64 = 1.0;

#[component]
pub(crate) fn Sparkline(values: Vec<u32>, label: String) -> impl IntoView {
    let width = values.len() as f64 * STEP;
    view! {
        <svg
            class="sparkline"
            role="img"
            aria-label=label
            width=width
            height=HEIGHT
            viewBox=format!("0 0 {width} {HEIGHT}")
        >
            <path class="sparkline-ground" d=format!("M0 {HEIGHT}h{width}") />
            <path class="sparkline-bars" d=bars(&values) />
        </svg>
    }
}

/// One bar a value, the largest as high as all of it; what is not 0 can be seen.
fn bars(values: &[u32]) -> String {
    const LEAST: f64 = 1.0;
    let most = values.iter().copied().max().unwrap_or_default();
    let bars = values.iter().enumerate().filter(|(_, value)| **value > 0);
    bars.map(|(place, value)| {
        let height = (f64::from(*value) / f64::from(most) * HEIGHT).max(LEAST);
        let from = place as f64 * STEP;
        format!("M{from} {HEIGHT}v-{height:.1}h{BAR}v{height:.1}z")
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_as_high_as_all_of_it() {
        assert_eq!(bars(&[]), "");
        assert_eq!(bars(&[0, 0]), "");
        assert_eq!(bars(&[4, 0, 2]), "M0 16v-16.0h1v16.0zM3 16v-8.0h1v8.0z");
        assert_eq!(bars(&[1_000, 1]), "M0 16v-16.0h1v16.0zM1.5 16v-1.0h1v1.0z");
    }
}
