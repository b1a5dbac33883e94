//! What a decision service gives each model, as bars.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::components::track::percent;

#[component]
pub(crate) fn Probabilities(
    /// By model, each from 0 to 1.
    of: BTreeMap<String, f64>,
) -> impl IntoView {
    let mut probabilities: Vec<(String, f64)> = of.into_iter().collect();
    probabilities.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let bars = probabilities.into_iter().map(|(model, probability)| {
        view! {
            <li>
                <span class="bar-name" title=model.clone()>
                    {model.clone()}
                </span>
                <meter
                    class="bar"
                    min="0"
                    max="1"
                    value=probability.to_string()
                    aria-label=model
                >
                    {percent(probability)}
                </meter>
                <span class="bar-value">{percent(probability)}</span>
            </li>
        }
    });
    view! { <ul class="bars">{bars.collect_view()}</ul> }
}
