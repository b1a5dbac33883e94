//! Nothing here yet: says what belongs here, and the next step.

use leptos::prelude::*;

#[component]
pub(crate) fn EmptyState(title: &'static str, children: Children) -> impl IntoView {
    view! {
        <section class="empty">
            // A track that no train has taken yet.
            <svg class="empty-art" viewBox="0 0 160 72" width="160" height="72" aria-hidden="true">
                <path d="M4 36h40c36 0 32-24 72-24h24M44 36c36 0 32 24 72 24h24M44 36h96" />
                <circle cx="4" cy="36" r="4" />
                <circle cx="148" cy="12" r="6" />
                <circle cx="148" cy="36" r="6" />
                <circle cx="148" cy="60" r="6" />
            </svg>
            <h2 class="empty-title">{title}</h2>
            {children()}
        </section>
    }
}
