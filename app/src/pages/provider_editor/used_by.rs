//! Which routes use the provider.

use leptos::prelude::*;

use crate::i18n::{text, use_locale};

#[component]
pub(super) fn UsedBy(routes: Vec<String>) -> impl IntoView {
    let locale = use_locale();
    let list = if routes.is_empty() {
        view! { <p class="panel-about">{text!(locale, providers.no_routes)}</p> }.into_any()
    } else {
        let names = routes.into_iter().map(|name| view! { <li>{name}</li> });
        view! { <ul class="used-by">{names.collect_view()}</ul> }.into_any()
    };
    view! {
        <section class="panel" aria-labelledby="used-by-title">
            <h2 class="panel-title" id="used-by-title">
                {text!(locale, providers.column_routes)}
            </h2>
            {list}
        </section>
    }
}
