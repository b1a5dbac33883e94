//! A new API key: its form, then its secret, shown once.

use leptos::prelude::*;

use crate::api::key::NewKey;
use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::i18n::{text, use_locale};
use crate::summary::RouteList;
use crate::{paths, server_fns};

mod form;
pub(crate) mod lines;
mod made;
mod typed;

use form::KeyForm;
use made::Made;

#[component]
pub(crate) fn AddKey() -> impl IntoView {
    let locale = use_locale();
    let routes: Loading<RouteList> = Resource::new(|| (), |()| server_fns::list_routes());
    let made = RwSignal::new(None::<NewKey>);

    let back = move || {
        view! {
            <a class="page-back" href=paths::KEYS>
                {text!(locale, keys.title)}
            </a>
        }
    };
    view! {
        <Page title=text!(locale, key.add) back>
            <Load data=routes let:list>
                {
                    let names: Vec<String> = list.routes.into_iter().map(|route| route.name).collect();
                    move || {
                        let names = names.clone();
                        match made.get() {
                            Some(key) => view! { <Made key routes=names /> }.into_any(),
                            None => view! { <KeyForm routes=names made /> }.into_any(),
                        }
                    }
                }
            </Load>
        </Page>
    }
}
