//! Password, sessions, theme, language, and what runs here.

use leptos::prelude::*;

use crate::api::account::About;
use crate::components::choice::Choice;
use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::i18n::{text, use_locale};
use crate::server_fns;

mod language;
mod password;
mod sessions;

use language::ChooseLanguage;
use password::ChangePassword;
use sessions::Sessions;

#[component]
pub(crate) fn SettingsPage() -> impl IntoView {
    let locale = use_locale();
    let sessions = Resource::new(|| (), |()| server_fns::list_sessions());
    let about: Loading<About> = Resource::new(|| (), |()| server_fns::about_server());

    view! {
        <Page title=text!(locale, settings.title) about=text!(locale, settings.about)>
            <div class="settings">
                <ChangePassword sessions />
                <Sessions sessions />
                <Theme />
                <ChooseLanguage />
                <section class="panel" aria-labelledby="server-title">
                    <h2 class="panel-title" id="server-title">
                        {text!(locale, settings.server)}
                    </h2>
                    <Load data=about let:about>
                        <dl class="facts">
                            <dt>{text!(locale, settings.version)}</dt>
                            <dd>{about.version}</dd>
                            <dt>{text!(locale, settings.database)}</dt>
                            <dd>{database_name(&about.database)}</dd>
                        </dl>
                    </Load>
                </section>
            </div>
        </Page>
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scheme {
    System,
    Light,
    Dark,
}

/// `frontend/theme.js` keeps the choice and puts it on the document, before the first
/// paint; it knows the order of the options.
#[component]
fn Theme() -> impl IntoView {
    let locale = use_locale();
    let scheme = RwSignal::new(Scheme::System);
    Effect::new(move |_| {
        let kept = document()
            .document_element()
            .and_then(|root| root.get_attribute("data-theme"));
        scheme.set(match kept.as_deref() {
            Some("light") => Scheme::Light,
            Some("dark") => Scheme::Dark,
            _ => Scheme::System,
        });
    });

    view! {
        <section class="panel" aria-labelledby="theme-title">
            <div class="panel-head">
                <h2 class="panel-title" id="theme-title">
                    {text!(locale, settings.theme)}
                </h2>
                <p class="panel-about">{text!(locale, settings.theme_about)}</p>
            </div>
            <Choice
                label=text!(locale, settings.theme)
                unlabelled=true
                name="theme"
                options=vec![
                    (Scheme::System, text!(locale, settings.system)),
                    (Scheme::Light, text!(locale, settings.light)),
                    (Scheme::Dark, text!(locale, settings.dark)),
                ]
                value=scheme
            />
        </section>
    }
}

/// As its makers write it.
fn database_name(database: &str) -> String {
    match database {
        "sqlite" => "SQLite".to_owned(),
        "postgres" => "PostgreSQL".to_owned(),
        other => other.to_owned(),
    }
}
