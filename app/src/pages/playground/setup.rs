//! How to ask: path, session key, limit and system text, for all conversations alike.

use leptos::prelude::*;

use crate::components::choice::Choice;
use crate::components::field::{TextArea, TextField};
use crate::i18n::{text, use_locale};

use super::dialect::Dialect;

/// What is asked for where nothing else is typed.
const MAX_TOKENS: u32 = 512;

/// Its signals live as long as the page.
#[derive(Clone, Copy)]
pub(super) struct Setup {
    pub dialect: RwSignal<Dialect>,
    pub session: RwSignal<String>,
    pub max_tokens: RwSignal<String>,
    pub system: RwSignal<String>,
}

/// The same, read.
pub(super) struct Asked {
    pub dialect: Dialect,
    pub session: Option<String>,
    pub max_tokens: u32,
    pub system: String,
}

impl Setup {
    pub(super) fn new() -> Self {
        Self {
            dialect: RwSignal::new(Dialect::default()),
            session: RwSignal::new(String::new()),
            max_tokens: RwSignal::new(MAX_TOKENS.to_string()),
            system: RwSignal::new(String::new()),
        }
    }

    pub(super) fn has_problem(self) -> bool {
        !is_header(&self.session.read()) || tokens(&self.max_tokens.read()).is_none()
    }

    pub(super) fn asked(self) -> Asked {
        untrack(|| self.read())
    }

    pub(super) fn read(self) -> Asked {
        let session = self.session.read().trim().to_owned();
        Asked {
            dialect: self.dialect.get(),
            session: (!session.is_empty()).then_some(session),
            max_tokens: tokens(&self.max_tokens.read()).unwrap_or(MAX_TOKENS),
            system: self.system.read().trim().to_owned(),
        }
    }
}

/// Whether a header can hold it.
fn is_header(value: &str) -> bool {
    value.chars().all(|sign| matches!(sign, ' '..='~'))
}

/// Nothing for what is no limit.
fn tokens(typed: &str) -> Option<u32> {
    match typed.trim() {
        "" => Some(MAX_TOKENS),
        typed => typed.parse().ok().filter(|limit| *limit > 0),
    }
}

#[component]
pub(super) fn SetupFields(setup: Setup) -> impl IntoView {
    let locale = use_locale();
    let of_session = Signal::derive(move || {
        let wrong = !is_header(&setup.session.read());
        wrong.then(|| text!(locale, playground.session_wrong).to_owned())
    });
    let of_tokens = Signal::derive(move || {
        let wrong = tokens(&setup.max_tokens.read()).is_none();
        wrong.then(|| text!(locale, playground.max_tokens_wrong).to_owned())
    });
    view! {
        <section class="panel" aria-labelledby="playground-how">
            <h2 class="panel-title" id="playground-how">
                {text!(locale, playground.how)}
            </h2>
            <Choice
                label=text!(locale, playground.path)
                name="playground-path"
                options=Dialect::ALL.map(|dialect| (dialect, dialect.path())).to_vec()
                value=setup.dialect
            />
            <div class="playground-fields">
                <TextField
                    id="playground-session"
                    label=text!(locale, playground.session)
                    hint=text!(locale, playground.session_hint)
                    code=true
                    value=setup.session
                    error=of_session
                />
                <TextField
                    id="playground-max-tokens"
                    label=text!(locale, playground.max_tokens)
                    hint=text!(locale, playground.max_tokens_hint)
                    value=setup.max_tokens
                    error=of_tokens
                />
            </div>
            <TextArea
                id="playground-system"
                label=text!(locale, playground.system)
                hint=text!(locale, playground.system_hint)
                value=setup.system
                error=Signal::stored(None::<String>)
            />
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_ascii_and_a_limit_a_number() {
        for (value, holds) in [
            ("", true),
            ("demo-session 1", true),
            ("日本", false),
            ("a\nb", false),
        ] {
            assert_eq!(is_header(value), holds, "{value}");
        }
        for (typed, limit) in [
            ("", Some(MAX_TOKENS)),
            (" 64 ", Some(64)),
            ("0", None),
            ("-1", None),
            ("many", None),
        ] {
            assert_eq!(tokens(typed), limit, "{typed}");
        }
    }
}
