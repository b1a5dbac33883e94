//! What would become of such a request now: the route's present settings, the decision of then.

use std::collections::BTreeMap;

use leptos::prelude::*;
use uuid::Uuid;

use crate::api::explain::{DecisionGiven, Explanation, Question};
use crate::api::ranking::Ranked;
use crate::api::request::RequestRecord;
use crate::components::field::TextArea;
use crate::components::notice::{Notice, Tone};
use crate::components::ranking::RankingBars;
use crate::i18n::{text, use_locale};
use crate::server_fns;

use super::decision::abstentions;

#[component]
pub(super) fn AskAgain(route: Uuid, record: RequestRecord) -> impl IntoView {
    let locale = use_locale();
    // Where the session key was is known, and what it was is not.
    let header = record.session.and_then(|source| source.header);
    let headers = RwSignal::new(header.map_or_else(String::new, |name| format!("{name}: ")));
    let decision = record.decision.map(|decision| DecisionGiven {
        probabilities: decision.probabilities,
        confidence: Some(decision.confidence),
    });
    let by_recorded = decision.is_some();
    let question = StoredValue::new((record.path, decision));
    let ask = Action::new(move |headers: &BTreeMap<String, String>| {
        let (path, decision) = question.get_value();
        let question = Question {
            path,
            headers: headers.clone(),
            body: None,
            decision,
        };
        server_fns::explain(route, question)
    });
    let busy = ask.pending();
    let of_headers = Signal::derive(move || match ask.value().get() {
        Some(Err(error)) => {
            let wrong = error
                .fields
                .iter()
                .find(|(path, _)| path.starts_with("headers"));
            wrong.map(|(_, problem)| problem.clone())
        }
        _ => None,
    });
    let then = StoredValue::new(record.ranking);

    view! {
        <section class="panel" aria-labelledby="again-title">
            <div class="panel-head">
                <h2 class="panel-title" id="again-title">
                    {text!(locale, request.ask_again)}
                </h2>
                <p class="panel-about">
                    {if by_recorded {
                        text!(locale, request.ask_about_decided)
                    } else {
                        text!(locale, request.ask_about)
                    }}
                </p>
            </div>
            <TextArea
                id="again-headers"
                label=text!(locale, request.headers)
                hint=text!(locale, request.headers_hint)
                value=headers
                error=of_headers
            />
            <div class="editor-actions">
                <button
                    class="button primary"
                    type="button"
                    aria-disabled=move || busy.get().then_some("true")
                    on:click=move |_| {
                        if !busy.get_untracked() {
                            ask.dispatch(lines(&headers.read_untracked()));
                        }
                    }
                >
                    {move || {
                        if busy.get() {
                            text!(locale, policy.trying)
                        } else {
                            text!(locale, request.ask)
                        }
                    }}
                </button>
            </div>
            <div role="status">
                {move || match ask.value().get() {
                    Some(Ok(now)) => {
                        view! { <Compared then=then.get_value() now /> }.into_any()
                    }
                    Some(Err(_)) if of_headers.read().is_some() => ().into_any(),
                    Some(Err(error)) => {
                        view! { <Notice tone=Tone::Danger>{error.message}</Notice> }.into_any()
                    }
                    None => ().into_any(),
                }}
            </div>
        </section>
    }
}

/// The ranking of now beside that of then.
#[component]
fn Compared(then: Vec<Ranked>, now: Explanation) -> impl IntoView {
    let locale = use_locale();
    let first = |ranking: &[Ranked]| {
        let first = ranking.first().filter(|first| first.left_out.is_none())?;
        Some((first.target.clone(), first.instance.clone()))
    };
    let verdict = match first(&now.ranking) {
        None => text!(locale, request.now_nowhere).to_owned(),
        Some(_) if now.tied > 1 => text!(locale, request.now_tied, count = now.tied),
        now if now == first(&then) => text!(locale, request.now_same).to_owned(),
        Some((target, instance)) => {
            text!(
                locale,
                request.now_other,
                target = target,
                instance = instance
            )
        }
    };
    let abstained = abstentions(locale, &now.abstained).into_iter();
    let abstained =
        abstained.map(|(scorer, why)| view! { <p class="panel-about">{scorer} ": " {why}</p> });
    let abstained = abstained.collect_view();
    view! {
        <p class="decides-sentence">{verdict}</p>
        <div class="compared">
            <div>
                <h3 class="plugin-title">{text!(locale, request.now)}</h3>
                <RankingBars ranking=now.ranking />
                {abstained}
            </div>
            <div>
                <h3 class="plugin-title">{text!(locale, request.then)}</h3>
                <RankingBars ranking=then />
            </div>
        </div>
    }
}

/// One header a line; without a value there is none.
fn lines(typed: &str) -> BTreeMap<String, String> {
    let pairs = typed.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let (name, value) = (name.trim(), value.trim());
        (!name.is_empty() && !value.is_empty()).then(|| (name.to_owned(), value.to_owned()))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn headers_are_read_line_by_line() {
        let read = lines("session-id:  a:b \n\nx-empty:\nno header\n: none");
        assert_eq!(read, [("session-id".to_owned(), "a:b".to_owned())].into());
    }
}
