//! The request of the page as a program would send it, while somebody looks.

use leptos::prelude::*;

use crate::components::rows::Rows;
use crate::components::snippet::Snippet;
use crate::components::tabs::Tabs;
use crate::i18n::{text, use_locale};
use crate::live::use_live;

use super::body::Ask;
use super::code::{Sample, node_package, python_package};
use super::conversation::Conversation;
use super::dialect::Dialect;
use super::setup::Setup;

/// What is asked where nothing is written.
const GREETING: &str = "Hello";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    Curl,
    Python,
    Node,
}

#[component]
pub(super) fn ViewCode(
    columns: Rows<Conversation>,
    setup: Setup,
    draft: RwSignal<String>,
) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let open = RwSignal::new(false);
    view! {
        <button
            class="button playground-code"
            type="button"
            aria-expanded=move || open.get().to_string()
            aria-controls="playground-code"
            disabled=move || !live.get()
            on:click=move |_| open.update(|open| *open = !*open)
        >
            {text!(locale, playground.view_code)}
        </button>
        <section
            class="panel"
            id="playground-code"
            aria-label=text!(locale, playground.view_code)
            hidden=move || !open.get()
        >
            {move || open.get().then(|| view! { <Code columns setup draft /> })}
        </section>
    }
}

#[component]
fn Code(columns: Rows<Conversation>, setup: Setup, draft: RwSignal<String>) -> impl IntoView {
    let locale = use_locale();
    let tool = RwSignal::new(Tool::Curl);
    let code = move |write: fn(&Sample) -> String| {
        Signal::derive(move || write(&sample(columns, setup, draft)))
    };
    let with = move |package: fn(Dialect) -> &'static str| {
        let package = package(setup.dialect.get());
        text!(locale, playground.with_package, package = package)
    };
    view! {
        <p class="panel-about">{text!(locale, playground.code_about)}</p>
        <Tabs
            label=text!(locale, playground.tool)
            id="playground-tool"
            tabs=vec![
                (Tool::Curl, text!(locale, key.curl)),
                (Tool::Python, text!(locale, key.python)),
                (Tool::Node, text!(locale, playground.node)),
            ]
            value=tool
        >
            {move || match tool.get() {
                Tool::Curl => {
                    view! { <Snippet label=text!(locale, key.in_terminal) code=code(Sample::curl) /> }
                        .into_any()
                }
                Tool::Python => {
                    view! { <Snippet label=with(python_package) code=code(Sample::python) /> }
                        .into_any()
                }
                Tool::Node => {
                    view! { <Snippet label=with(node_package) code=code(Sample::node) /> }
                        .into_any()
                }
            }}
        </Tabs>
    }
}

/// With the first of the routes, and what is being written.
fn sample(columns: Rows<Conversation>, setup: Setup, draft: RwSignal<String>) -> Sample {
    let first = columns.list.read().first().map(|row| row.of);
    let asked = setup.read();
    let text = draft.read().trim().to_owned();
    Sample {
        // Nobody opens it before the page is alive.
        origin: location().origin().unwrap_or_default(),
        ask: Ask {
            dialect: asked.dialect,
            model: first.map(|first| first.route.get()).unwrap_or_default(),
            system: asked.system,
            max_tokens: asked.max_tokens,
            before: Vec::new(),
            text: if text.is_empty() {
                GREETING.to_owned()
            } else {
                text
            },
        },
        session: asked.session,
    }
}
