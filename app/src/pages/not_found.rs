//! No page at this address.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::components::frame::Brand;
use crate::i18n::{text, use_locale};
use crate::paths;

#[component]
pub(crate) fn NotFound() -> impl IntoView {
    let locale = use_locale();
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::NOT_FOUND);
    }

    view! {
        <Title text=text!(locale, not_found.title) />
        <main class="gate">
            <Brand />
            <div class="gate-card">
                <h1>{text!(locale, not_found.title)}</h1>
                <p>{text!(locale, not_found.about)}</p>
                <a class="button primary" href=paths::ROUTES>
                    {text!(locale, not_found.to_routes)}
                </a>
            </div>
        </main>
    }
}
