//! Talks to routes as an application does, side by side, and says why each answer came from where it did.
//!
//! The requests carry the session's cookie and no key; the server puts them on the same way as all others.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::components::empty_state::EmptyState;
use crate::components::icon::{Glyph, Icon};
use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::components::rows::Rows;
use crate::i18n::{text, use_locale};
use crate::summary::RouteList;
use crate::{paths, server_fns};

mod body;
mod call;
mod code;
mod column;
mod composer;
mod conversation;
mod dialect;
mod heard;
mod listener;
mod setup;
mod stream;
mod turn;
mod view_code;
mod why;

use column::Column;
use composer::Composer;
use conversation::{Conversation, all};
use setup::{Setup, SetupFields};
use view_code::ViewCode;

/// More than these do not fit beside each other.
const MOST_COLUMNS: usize = 3;

#[component]
pub(crate) fn PlaygroundPage() -> impl IntoView {
    let locale = use_locale();
    let routes: Loading<RouteList> = Resource::new(|| (), |()| server_fns::list_routes());
    view! {
        <Page title=text!(locale, playground.title) about=text!(locale, playground.about)>
            <Load data=routes let:list>
                {
                    let names: Vec<String> = list
                        .routes
                        .into_iter()
                        .filter(|route| route.enabled)
                        .map(|route| route.name)
                        .collect();
                    if names.is_empty() {
                        view! { <NoRoutes /> }.into_any()
                    } else {
                        view! { <Bench names /> }.into_any()
                    }
                }
            </Load>
        </Page>
    }
}

#[component]
fn NoRoutes() -> impl IntoView {
    let locale = use_locale();
    view! {
        <EmptyState title=text!(locale, playground.no_routes)>
            <p>{text!(locale, playground.no_routes_about)}</p>
            <a class="button" href=paths::ROUTES>
                {text!(locale, not_found.to_routes)}
            </a>
        </EmptyState>
    }
}

#[component]
fn Bench(
    /// Of the routes that take requests.
    names: Vec<String>,
) -> impl IntoView {
    let locale = use_locale();
    let setup = Setup::new();
    // What is being written.
    let draft = RwSignal::new(String::new());
    let columns: Rows<Conversation> = Rows::new();
    let asked_for = use_query_map().read_untracked().get("route");
    let first = asked_for.or_else(|| names.first().cloned());
    columns.add(|| Conversation::new(first.unwrap_or_default()));
    let options = Signal::stored(names);
    let full = move || columns.list.read().len() >= MOST_COLUMNS;
    // Beside what is there already, something else.
    let add = move |_| {
        let taken: Vec<String> = untrack(|| all(columns))
            .into_iter()
            .map(|conversation| conversation.route.get_untracked())
            .collect();
        let next = options.with_untracked(|names| {
            let free = names.iter().find(|name| !taken.contains(name));
            free.cloned().unwrap_or_default()
        });
        columns.add(|| Conversation::new(next));
    };

    view! {
        <div class="playground">
            <SetupFields setup />
            <div class="playground-columns">
                <For each=move || columns.list.get() key=|row| row.key let:row>
                    <Column row columns options setup />
                </For>
            </div>
            <button class="button small playground-add" type="button" hidden=full on:click=add>
                <Glyph icon=Icon::Plus />
                {text!(locale, playground.add)}
            </button>
            <Composer columns setup draft />
            <ViewCode columns setup draft />
        </div>
    }
}
