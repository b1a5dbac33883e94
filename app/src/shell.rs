//! The document around the pages.
//!
//! Its tags are written by hand: leptos 0.8.23's own `HydrationScripts` puts the CSP nonce into
//! `crossorigin`. There is no inline script here; `script` is allowed as one of our own.

use std::collections::BTreeMap;

use leptos::prelude::*;
use leptos_i18n::Locale as _;
use leptos_meta::MetaTags;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::i18n::use_language;

/// Where the bundled files are: what `frontend/dist/manifest.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assets {
    pub script: String,
    /// Puts the chosen theme on the document; loaded before the first paint.
    pub theme: String,
    pub style: String,
    pub wasm: String,
    /// What else of the wasm the pages of a group need ([`crate::lazy`]).
    pub parts: BTreeMap<String, Vec<String>>,
    pub icon: String,
}

/// The whole document. Without [`Assets`] in context, as in a server built without the pages'
/// bundle, it is plain HTML.
pub fn shell() -> impl IntoView {
    let language = use_language();
    view! {
        <!DOCTYPE html>
        <html lang=language.locale.as_str() data-language-chosen=language.chosen>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="referrer" content="same-origin" />
                {use_context::<Assets>().map(links)}
                <MetaTags />
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}

fn links(assets: Assets) -> impl IntoView {
    let Assets {
        script,
        theme,
        style,
        wasm,
        parts: _,
        icon,
    } = assets;
    view! {
        <link rel="icon" type="image/svg+xml" href=icon />
        <script src=theme></script>
        <link rel="stylesheet" href=style />
        <link rel="modulepreload" href=script.clone() />
        <link rel="preload" r#as="fetch" type="application/wasm" crossorigin="anonymous" href=wasm />
        <script type="module" src=script></script>
    }
}
