//! A part of a page that needs data: waiting, there, or refused.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::components::Redirect;
use leptos_router::hooks::use_location;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::components::notice::{Notice, Tone};
use crate::error::{ApiError, ErrorCode};
use crate::i18n::{text, use_locale};
use crate::paths;

pub(crate) type Loading<T> = Resource<Result<T, ApiError>>;

#[component]
pub(crate) fn Load<T, F, V>(data: Loading<T>, children: F) -> impl IntoView
where
    T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
    F: Fn(T) -> V + Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let retry = Callback::new(move |()| data.refetch());
    view! {
        <Transition fallback=Waiting>
            {move || {
                let children = children.clone();
                Suspend::new(async move {
                    match data.await {
                        Ok(loaded) => children(loaded).into_any(),
                        Err(error) => view! { <Refused error retry /> }.into_any(),
                    }
                })
            }}
        </Transition>
    }
}

#[component]
fn Waiting() -> impl IntoView {
    view! {
        <div class="waiting" role="status" aria-label=text!(use_locale(), load.waiting)>
            <span></span>
            <span></span>
            <span></span>
        </div>
    }
}

/// Whoever is not signed in signs in and comes back; all else can be tried again.
#[component]
fn Refused(error: ApiError, retry: Callback<()>) -> impl IntoView {
    if error.code == ErrorCode::Unauthenticated {
        let here = use_location();
        let mut path = here.pathname.get_untracked();
        let query = here.search.get_untracked();
        if !query.is_empty() {
            path.push('?');
            path.push_str(&query);
        }
        let options = NavigateOptions {
            replace: true,
            ..Default::default()
        };
        return view! { <Redirect path=paths::sign_in_then(&path) options /> }.into_any();
    }
    view! {
        <Notice tone=Tone::Danger>
            <p>{error.message}</p>
            <button class="button small" type="button" on:click=move |_| retry.run(())>
                {text!(use_locale(), load.retry)}
            </button>
        </Notice>
    }
    .into_any()
}
