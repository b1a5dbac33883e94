//! The new key, this once with its secret, and how to use it.

use leptos::html::Code;
use leptos::prelude::*;

use super::lines::Use;
use crate::api::key::{NewKey, Scope};
use crate::components::copy_button::CopyButton;
use crate::components::focus::focus_first;
use crate::components::snippet::Snippet;
use crate::components::tabs::Tabs;
use crate::i18n::{text, use_locale};
use crate::paths;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    Curl,
    Python,
    Codex,
    ClaudeCode,
}

#[component]
pub(super) fn Made(key: NewKey, routes: Vec<String>) -> impl IntoView {
    let locale = use_locale();
    let NewKey { about, key: secret } = key;
    let element = NodeRef::<Code>::new();
    // The form that had the focus is gone.
    element.on_load(move |_| focus_first("#key-made"));
    let calls_routes = about.scopes.contains(&Scope::Inference);
    let model = about.routes.first().or(routes.first()).cloned();

    view! {
        <div class="key-form">
            <section class="panel" aria-labelledby="key-made">
                <div class="panel-head">
                    <h2 class="panel-title" id="key-made" tabindex="-1">
                        {text!(locale, key.made, name = about.name.as_str())}
                    </h2>
                    <p class="panel-about">{text!(locale, key.made_about)}</p>
                </div>
                <div class="secret">
                    <code class="secret-text" node_ref=element>
                        {secret.clone()}
                    </code>
                    <CopyButton of=element worded=true />
                </div>
            </section>
            <section class="panel" aria-labelledby="key-use">
                <h2 class="panel-title" id="key-use">
                    {text!(locale, key.use_it)}
                </h2>
                <Lines
                    secret
                    calls_routes
                    model=model.unwrap_or_else(|| text!(locale, key.model_unknown).to_owned())
                />
            </section>
            <div class="editor-actions">
                <a class="button primary" href=paths::KEYS>
                    {text!(locale, key.done)}
                </a>
            </div>
        </div>
    }
}

#[component]
fn Lines(secret: String, calls_routes: bool, model: String) -> impl IntoView {
    let locale = use_locale();
    // A key is only ever made by a page that is alive.
    let lines = Use {
        origin: location().origin().unwrap_or_default(),
        key: secret,
        model,
    };
    if !calls_routes {
        let code = lines.management();
        return view! { <Snippet label=text!(locale, key.list_routes) code /> }.into_any();
    }
    let tool = RwSignal::new(Tool::Curl);
    view! {
        <Tabs
            label=text!(locale, key.tool)
            id="tool"
            tabs=vec![
                (Tool::Curl, text!(locale, key.curl)),
                (Tool::Python, text!(locale, key.python)),
                (Tool::Codex, text!(locale, key.codex)),
                (Tool::ClaudeCode, text!(locale, key.claude_code)),
            ]
            value=tool
        >
            {move || match tool.get() {
                Tool::Curl => {
                    view! { <Snippet label=text!(locale, key.in_terminal) code=lines.curl() /> }
                        .into_any()
                }
                Tool::Python => {
                    view! { <Snippet label=text!(locale, key.in_python) code=lines.python() /> }
                        .into_any()
                }
                Tool::Codex => {
                    view! {
                        <Snippet label=text!(locale, key.in_codex_config) code=lines.codex_config() />
                        <Snippet label=text!(locale, key.in_terminal) code=lines.codex() />
                    }
                        .into_any()
                }
                Tool::ClaudeCode => {
                    view! { <Snippet label=text!(locale, key.in_terminal) code=lines.claude_code() /> }
                        .into_any()
                }
            }}
        </Tabs>
    }
    .into_any()
}
