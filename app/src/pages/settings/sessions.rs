//! Where the person is signed in.

use leptos::prelude::*;

use crate::api::account::Session;
use crate::components::confirm::Confirm;
use crate::components::focus::focus_first;
use crate::components::load::{Load, Loading};
use crate::components::time::Time;
use crate::components::toast::use_toasts;
use crate::error::ApiError;
use crate::i18n::{Locale, text, use_locale};
use crate::live::use_live;
use crate::server_fns;

type End = Action<Option<String>, (bool, Result<(), ApiError>)>;

#[component]
pub(super) fn Sessions(sessions: Loading<Vec<Session>>) -> impl IntoView {
    let locale = use_locale();
    let toasts = use_toasts();
    let asking = RwSignal::new(false);
    // One by its id, or all others.
    let end: End = Action::new(|id: &Option<String>| {
        let id = id.clone();
        async move {
            match id {
                Some(id) => (false, server_fns::end_session(id).await),
                None => (true, server_fns::end_other_sessions().await),
            }
        }
    });
    Effect::new(move |_| {
        if let Some((all, result)) = end.value().get() {
            asking.set(false);
            match result {
                Ok(()) => {
                    toasts.success(
                        if all {
                            text!(locale, settings.others_ended)
                        } else {
                            text!(locale, settings.ended)
                        }
                        .to_owned(),
                    );
                    // The button that had the focus is gone.
                    focus_first("#sessions-title");
                }
                Err(error) => toasts.failure(error.message),
            }
            sessions.refetch();
        }
    });

    view! {
        <section class="panel" aria-labelledby="sessions-title">
            <div class="panel-head">
                <h2 class="panel-title" id="sessions-title" tabindex="-1">
                    {text!(locale, settings.sessions)}
                </h2>
                <p class="panel-about">{text!(locale, settings.sessions_about)}</p>
            </div>
            <Load data=sessions let:sessions>
                {
                    let has_others = sessions.iter().any(|session| !session.current);
                    view! {
                        <ul class="session-list">
                            {sessions
                                .into_iter()
                                .map(|session| view! { <SessionRow session end /> })
                                .collect_view()}
                        </ul>
                        {has_others.then(|| view! { <EndOthers asking /> })}
                    }
                }
            </Load>
            {move || {
                asking
                    .get()
                    .then(|| {
                        view! {
                            <Confirm
                                title=text!(locale, settings.end_others_title)
                                question=text!(locale, settings.end_others_question)
                                action=text!(locale, settings.end_others)
                                busy=end.pending()
                                on_yes=move |()| {
                                    end.dispatch(None);
                                }
                                on_close=move |()| asking.set(false)
                            />
                        }
                    })
            }}
        </section>
    }
}

#[component]
fn EndOthers(asking: RwSignal<bool>) -> impl IntoView {
    let live = use_live();
    view! {
        <div>
            <button
                class="button"
                type="button"
                disabled=move || !live.get()
                on:click=move |_| asking.set(true)
            >
                {text!(use_locale(), settings.end_others)}
            </button>
        </div>
    }
}

#[component]
fn SessionRow(session: Session, end: End) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let browser = program_name(locale, &session.user_agent);
    let end_label = text!(
        locale,
        settings.end_label,
        browser = browser.as_str(),
        address = session.address.as_str()
    );
    let id = session.id;

    view! {
        <li>
            <div class="session-words">
                <p>
                    <span title=session.user_agent>{browser}</span>
                    {session
                        .current
                        .then(|| {
                            view! {
                                <span class="badge">{text!(locale, settings.this_one)}</span>
                            }
                        })}
                </p>
                <p>{session.address} " · " <Time at=session.last_seen_at /></p>
            </div>
            {(!session.current)
                .then(|| {
                    view! {
                        <button
                            class="button small"
                            type="button"
                            aria-label=end_label
                            disabled=move || !live.get()
                            aria-disabled=move || end.pending().get().then_some("true")
                            on:click=move |_| {
                                if !end.pending().get_untracked() {
                                    end.dispatch(Some(id.clone()));
                                }
                            }
                        >
                            {text!(locale, settings.end)}
                        </button>
                    }
                })}
        </li>
    }
}

/// "Firefox on Linux", as far as it says.
fn program_name(locale: Locale, user_agent: &str) -> String {
    match (browser(user_agent), system(user_agent)) {
        (Some(browser), Some(system)) => text!(
            locale,
            settings.browser_on,
            browser = browser,
            system = system
        ),
        (Some(browser), None) => browser.to_owned(),
        (None, _) => {
            let first = user_agent.split_whitespace().next();
            first.map_or_else(
                || text!(locale, settings.unknown_browser).to_owned(),
                str::to_owned,
            )
        }
    }
}

/// Most call themselves by the names of others too; the more particular comes first.
fn browser(user_agent: &str) -> Option<&'static str> {
    [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("CriOS/", "Chrome"),
        ("Safari/", "Safari"),
        ("curl/", "curl"),
    ]
    .into_iter()
    .find_map(|(sign, name)| user_agent.contains(sign).then_some(name))
}

fn system(user_agent: &str) -> Option<&'static str> {
    [
        ("iPhone", "iOS"),
        ("iPad", "iPadOS"),
        ("Android", "Android"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ]
    .into_iter()
    .find_map(|(sign, name)| user_agent.contains(sign).then_some(name))
}

#[cfg(test)]
mod tests {
    use super::program_name;
    use crate::i18n::Locale;

    #[test]
    fn a_browser_is_named_by_its_own_name() {
        for (user_agent, name) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
                "Firefox on Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
                "Safari on macOS",
            ),
            ("curl/8.5.0", "curl"),
            ("python-requests/2.32", "python-requests/2.32"),
            ("", "Unknown program"),
        ] {
            assert_eq!(program_name(Locale::default(), user_agent), name);
        }
    }
}
