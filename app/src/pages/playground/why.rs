//! Beside an answer: where it came from, and why. It is what the request's record says.

use leptos::prelude::*;

use crate::api::request::RequestRecord;
use crate::components::figures::{grouped, took};
use crate::i18n::{text, use_locale};
use crate::{paths, story};

use super::conversation::{Answer, Found};

#[component]
pub(super) fn Why(answer: RwSignal<Answer>) -> impl IntoView {
    let locale = use_locale();
    // Changes a few times, while words come a thousand times.
    let place = Memo::new(move |_| {
        answer.with(|answer| match &answer.record {
            Found::NotLooked => Place::Nowhere,
            Found::Looking => Place::Looking,
            Found::Missing => Place::Missing,
            Found::There(record) => Place::There(record.clone()),
        })
    });
    move || {
        Some(match place.get() {
            Place::Nowhere => return None,
            Place::Looking => {
                view! { <p class="field-hint">{text!(locale, playground.why_waiting)}</p> }
                    .into_any()
            }
            Place::Missing => {
                view! { <p class="field-hint">{text!(locale, playground.why_missing)}</p> }
                    .into_any()
            }
            Place::There(record) => view! { <Record record=*record /> }.into_any(),
        })
    }
}

#[derive(Clone, PartialEq)]
enum Place {
    Nowhere,
    Looking,
    Missing,
    There(Box<RequestRecord>),
}

#[component]
fn Record(record: RequestRecord) -> impl IntoView {
    let locale = use_locale();
    let times = record.ttfb_ms.map(|ttfb| {
        let (ttfb, total) = (took(locale, ttfb), took(locale, record.duration_ms));
        text!(locale, playground.facts, ttfb = ttfb, total = total)
    });
    let tokens = record.tokens.map(|tokens| {
        let (input, output) = (grouped(tokens.input), grouped(tokens.output));
        text!(locale, playground.tokens, input = input, output = output)
    });
    let facts = times.into_iter().chain(tokens).collect::<Vec<_>>();
    let why = story::why(&record, locale);
    view! {
        <div class="turn-why" role="group" aria-label=text!(locale, playground.why)>
            {record
                .target
                .map(|target| view! { <code class="turn-target">{target}</code> })}
            <p>{why}</p>
            {(!facts.is_empty())
                .then(|| view! { <p class="field-hint">{facts.join(" ")}</p> })}
            <a href=paths::request(record.id)>{text!(locale, playground.open_request)}</a>
        </div>
    }
}
