//! The track diagram: a line that leaves a route's name and branches to its targets and their
//! instances. A branch is as wide as its share, and ends in a signal lamp.
//!
//! The lines are one SVG beside ordinary text, so names wrap, copy and read like any text. Rows have
//! fixed heights, which `style/components/track.css` repeats.

use leptos::prelude::*;

mod branches;
mod geometry;

pub(crate) use branches::{Branch, branches};
use geometry::{Drawing, Strand, fan, ladder};

/// In a list's row, with the targets' names.
#[component]
pub(crate) fn SmallTrack(
    branches: Vec<Branch>,
    /// What the lines say, in words.
    label: String,
) -> impl IntoView {
    let drawing = fan::draw(&branches);
    view! {
        <div class="track small">
            <Lines drawing label />
            <ul>{branches.into_iter().map(small_target).collect_view()}</ul>
        </div>
    }
}

fn small_target(branch: Branch) -> impl IntoView {
    view! {
        <li class:dark=!branch.lit>
            <Name provider=branch.provider model=branch.model />
        </li>
    }
}

/// Beside an editor: with every share and instance.
#[component]
pub(crate) fn LargeTrack(
    branches: Vec<Branch>,
    /// What the lines say, in words.
    label: String,
) -> impl IntoView {
    let drawing = ladder::draw(&branches);
    view! {
        <div class="track large">
            <Lines drawing label />
            <ul>{branches.into_iter().map(large_target).collect_view()}</ul>
        </div>
    }
}

fn large_target(branch: Branch) -> impl IntoView {
    let each = percent(branch.share.instance);
    let instances = branch
        .instances
        .iter()
        .map(|url| {
            view! {
                <li>
                    <span class="track-url" title=url.clone()>
                        {host(url).to_owned()}
                    </span>
                    <span class="track-share">{each.clone()}</span>
                </li>
            }
        })
        .collect_view();
    view! {
        <li class:dark=!branch.lit>
            <div class="track-target">
                <Name provider=branch.provider model=branch.model />
                <span class="track-share">{percent(branch.share.target)}</span>
            </div>
            {(!instances.is_empty()).then(|| view! { <ul>{instances}</ul> })}
        </li>
    }
}

#[component]
fn Name(provider: String, model: String) -> impl IntoView {
    let full = format!("{provider}/{model}");
    view! {
        <span class="track-name" title=full>
            <span class="track-model">{model}</span>
            <span class="track-provider">{provider}</span>
        </span>
    }
}

#[component]
fn Lines(drawing: Drawing, label: String) -> impl IntoView {
    let Drawing {
        width,
        height,
        strands,
        station: [x, y, w, h],
    } = drawing;
    let dark = !strands.iter().any(|strand| strand.lit);
    let lamps = strands.iter().map(lamp).collect_view();
    let lines = strands.into_iter().map(line).collect_view();
    view! {
        <svg
            class="track-lines"
            viewBox=format!("0 0 {width} {height}")
            width=width.to_string()
            height=height.to_string()
            role="img"
            aria-label=label
        >
            {lines}
            <rect
                class="track-station"
                class:dark=dark
                x=x.to_string()
                y=y.to_string()
                width=w.to_string()
                height=h.to_string()
                rx="1.5"
            />
            {lamps}
        </svg>
    }
}

fn line(strand: Strand) -> impl IntoView {
    view! {
        <path
            class="track-line"
            class:dark=!strand.lit
            d=strand.path
            stroke-width=strand.width.to_string()
        />
    }
}

/// Filled when lit, hollow when dark: readable without colour.
fn lamp(strand: &Strand) -> impl IntoView + use<> {
    let (x, y) = strand.end;
    view! {
        <circle
            class="track-lamp"
            class:dark=!strand.lit
            cx=x.to_string()
            cy=y.to_string()
            r=strand.lamp.to_string()
        />
    }
}

/// What tells one instance from another.
fn host(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| rest)
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
    use super::{host, percent};

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

    #[test]
    fn a_host_is_what_follows_the_scheme() {
        assert_eq!(host("http://10.0.0.1:8000/v1"), "10.0.0.1:8000/v1");
        assert_eq!(host("10.0.0.1"), "10.0.0.1");
    }
}
