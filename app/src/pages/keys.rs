//! All API keys: what each may do, and until when.

use leptos::prelude::*;
use uuid::Uuid;

use crate::api::key::{Key, Scope};
use crate::components::confirm::Confirm;
use crate::components::empty_state::EmptyState;
use crate::components::focus::focus_first;
use crate::components::icon::{Glyph, Icon};
use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::components::time::{Time, use_now};
use crate::components::toast::use_toasts;
use crate::i18n::{Locale, text, use_locale};
use crate::live::use_live;
use crate::{paths, server_fns};

/// How many routes a row names; the others are counted.
const NAMED_ROUTES: usize = 3;

#[component]
pub(crate) fn KeysPage() -> impl IntoView {
    let locale = use_locale();
    let keys: Loading<Vec<Key>> = Resource::new(|| (), |()| server_fns::list_keys());
    let doomed = RwSignal::new(None::<Key>);

    let add_key = move || {
        view! {
            <a class="button primary" href=paths::ADD_KEY>
                <Glyph icon=Icon::Plus />
                {text!(locale, keys.add)}
            </a>
        }
    };
    view! {
        <Page title=text!(locale, keys.title) about=text!(locale, keys.about) action=add_key>
            <Load data=keys let:keys>
                {if keys.is_empty() {
                    view! { <NoKeys /> }.into_any()
                } else {
                    view! { <KeyTable keys doomed /> }.into_any()
                }}
            </Load>
            <DeleteKey keys doomed />
        </Page>
    }
}

#[component]
fn NoKeys() -> impl IntoView {
    let locale = use_locale();
    view! {
        <EmptyState title=text!(locale, keys.none)>
            <p>{text!(locale, keys.none_about)}</p>
            <a class="button" href=paths::ADD_KEY>
                {text!(locale, keys.add_first)}
            </a>
        </EmptyState>
    }
}

#[component]
fn KeyTable(keys: Vec<Key>, doomed: RwSignal<Option<Key>>) -> impl IntoView {
    let locale = use_locale();
    view! {
        <div class="table-box">
            <table class="table key-table">
                <thead>
                    <tr>
                        <th scope="col">{text!(locale, keys.column_name)}</th>
                        <th scope="col">{text!(locale, keys.column_scopes)}</th>
                        <th scope="col">{text!(locale, keys.column_routes)}</th>
                        <th scope="col">{text!(locale, keys.column_created)}</th>
                        <th scope="col">{text!(locale, keys.column_used)}</th>
                        <th scope="col">{text!(locale, keys.column_expires)}</th>
                        <th scope="col">
                            <span class="unseen">{text!(locale, keys.column_actions)}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {keys
                        .into_iter()
                        .map(|key| view! { <KeyRow key doomed /> })
                        .collect_view()}
                </tbody>
            </table>
        </div>
    }
}

#[component]
fn KeyRow(key: Key, doomed: RwSignal<Option<Key>>) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let name = key.name.clone();
    let masked = format!("{}_…", key.prefix);
    let scopes = key.scopes.clone();
    let routes = key.routes.clone();
    let delete_label = text!(locale, keys.delete_label, name = key.name.as_str());
    let (created_at, last_used_at, expires_at) = (key.created_at, key.last_used_at, key.expires_at);
    let now = use_now();
    let expired = Signal::derive(move || {
        expires_at
            .zip(now.get())
            .is_some_and(|(expires_at, now)| expires_at <= now)
    });

    view! {
        <tr class:expired=expired>
            <th class="cell-name" scope="row">
                <span class="key-name">{name}</span>
                <code class="key-masked">{masked}</code>
            </th>
            <td class="cell-scopes">
                <span class="badges">
                    {scopes
                        .into_iter()
                        .map(|scope| {
                            view! { <span class="badge">{scope_name(locale, scope)}</span> }
                        })
                        .collect_view()}
                </span>
            </td>
            <td class="cell-routes" data-label=text!(locale, keys.column_routes)>
                <KeyRoutes routes />
            </td>
            <td data-label=text!(locale, keys.column_created)>
                <Time at=created_at />
            </td>
            <td data-label=text!(locale, keys.column_used)>
                {match last_used_at {
                    Some(at) => view! { <Time at /> }.into_any(),
                    None => {
                        view! { <span class="muted">{text!(locale, keys.unused)}</span> }.into_any()
                    }
                }}
            </td>
            <td data-label=text!(locale, keys.column_expires)>
                {match expires_at {
                    Some(at) => {
                        view! {
                            <span class="badges">
                                {move || {
                                    expired
                                        .get()
                                        .then(|| {
                                            view! {
                                                <span class="badge danger">
                                                    {text!(locale, keys.expired)}
                                                </span>
                                            }
                                        })
                                }} <Time at />
                            </span>
                        }
                            .into_any()
                    }
                    None => {
                        view! { <span class="muted">{text!(locale, keys.never)}</span> }.into_any()
                    }
                }}
            </td>
            <td class="cell-actions">
                <button
                    class="icon-button"
                    type="button"
                    aria-label=delete_label.clone()
                    title=delete_label
                    disabled=move || !live.get()
                    on:click=move |_| doomed.set(Some(key.clone()))
                >
                    <Glyph icon=Icon::Trash />
                </button>
            </td>
        </tr>
    }
}

/// The first few by name; all on hover.
#[component]
fn KeyRoutes(routes: Vec<String>) -> impl IntoView {
    let locale = use_locale();
    if routes.is_empty() {
        return view! { <span class="muted">{text!(locale, keys.all_routes)}</span> }.into_any();
    }
    let all = routes.join(", ");
    let more = routes.len().saturating_sub(NAMED_ROUTES);
    let named = routes[..routes.len() - more].join(", ");
    view! {
        <span title=all>
            <span class="key-routes">{named}</span>
            {(more > 0).then(|| text!(locale, keys.more_routes, count = more))}
        </span>
    }
    .into_any()
}

#[component]
fn DeleteKey(keys: Loading<Vec<Key>>, doomed: RwSignal<Option<Key>>) -> impl IntoView {
    let locale = use_locale();
    let toasts = use_toasts();
    let delete = Action::new(|key: &(Uuid, String)| {
        let (id, name) = key.clone();
        async move { (name, server_fns::delete_key(id).await) }
    });
    Effect::new(move |_| {
        if let Some((name, result)) = delete.value().get() {
            doomed.set(None);
            match result {
                Ok(()) => {
                    toasts.success(text!(locale, keys.deleted, name = name.as_str()));
                    // The row that had the focus is gone.
                    focus_first("h1");
                }
                Err(error) => toasts.failure(error.message),
            }
            keys.refetch();
        }
    });
    move || {
        let key = doomed.get()?;
        let question = delete_question(locale, &key);
        Some(view! {
            <Confirm
                title=text!(locale, keys.delete_title)
                question
                action=text!(locale, keys.delete)
                busy=delete.pending()
                on_yes=move |()| {
                    delete.dispatch((key.id, key.name.clone()));
                }
                on_close=move |()| doomed.set(None)
            />
        })
    }
}

fn delete_question(locale: Locale, key: &Key) -> String {
    let (name, prefix) = (key.name.as_str(), key.prefix.as_str());
    let calls_routes = key.scopes.contains(&Scope::Inference);
    let manages = key.scopes.contains(&Scope::Management);
    let routes = key.routes.join(", ");
    let what = match (calls_routes, manages) {
        (true, false) if key.routes.is_empty() => text!(locale, keys.stops_all_routes).to_owned(),
        (true, false) => text!(locale, keys.stops_routes, routes = routes.as_str()),
        (false, _) => text!(locale, keys.stops_management).to_owned(),
        (true, true) => text!(locale, keys.stops_both).to_owned(),
    };
    text!(
        locale,
        keys.delete_question,
        name = name,
        prefix = prefix,
        what = what.as_str()
    )
}

pub(crate) fn scope_name(locale: Locale, scope: Scope) -> &'static str {
    match scope {
        Scope::Inference => text!(locale, scope.inference),
        Scope::Management => text!(locale, scope.management),
    }
}
