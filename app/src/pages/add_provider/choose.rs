//! What kind of upstream it is to be; each choice is an address of its own.

use leptos::prelude::*;

use crate::components::provider_words::preset_name;
use crate::components::snippet::Snippet;
use crate::i18n::{text, use_locale};
use crate::paths;
use crate::presets::{Group, PRESETS};

/// Until the browser says where it is.
const DEFAULT_ORIGIN: &str = "http://127.0.0.1:8080";

#[component]
pub(super) fn ChoosePreset() -> impl IntoView {
    let locale = use_locale();
    view! {
        <div class="presets">
            <Presets group=Group::Own title=text!(locale, provider.group_own) />
            <Presets group=Group::Hosted title=text!(locale, provider.group_hosted) />
            <Presets group=Group::Decision title=text!(locale, provider.group_decision) />
            <FromScript />
        </div>
    }
}

#[component]
fn Presets(group: Group, title: &'static str) -> impl IntoView {
    let locale = use_locale();
    view! {
        <section class="preset-group">
            <h2 class="panel-title">{title}</h2>
            <ul class="preset-list">
                {PRESETS
                    .iter()
                    .filter(|preset| preset.group == group)
                    .map(|preset| {
                        let name = preset_name(locale, preset);
                        let url = if preset.url.is_empty() {
                            text!(locale, provider.any_url)
                        } else {
                            preset.url
                        };
                        view! {
                            <li>
                                <a class="preset" href=paths::add_provider_from(preset.id)>
                                    <span class="preset-name">{name}</span>
                                    <span class="preset-url">{url}</span>
                                </a>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </section>
    }
}

/// The same with the management API.
#[component]
fn FromScript() -> impl IntoView {
    let locale = use_locale();
    let origin = RwSignal::new(DEFAULT_ORIGIN.to_owned());
    Effect::new(move |_| {
        if let Ok(here) = location().origin() {
            origin.set(here);
        }
    });

    view! {
        <details class="disclosure">
            <summary>{text!(locale, provider.script)}</summary>
            <Snippet
                label=text!(locale, provider.script_sign_in)
                code=Signal::derive(move || sign_in_command(&origin.read()))
            />
            <Snippet
                label=text!(locale, provider.script_register)
                code=Signal::derive(move || register_command(&origin.read()))
            />
        </details>
    }
}

fn sign_in_command(origin: &str) -> String {
    format!(
        r#"curl {origin}/api/v1/login -c cookies.txt \
  -H 'content-type: application/json' \
  -d '{{"username": "admin", "password": "…"}}'"#
    )
}

fn register_command(origin: &str) -> String {
    format!(
        r#"curl {origin}/api/v1/providers -b cookies.txt \
  -H 'content-type: application/json' \
  -d '{{"name": "local", "kind": "openai",
       "instances": [{{"url": "http://127.0.0.1:11434"}}],
       "models": [{{"name": "qwen3:0.6b"}}]}}'"#
    )
}
