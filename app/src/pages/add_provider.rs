//! A new provider: first what it is, then its form.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use uuid::Uuid;

use crate::api::provider::Provider;
use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::i18n::{text, use_locale};
use crate::pages::provider_editor::{ProviderEditor, Start};
use crate::presets::preset;
use crate::{paths, server_fns};

mod choose;

use choose::ChoosePreset;

#[component]
pub(crate) fn AddProvider() -> impl IntoView {
    let locale = use_locale();
    let query = use_query_map();
    let asked = Memo::new(move |_| {
        let query = query.read();
        let original = query.get("clone").and_then(|id| id.parse::<Uuid>().ok());
        (query.get("preset"), original)
    });

    let back = move || {
        view! {
            <a class="page-back" href=paths::PROVIDERS>
                {text!(locale, providers.title)}
            </a>
        }
    };
    view! {
        <Page title=text!(locale, provider.add) back>
            {move || match asked.get() {
                (_, Some(original)) => view! { <Clone original /> }.into_any(),
                (Some(id), None) => {
                    match preset(&id) {
                        Some(preset) => {
                            view! { <ProviderEditor start=Start::Preset(preset) /> }.into_any()
                        }
                        None => view! { <ChoosePreset /> }.into_any(),
                    }
                }
                (None, None) => view! { <ChoosePreset /> }.into_any(),
            }}
        </Page>
    }
}

#[component]
fn Clone(original: Uuid) -> impl IntoView {
    let data: Loading<Provider> =
        Resource::new(|| (), move |()| server_fns::get_provider(original));
    view! {
        <Load data let:provider>
            <ProviderEditor start=Start::Copy(provider) />
        </Load>
    }
}
