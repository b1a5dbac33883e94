//! All providers, and which routes use each.

use leptos::prelude::*;

use crate::components::empty_state::EmptyState;
use crate::components::icon::{Glyph, Icon};
use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::i18n::{text, use_locale};
use crate::summary::ProviderSummary;
use crate::{paths, server_fns};

mod delete;
mod table;

use delete::DeleteProvider;
use table::ProviderTable;

#[component]
pub(crate) fn ProvidersPage() -> impl IntoView {
    let locale = use_locale();
    let data: Loading<Vec<ProviderSummary>> =
        Resource::new(|| (), |()| server_fns::summarize_providers());
    // The one that somebody is about to delete.
    let doomed = RwSignal::new(None::<ProviderSummary>);

    let add_provider = move || {
        view! {
            <a class="button primary" href=paths::ADD_PROVIDER>
                <Glyph icon=Icon::Plus />
                {text!(locale, providers.add)}
            </a>
        }
    };
    view! {
        <Page
            title=text!(locale, providers.title)
            about=text!(locale, providers.about)
            action=add_provider
        >
            <Load data let:providers>
                {if providers.is_empty() {
                    view! { <NoProviders /> }.into_any()
                } else {
                    view! { <ProviderTable providers doomed /> }.into_any()
                }}
            </Load>
            {move || {
                doomed
                    .get()
                    .map(|provider| {
                        view! {
                            <DeleteProvider
                                provider
                                on_close=move || doomed.set(None)
                                on_deleted=move || data.refetch()
                            />
                        }
                    })
            }}
        </Page>
    }
}

#[component]
fn NoProviders() -> impl IntoView {
    let locale = use_locale();
    view! {
        <EmptyState title=text!(locale, providers.none)>
            <p>{text!(locale, providers.none_about)}</p>
            <a class="button" href=paths::ADD_PROVIDER>
                {text!(locale, providers.add_first)}
            </a>
        </EmptyState>
    }
}
