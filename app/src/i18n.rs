//! The words on screen, from `locales/*.json`, checked when compiled.
//!
//! A page's language is fixed for as long as the page is open, so texts are plain values and not
//! signals, and the library's provider, with its cookie and language negotiation, stays out of the
//! wasm.

// Not ours to tidy.
#[allow(dead_code, unused_imports, clippy::all, clippy::expect_used)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/i18n.rs"));
}

pub use generated::i18n::Locale;

/// The language of this page. There is one.
pub fn use_locale() -> Locale {
    Locale::default()
}

/// A text by its key, with what it interpolates: `text!(locale, routes.title)`.
macro_rules! text {
    ($locale:expr, $($key:tt)*) => {
        ::leptos_i18n::td_string!($locale, $($key)*)
    };
}

pub(crate) use text;
