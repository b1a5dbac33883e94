//! What else is known of a request.

use leptos::html::Code;
use leptos::prelude::*;
use routing::SessionKeyDraft;

use crate::api::request::{RequestRecord, Tokens};
use crate::components::copy_button::CopyButton;
use crate::components::decided_by::decided_by_name;
use crate::components::figures::{Unknown, grouped, money, took};
use crate::components::route_by::RouteByBadge;
use crate::components::time::Time;
use crate::i18n::{Locale, text, use_locale};
use crate::pages::requests::Status;

#[component]
pub(super) fn Facts(record: RequestRecord) -> impl IntoView {
    let locale = use_locale();
    let id = NodeRef::<Code>::new();
    let yes_no = move |yes: bool| match yes {
        true => text!(locale, request.yes),
        false => text!(locale, request.no),
    };
    view! {
        <section class="panel" aria-labelledby="facts-title">
            <h2 class="panel-title" id="facts-title">
                {text!(locale, request.facts)}
            </h2>
            <dl class="story-facts">
                <dt>{text!(locale, request.id)}</dt>
                <dd class="story-id">
                    <code node_ref=id>{record.id.to_string()}</code>
                    <CopyButton of=id />
                </dd>
                <dt>{text!(locale, requests.column_time)}</dt>
                <dd>
                    <Time at=record.at />
                </dd>
                <dt>{text!(locale, requests.column_status)}</dt>
                <dd>
                    <Status status=record.status />
                    {record.error.map(|error| view! { <p class="muted">{error}</p> })}
                </dd>
                <dt>{text!(locale, requests.path)}</dt>
                <dd class="code">{record.path}</dd>
                <dt>{text!(locale, requests.column_route)}</dt>
                <dd>
                    {match record.route {
                        Some(route) => view! { <span class="code">{route}</span> }.into_any(),
                        None => {
                            view! { <Unknown title=text!(locale, requests.no_route).to_owned() /> }
                                .into_any()
                        }
                    }}
                </dd>
                {record
                    .route_by
                    .map(|route_by| {
                        view! {
                            <dt>{text!(locale, route_by.label)}</dt>
                            <dd>
                                <RouteByBadge route_by />
                            </dd>
                        }
                    })}
                {record
                    .decided_by
                    .map(|decided_by| {
                        view! {
                            <dt>{text!(locale, requests.column_decided_by)}</dt>
                            <dd>{decided_by_name(locale, decided_by)}</dd>
                        }
                    })}
                <dt>{text!(locale, requests.column_key)}</dt>
                <dd>{record.key.name}</dd>
                <dt>{text!(locale, request.session)}</dt>
                <dd>{session(locale, record.session)}</dd>
                <dt>{text!(locale, request.streaming)}</dt>
                <dd>{yes_no(record.streaming)}</dd>
                <dt>{text!(locale, requests.column_first_byte)}</dt>
                <dd>
                    {match record.ttfb_ms {
                        Some(ms) => took(locale, ms).into_any(),
                        None => {
                            view! { <Unknown title=text!(locale, requests.no_answer).to_owned() /> }
                                .into_any()
                        }
                    }}
                </dd>
                <dt>{text!(locale, request.bytes)}</dt>
                <dd>{grouped(record.bytes)}</dd>
                <dt>{text!(locale, request.tokens)}</dt>
                <dd>
                    {match record.tokens {
                        Some(tokens) => tokens_in_words(locale, tokens).into_any(),
                        None => {
                            view! { <Unknown title=text!(locale, requests.no_tokens).to_owned() /> }
                                .into_any()
                        }
                    }}
                </dd>
                {record
                    .cost
                    .map(|cost| {
                        view! {
                            <dt>{text!(locale, request.cost)}</dt>
                            <dd>{cost.to_number().to_string()}</dd>
                        }
                    })}
                {record
                    .cost
                    .map(|cost| {
                        view! {
                            <dt>{text!(locale, usage.column_cost)}</dt>
                            <dd>{money(cost)}</dd>
                        }
                    })}
            </dl>
        </section>
    }
}

fn session(locale: Locale, source: Option<SessionKeyDraft>) -> String {
    match source {
        Some(SessionKeyDraft {
            header: Some(name), ..
        }) => {
            text!(locale, request.session_header, name = name)
        }
        Some(SessionKeyDraft {
            body: Some(name), ..
        }) => {
            text!(locale, request.session_body, name = name)
        }
        _ => text!(locale, request.session_none).to_owned(),
    }
}

fn tokens_in_words(locale: Locale, tokens: Tokens) -> String {
    let (input, output) = (grouped(tokens.input), grouped(tokens.output));
    let mut words = text!(
        locale,
        request.tokens_counted,
        input = input,
        output = output
    );
    if let Some(cached) = tokens.cached {
        words.push_str(&text!(
            locale,
            request.tokens_cached,
            count = grouped(cached)
        ));
    }
    if let Some(reasoning) = tokens.reasoning {
        words.push_str(&text!(
            locale,
            request.tokens_reasoning,
            count = grouped(reasoning)
        ));
    }
    words
}
