//! A provider that is there already.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use uuid::Uuid;

use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::{text, use_locale};
use crate::pages::provider_editor::{ProviderEditor, Start};
use crate::summary::UsedProvider;
use crate::{paths, server_fns};

#[component]
pub(crate) fn EditProvider() -> impl IntoView {
    let locale = use_locale();
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id")?.parse::<Uuid>().ok());
    let data: Loading<UsedProvider> = Resource::new(
        move || id.get(),
        move |id| async move {
            match id {
                Some(id) => server_fns::get_used_provider(id).await,
                None => Err(ApiError::new(
                    ErrorCode::NotFound,
                    text!(locale, provider.no_such),
                )),
            }
        },
    );

    let back = move || {
        view! {
            <a class="page-back" href=paths::PROVIDERS>
                {text!(locale, providers.title)}
            </a>
        }
    };
    view! {
        <Page title=text!(locale, provider.edit) back>
            <Load data let:used>
                <ProviderEditor
                    start=Start::Stored(used.provider)
                    routes=used.routes
                />
            </Load>
        </Page>
    }
}
