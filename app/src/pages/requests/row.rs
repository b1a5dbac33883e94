//! One request in the table.

use leptos::prelude::*;

use crate::api::request::{RequestRecord, Tokens};
use crate::components::decided_by::decided_by_name;
use crate::components::figures::{Unknown, grouped, took};
use crate::components::icon::{Glyph, Icon};
use crate::components::time::Time;
use crate::i18n::{text, use_locale};
use crate::{paths, story};

#[component]
pub(super) fn RequestRow(record: RequestRecord) -> impl IntoView {
    let locale = use_locale();
    let why = story::why(&record, locale);
    let onward = onward(&record);
    let first_byte = record.ttfb_ms;
    let tokens = record.tokens;
    view! {
        <tr>
            <th class="cell-time" scope="row">
                <a class="row-open" href=paths::request(record.id)>
                    <Time at=record.at />
                </a>
            </th>
            <td class="cell-route">
                {match record.route {
                    Some(route) => view! { <span class="cut">{route}</span> }.into_any(),
                    None => {
                        view! { <Unknown title=text!(locale, requests.no_route).to_owned() /> }
                            .into_any()
                    }
                }}
            </td>
            <td class="cell-target" data-label=text!(locale, requests.column_target)>
                <span class="request-target">
                    {match record.target {
                        Some(target) => {
                            view! {
                                <span class="cut" title=target>
                                    {target.clone()}
                                </span>
                            }
                                .into_any()
                        }
                        None => {
                            view! { <Unknown title=text!(locale, requests.no_target).to_owned() /> }
                                .into_any()
                        }
                    }}
                    {onward
                        .map(|(tries, fallback)| {
                            view! { <Onward tries fallback /> }
                        })}
                </span>
            </td>
            <td class="cell-status">
                <Status status=record.status />
            </td>
            <td data-label=text!(locale, requests.column_decided_by)>
                {match record.decided_by {
                    Some(decided_by) => {
                        view! { <span title=why>{decided_by_name(locale, decided_by)}</span> }
                            .into_any()
                    }
                    None => view! { <Unknown title=why /> }.into_any(),
                }}
            </td>
            <td class="number" data-label=text!(locale, requests.column_first_byte)>
                {match first_byte {
                    Some(ms) => took(locale, ms).into_any(),
                    None => {
                        view! { <Unknown title=text!(locale, requests.no_answer).to_owned() /> }
                            .into_any()
                    }
                }}
            </td>
            <td class="number" data-label=text!(locale, requests.column_duration)>
                {took(locale, record.duration_ms)}
            </td>
            <td class="number" data-label=text!(locale, requests.column_tokens)>
                {match tokens {
                    Some(Tokens { input, output, .. }) => {
                        format!("{} / {}", grouped(input), grouped(output)).into_any()
                    }
                    None => {
                        view! { <Unknown title=text!(locale, requests.no_tokens).to_owned() /> }
                            .into_any()
                    }
                }}
            </td>
            <td class="cell-key" data-label=text!(locale, requests.column_key)>
                <span class="cut">{record.key.name}</span>
            </td>
        </tr>
    }
}

/// How many were tried and whether a fallback was, where that is out of the ordinary.
fn onward(record: &RequestRecord) -> Option<(usize, bool)> {
    let tries = record.attempts.len();
    let fallback = record.attempts.iter().any(|attempt| attempt.fallback);
    (tries > 1 || fallback).then_some((tries, fallback))
}

#[component]
fn Onward(tries: usize, fallback: bool) -> impl IntoView {
    let locale = use_locale();
    let words = match fallback {
        true => text!(locale, requests.tries_with_fallback, count = tries),
        false => text!(locale, requests.tries, count = tries),
    };
    view! {
        <span class="onward" title=words>
            <Glyph icon=Icon::Onward />
            <span class="unseen">{words.clone()}</span>
        </span>
    }
}

/// The number that the client got, with a lamp.
#[component]
pub(crate) fn Status(status: u16) -> impl IntoView {
    let locale = use_locale();
    let (class, title) = match status {
        499 => ("state off", Some(text!(locale, requests.client_left))),
        400.. => ("state failed", None),
        _ => ("state", None),
    };
    view! {
        <span class=class title=title>
            {status}
        </span>
    }
}
