//! The words on screen, from `locales/*.json`, checked when compiled.
//!
//! A page's language is fixed for as long as the page is open: the server chooses it and writes it on
//! the document, where the browser reads it once. So texts are plain values and not signals, and the
//! library's provider, with its cookie and language negotiation, stays out of the wasm.

use leptos::prelude::use_context;

// Not ours to tidy.
#[allow(dead_code, unused_imports, clippy::all, clippy::expect_used)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/i18n.rs"));
}

pub use generated::i18n::Locale;

/// Keeps the language that was chosen by hand. The settings page writes it, the server reads it.
pub const LANGUAGE_COOKIE: &str = "signalbox_language";

/// Tells the browser that the document's language was chosen by hand.
#[cfg(feature = "hydrate")]
const CHOSEN: &str = "data-language-chosen";

/// In which language a page is written; given to it as a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Language {
    pub locale: Locale,
    /// By hand; otherwise the browser's preferences decided.
    pub chosen: bool,
}

impl Language {
    /// What the server wrote on the document.
    #[cfg(feature = "hydrate")]
    pub(crate) fn of_document() -> Self {
        let root = leptos::prelude::document().document_element();
        root.map_or_else(Self::default, |root| Self {
            locale: root
                .get_attribute("lang")
                .and_then(|lang| lang.parse().ok())
                .unwrap_or_default(),
            chosen: root.has_attribute(CHOSEN),
        })
    }
}

pub(crate) fn use_language() -> Language {
    use_context().unwrap_or_default()
}

/// The language of this page.
pub(crate) fn use_locale() -> Locale {
    use_language().locale
}

/// A text by its key, with what it interpolates: `text!(locale, routes.title)`.
macro_rules! text {
    ($locale:expr, $($key:tt)*) => {
        ::leptos_i18n::td_string!($locale, $($key)*)
    };
}

pub(crate) use text;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::Value;

    /// Written alike in both: names, signs and what is typed.
    const ALIKE: [&str; 21] = [
        "{{ name }} {{ share }}",
        "+{{ count }}",
        "Anthropic",
        "Claude Code",
        "Codex",
        "Decision Service Routing",
        "LLM",
        "Least Inflight Request",
        "Node.js",
        "Policy",
        "Python",
        "Route By",
        "Session Affinity",
        "Signalbox",
        "Target Weight",
        "curl",
        "http://127.0.0.1:8000/v1",
        "round-robin",
        "your-route",
        "{{ ms }} ms",
        "{{ scorer }}: {{ value }}",
    ];

    /// Every text by its path.
    fn texts(json: &str) -> BTreeMap<String, String> {
        fn collect(path: &str, value: &Value, texts: &mut BTreeMap<String, String>) {
            match value {
                Value::Object(inner) => {
                    for (key, value) in inner {
                        let dot = if path.is_empty() { "" } else { "." };
                        collect(&format!("{path}{dot}{key}"), value, texts);
                    }
                }
                other => {
                    texts.insert(path.to_owned(), other.as_str().unwrap().to_owned());
                }
            }
        }
        let mut found = BTreeMap::new();
        collect("", &serde_json::from_str(json).unwrap(), &mut found);
        found
    }

    /// The names of what it interpolates.
    fn names(text: &str) -> BTreeSet<&str> {
        text.split("{{")
            .skip(1)
            .map(|rest| rest.split("}}").next().unwrap().trim())
            .collect()
    }

    // Where a key is missing the library only warns and takes the English text.
    #[test]
    fn every_text_is_there_in_japanese() {
        let english = texts(include_str!("../locales/en.json"));
        let japanese = texts(include_str!("../locales/ja.json"));
        let keys = |texts: &BTreeMap<String, String>| texts.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&japanese), keys(&english));
        for (key, text) in &english {
            let translated = &japanese[key];
            assert_eq!(names(translated), names(text), "{key}");
            assert_eq!(translated == text, ALIKE.contains(&text.as_str()), "{key}");
        }
    }
}
