//! What a request's time went into: one line for each stretch, all on the same scale.

use leptos::prelude::*;

use crate::api::request::RequestRecord;
use crate::components::figures::took;
use crate::i18n::{text, use_locale};

use super::spans::{Span, What, spans};

/// Of the drawing, from the request's beginning to its end.
const WIDTH: f64 = 1_000.0;

/// What is over at once can still be seen.
const LEAST: f64 = 4.0;

#[component]
pub(super) fn Timeline(record: RequestRecord) -> impl IntoView {
    let locale = use_locale();
    let duration = record.duration_ms;
    let targets: Vec<String> = record
        .attempts
        .iter()
        .map(|attempt| attempt.target.clone())
        .collect();
    let lines = spans(&record)
        .into_iter()
        .map(|span| {
            let target = match span.what {
                What::Attempt(place) => targets.get(place).cloned(),
                _ => None,
            };
            view! { <Line span target duration /> }
        })
        .collect_view();
    view! {
        <section class="panel" aria-labelledby="timeline-title">
            <h2 class="panel-title" id="timeline-title">
                {text!(locale, timeline.title)}
            </h2>
            <ol class="timeline">{lines}</ol>
            <p class="panel-about">
                {text!(locale, timeline.in_all, time = took(locale, duration))}
            </p>
        </section>
    }
}

#[component]
fn Line(span: Span, target: Option<String>, duration: u64) -> impl IntoView {
    let locale = use_locale();
    let Span { what, from, to } = span;
    let name = match what {
        What::Read => text!(locale, timeline.read).to_owned(),
        What::Decide => text!(locale, timeline.decide).to_owned(),
        What::Attempt(_) => {
            let name = target.unwrap_or_default();
            text!(locale, timeline.attempt, name = name)
        }
        What::FirstByte => text!(locale, timeline.first_byte).to_owned(),
        What::Stream => text!(locale, timeline.stream).to_owned(),
    };
    let (class, time) = match what {
        What::Read | What::Decide => ("span-before", took(locale, to - from)),
        What::Attempt(_) => ("span-attempt", took(locale, to - from)),
        What::FirstByte => {
            let at = took(locale, to);
            ("span-moment", text!(locale, timeline.at, time = at))
        }
        What::Stream => ("span-stream", took(locale, to - from)),
    };
    let scale = WIDTH / duration.max(1) as f64;
    let width = ((to - from) as f64 * scale).max(LEAST);
    let x = (from as f64 * scale).min(WIDTH - width);
    view! {
        <li class="timeline-line">
            <span class="timeline-name" title=name>
                {name.clone()}
            </span>
            <svg viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">
                <rect
                    class=class
                    x=format!("{x:.1}")
                    y="0"
                    width=format!("{width:.1}")
                    height="8"
                />
            </svg>
            <span class="timeline-time">{time}</span>
        </li>
    }
}
