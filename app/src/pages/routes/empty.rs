//! What the list shows while there is nothing to list: the next step.

use leptos::prelude::*;

use crate::components::empty_state::EmptyState;
use crate::i18n::{text, use_locale};
use crate::paths;

#[component]
pub(super) fn NoRoutes() -> impl IntoView {
    let locale = use_locale();
    view! {
        <EmptyState title=text!(locale, routes.none)>
            <p>{text!(locale, routes.none_about)}</p>
            <a class="button" href=paths::ADD_ROUTE>
                {text!(locale, routes.add_first)}
            </a>
        </EmptyState>
    }
}

/// A route needs a provider.
#[component]
pub(super) fn NoProviders() -> impl IntoView {
    let locale = use_locale();
    view! {
        <EmptyState title=text!(locale, routes.no_provider)>
            <p>{text!(locale, routes.no_provider_about)}</p>
            <a class="button" href=paths::ADD_PROVIDER>
                {text!(locale, providers.add)}
            </a>
        </EmptyState>
    }
}
