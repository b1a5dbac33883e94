//! What follows a failed attempt, and what keeps a silent stream open.

use leptos::prelude::*;
use routing::{Retry, RetryDraft};

use crate::components::field::TextField;
use crate::components::switch::Switch;
use crate::i18n::{text, use_locale};

use super::form::{RouteForm, parse_number};
use super::policy::Problems;

#[derive(Clone, Copy)]
pub(super) struct RetryForm {
    attempts: RwSignal<String>,
    /// Separated by commas.
    statuses: RwSignal<String>,
}

impl RetryForm {
    pub(super) fn of(draft: RetryDraft) -> Self {
        let defaults = RetryDraft::from(Retry::default());
        let attempts = draft.attempts.or(defaults.attempts);
        let statuses = draft.statuses.or(defaults.statuses);
        Self {
            attempts: RwSignal::new(
                attempts.map_or_else(String::new, |attempts| attempts.to_string()),
            ),
            statuses: RwSignal::new(joined(&statuses.unwrap_or_default())),
        }
    }

    pub(super) fn draft(self) -> RetryDraft {
        let typed = self.statuses.read();
        let typed = typed.split(',').map(str::trim);
        let typed = typed.filter(|status| !status.is_empty());
        RetryDraft {
            attempts: parse_number(&self.attempts.read()),
            // What is no number is no status either, which the check refuses.
            statuses: Some(typed.map(|status| status.parse().unwrap_or(0)).collect()),
        }
    }
}

/// Statuses as they are typed.
pub(super) fn joined(statuses: &[u16]) -> String {
    let statuses: Vec<String> = statuses.iter().map(u16::to_string).collect();
    statuses.join(", ")
}

#[component]
pub(super) fn Retries(form: RouteForm, problems: Problems) -> impl IntoView {
    let locale = use_locale();
    view! {
        <section class="panel" role="group" aria-labelledby="retries-title">
            <div class="panel-head">
                <h2 class="panel-title" id="retries-title">
                    {text!(locale, route.retries)}
                </h2>
                <p class="panel-about">{text!(locale, route.retries_about)}</p>
            </div>
            <div class="short-field">
                <TextField
                    id="retry-attempts"
                    label=text!(locale, route.attempts)
                    hint=text!(locale, route.attempts_hint)
                    code=true
                    value=form.retry.attempts
                    error=problems.at("retry.attempts")
                />
            </div>
            <TextField
                id="retry-statuses"
                label=text!(locale, route.statuses)
                hint=text!(locale, route.statuses_hint)
                code=true
                value=form.retry.statuses
                error=problems.find(|path| path.starts_with("retry.statuses"))
            />
            <div class="panel-bar">
                <div class="panel-head">
                    <h3 class="plugin-title">{text!(locale, route.keep_alive)}</h3>
                    <p class="panel-about">{text!(locale, route.keep_alive_about)}</p>
                </div>
                <Switch
                    label=Signal::stored(text!(locale, route.keep_alive).to_owned())
                    on=form.keep_alive
                />
            </div>
            <div class="panel-bar">
                <div class="panel-head">
                    <h3 class="plugin-title">{text!(locale, route.keep_bodies)}</h3>
                    <p class="panel-about">{text!(locale, route.keep_bodies_about)}</p>
                </div>
                <Switch
                    label=Signal::stored(text!(locale, route.keep_bodies).to_owned())
                    on=form.keep_bodies
                />
            </div>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_numbers_between_commas() {
        Owner::new().with(|| {
            let form = RetryForm::of(RetryDraft::default());
            assert_eq!(form.draft(), Retry::default().into());
            for (typed, statuses) in [
                ("", vec![]),
                (" , ", vec![]),
                ("503", vec![503]),
                ("429,503 , 500,", vec![429, 503, 500]),
                ("often, 5xx, 70000, -1", vec![0, 0, 0, 0]),
            ] {
                form.statuses.set(typed.into());
                assert_eq!(form.draft().statuses, Some(statuses), "{typed:?}");
            }
            form.attempts.set(" ".into());
            assert_eq!(form.draft().attempts, None);
        });
    }
}
