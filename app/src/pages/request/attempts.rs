//! Every try to get an answer, with the credentials that were refused on the way.

use leptos::prelude::*;

use crate::api::request::{Attempt, RefusedCredential};
use crate::components::figures::took;
use crate::i18n::{text, use_locale};

#[component]
pub(super) fn Attempts(attempts: Vec<Attempt>) -> impl IntoView {
    let locale = use_locale();
    if attempts.is_empty() {
        return ().into_any();
    }
    let rows = attempts
        .into_iter()
        .enumerate()
        .map(|(place, attempt)| view! { <Row number=place + 1 attempt /> })
        .collect_view();
    view! {
        <section class="panel" aria-labelledby="attempts-title">
            <h2 class="panel-title" id="attempts-title">
                {text!(locale, request.attempts)}
            </h2>
            <div class="table-scroll" tabindex="0" role="group" aria-labelledby="attempts-title">
                <table class="table plain-table">
                    <thead>
                        <tr>
                            <th scope="col">{text!(locale, request.attempt_number)}</th>
                            <th scope="col">{text!(locale, requests.column_target)}</th>
                            <th scope="col">{text!(locale, request.outcome)}</th>
                            <th class="number" scope="col">
                                {text!(locale, request.took)}
                            </th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Row(number: usize, attempt: Attempt) -> impl IntoView {
    let locale = use_locale();
    let Attempt {
        target,
        instance,
        fallback,
        status,
        error,
        ms,
        refused_credentials,
    } = attempt;
    let failed = status.is_none_or(|status| status >= 400);
    let outcome = match status {
        Some(status) => status.to_string(),
        None => error.unwrap_or_default(),
    };
    let refused = refused_credentials.into_iter().map(|refused| {
        let RefusedCredential { hint, status, ms } = refused;
        let time = took(locale, ms);
        let words = text!(
            locale,
            request.refused_credential,
            hint = hint,
            status = status,
            time = time
        );
        view! { <p class="muted">{words}</p> }
    });
    let refused = refused.collect_view();
    view! {
        <tr>
            <td>{number}</td>
            <td>
                <span class="track-model">{target}</span>
                " "
                {fallback
                    .then(|| view! { <span class="badge">{text!(locale, requests.fallback)}</span> })}
                <p class="muted code">{instance}</p>
            </td>
            <td>
                <span class="state" class:failed=failed>
                    <span>{outcome}</span>
                </span>
                {refused}
            </td>
            <td class="number">{took(locale, ms)}</td>
        </tr>
    }
}
