//! The language: the browser's, or one chosen by hand.

use leptos::prelude::*;
use leptos_i18n::Locale as _;
use wasm_bindgen::JsCast;
use web_sys::HtmlDocument;

use crate::components::choice::Choice;
use crate::i18n::{LANGUAGE_COOKIE, Locale, text, use_language};

const YEAR_S: u32 = 365 * 24 * 60 * 60;

#[component]
pub(super) fn ChooseLanguage() -> impl IntoView {
    let language = use_language();
    let locale = language.locale;
    let kept = language.chosen.then_some(locale);
    let chosen = RwSignal::new(kept);
    Effect::new(move |_| {
        let chosen = chosen.get();
        if chosen != kept {
            keep(chosen);
            // The server writes pages in their language. If nothing can be done, the next one shows it.
            let _ = location().reload();
        }
    });

    let mut options = vec![(None, text!(locale, settings.system))];
    options.extend(
        Locale::get_all()
            .iter()
            .map(|&locale| (Some(locale), own_name(locale))),
    );
    view! {
        <section class="panel" aria-labelledby="language-title">
            <div class="panel-head">
                <h2 class="panel-title" id="language-title">
                    {text!(locale, settings.language)}
                </h2>
                <p class="panel-about">{text!(locale, settings.language_about)}</p>
            </div>
            <Choice
                label=text!(locale, settings.language)
                unlabelled=true
                name="language"
                options
                value=chosen
            />
        </section>
    }
}

/// In the browser; a browser that keeps no cookies goes by its own languages.
fn keep(chosen: Option<Locale>) {
    let (value, age) = chosen.map_or(("", 0), |locale| (locale.as_str(), YEAR_S));
    let cookie = format!("{LANGUAGE_COOKIE}={value}; Path=/; Max-Age={age}; SameSite=Lax");
    if let Ok(document) = document().dyn_into::<HtmlDocument>() {
        let _ = document.set_cookie(&cookie);
    }
}

/// As its speakers write it, whatever language the page is in.
fn own_name(locale: Locale) -> &'static str {
    match locale {
        Locale::en => "English",
        Locale::ja => "日本語",
    }
}
