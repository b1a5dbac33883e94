//! What came of other weights: how many requests would have moved, from where to where, and which.

use leptos::prelude::*;

use crate::api::request::{Moved, Place, WhatIfAnswer, WhatIfTarget};
use crate::components::figures::grouped;
use crate::components::time::Time;
use crate::components::track::percent;
use crate::i18n::{text, use_locale};
use crate::paths;

#[component]
pub(super) fn Answer(answer: WhatIfAnswer) -> impl IntoView {
    let locale = use_locale();
    let WhatIfAnswer {
        looked_at,
        replayed,
        moved,
        targets,
        examples,
    } = answer;
    let share = match replayed {
        0 => 0.0,
        replayed => moved as f64 / replayed as f64,
    };
    let most = targets
        .iter()
        .map(|target| target.before.max(target.after))
        .max();
    let most = most.unwrap_or_default();
    let rows = targets
        .into_iter()
        .map(|target| view! { <Target target most /> })
        .collect_view();
    let instances_differ = examples
        .iter()
        .any(|moved| moved.from.target == moved.to.target);
    let examples: Vec<_> = examples
        .into_iter()
        .map(|moved| view! { <Example moved with_instance=instances_differ /> })
        .collect();
    view! {
        <section class="panel" aria-labelledby="moved-title">
            <h2 class="panel-title" id="moved-title">
                {text!(locale, what_if.answer)}
            </h2>
            <dl class="sums">
                <div>
                    <dt>{text!(locale, what_if.looked_at)}</dt>
                    <dd>{grouped(looked_at)}</dd>
                </div>
                <div>
                    <dt>{text!(locale, what_if.replayed)}</dt>
                    <dd>{grouped(replayed)}</dd>
                </div>
                <div>
                    <dt>{text!(locale, what_if.moved)}</dt>
                    <dd>{grouped(moved)} " " <span class="muted">{percent(share)}</span></dd>
                </div>
            </dl>
            <p class="panel-about">{text!(locale, what_if.replayed_about)}</p>
            {(replayed > 0)
                .then(|| {
                    view! {
                        <div
                            class="table-scroll"
                            tabindex="0"
                            role="group"
                            aria-labelledby="moved-title"
                        >
                            <table class="table plain-table">
                                <thead>
                                    <tr>
                                        <th scope="col">{text!(locale, requests.column_target)}</th>
                                        <th class="number" scope="col">
                                            {text!(locale, what_if.before)}
                                        </th>
                                        <th class="number" scope="col">
                                            {text!(locale, what_if.after)}
                                        </th>
                                        <th scope="col">
                                            <span class="unseen">{text!(locale, what_if.bars)}</span>
                                        </th>
                                    </tr>
                                </thead>
                                <tbody>{rows}</tbody>
                            </table>
                        </div>
                    }
                })}
        </section>
        {(!examples.is_empty())
            .then(|| {
                view! {
                    <section class="panel" aria-labelledby="examples-title">
                        <h2 class="panel-title" id="examples-title">
                            {text!(locale, what_if.examples)}
                        </h2>
                        <ul class="examples">{examples}</ul>
                    </section>
                }
            })}
    }
}

/// Both counts as bars on one scale.
#[component]
fn Target(target: WhatIfTarget, most: u64) -> impl IntoView {
    let locale = use_locale();
    let WhatIfTarget {
        target,
        before,
        after,
    } = target;
    let width = |count: u64| format!("{:.2}", count as f64 * 200.0 / most.max(1) as f64);
    let label = text!(
        locale,
        what_if.bars_of,
        target = target.as_str(),
        before = grouped(before),
        after = grouped(after)
    );
    view! {
        <tr>
            <th scope="row">
                <span class="track-model">{target}</span>
            </th>
            <td class="number">{grouped(before)}</td>
            <td class="number">{grouped(after)}</td>
            <td class="cell-bars">
                <svg
                    class="before-after"
                    viewBox="0 0 200 14"
                    preserveAspectRatio="none"
                    role="img"
                    aria-label=label
                >
                    <rect class="before" width=width(before) height="6" />
                    <rect class="after" y="8" width=width(after) height="6" />
                </svg>
            </td>
        </tr>
    }
}

#[component]
fn Example(moved: Moved, with_instance: bool) -> impl IntoView {
    let locale = use_locale();
    let Moved { id, at, from, to } = moved;
    let name = |place: Place| match with_instance {
        true => text!(
            locale,
            story.at,
            name = place.target,
            instance = place.instance
        ),
        false => place.target,
    };
    view! {
        <li>
            <a href=paths::request(id)>
                <Time at />
            </a>
            <span class="track-model">{name(from)}</span>
            <span class="muted">"→"</span>
            <span class="track-model">{name(to)}</span>
        </li>
    }
}
