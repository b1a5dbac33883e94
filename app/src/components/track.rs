//! The track diagram: a line that leaves a route's name and branches to its targets and their
//! instances. A branch is as wide as its share, and ends in a signal lamp.
//!
//! The lines are one SVG beside ordinary text, so names wrap, copy and read like any text. Rows have
//! fixed heights, which `style/components/track.css` repeats.

use leptos::prelude::*;

mod branches;
mod geometry;

pub(crate) use branches::{Branch, branches};
use geometry::{Size, Strand, strands};

/// In a list's row: no text of its own but the models' names.
#[component]
pub(crate) fn SmallTrack(
    branches: Vec<Branch>,
    /// What the lines say, in words.
    label: String,
) -> impl IntoView {
    view! {
        <div class="track small">
            <Lines size=Size::SMALL branches=branches.clone() label />
            <ul>
                {branches
                    .into_iter()
                    .map(|branch| {
                        let dark = !branch.lit;
                        view! {
                            <li class:dark=dark>
                                <Name branch />
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </div>
    }
}

/// Beside an editor: with every share and instance.
#[component]
pub(crate) fn LargeTrack(branches: Vec<Branch>, label: String) -> impl IntoView {
    view! {
        <div class="track large">
            <Lines size=Size::LARGE branches=branches.clone() label />
            <ul>
                {branches
                    .into_iter()
                    .map(|branch| {
                        let share = percent(branch.share.target);
                        let each = percent(branch.share.instance);
                        let instances = (branch.instances.len() > 1)
                            .then(|| {
                                let items = branch
                                    .instances
                                    .iter()
                                    .map(|url| {
                                        view! {
                                            <li>
                                                <span class="track-url">{url.clone()}</span>
                                                <span class="track-share">{each.clone()}</span>
                                            </li>
                                        }
                                    })
                                    .collect_view();
                                view! { <ul>{items}</ul> }
                            });
                        let dark = !branch.lit;
                        view! {
                            <li class:dark=dark>
                                <div class="track-target">
                                    <Name branch />
                                    <span class="track-share">{share}</span>
                                </div>
                                {instances}
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </div>
    }
}

#[component]
fn Name(branch: Branch) -> impl IntoView {
    let full = format!("{}/{}", branch.provider, branch.model);
    view! {
        <span class="track-name" title=full>
            <span class="track-model">{branch.model}</span>
            <span class="track-provider">{branch.provider}</span>
        </span>
    }
}

#[component]
fn Lines(size: Size, branches: Vec<Branch>, label: String) -> impl IntoView {
    let drawing = strands(size, &branches);
    let view_box = format!("0 0 {} {}", size.width, drawing.height);
    let lamps = drawing
        .strands
        .iter()
        .map(|strand| lamp(size, strand))
        .collect_view();
    let lines = drawing
        .strands
        .iter()
        .map(|strand| {
            view! {
                <path
                    class="track-line"
                    class:dark=!strand.lit
                    d=strand.path.clone()
                    stroke-width=strand.width.to_string()
                />
            }
        })
        .collect_view();
    view! {
        <svg
            class="track-lines"
            viewBox=view_box
            width=size.width.to_string()
            height=drawing.height.to_string()
            role="img"
            aria-label=label
        >
            {lines}
            {lamps}
        </svg>
    }
}

/// Filled when lit, hollow when dark: readable without colour.
fn lamp(size: Size, strand: &Strand) -> impl IntoView + use<> {
    view! {
        <circle
            class="track-lamp"
            class:dark=!strand.lit
            cx=strand.end.0.to_string()
            cy=strand.end.1.to_string()
            r=if strand.minor { size.lamp * 0.7 } else { size.lamp }.to_string()
        />
    }
}

/// Whole per cents, or one decimal where a whole number would mislead.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent == 0.0 {
        return "0 %".to_owned();
    }
    if percent < 0.1 {
        return "< 0.1 %".to_owned();
    }
    let tenths = (percent * 10.0).round() / 10.0;
    format!("{tenths} %")
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn per_cents_are_short_and_true() {
        for (share, text) in [
            (0.0, "0 %"),
            (0.25, "25 %"),
            (1.0 / 3.0, "33.3 %"),
            (1.0, "100 %"),
            (0.000_001, "< 0.1 %"),
            (0.999_99, "100 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }
}
