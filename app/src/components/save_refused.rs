//! Why a form could not be saved, above its Save button.

use leptos::prelude::*;

use crate::components::notice::{Notice, Tone};
use crate::error::{ApiError, ErrorCode};
use crate::i18n::{text, use_locale};
use crate::paths;

#[component]
pub(crate) fn SaveRefused(
    error: ApiError,
    /// Where whoever has to sign in again goes on.
    next: &'static str,
) -> impl IntoView {
    let locale = use_locale();
    let words = match error.code {
        // A new tab, for leaving this page would lose what was typed.
        ErrorCode::Unauthenticated => view! {
            <p>{text!(locale, form.signed_out)}</p>
            <a href=paths::sign_in_then(next) target="_blank" rel="noopener">
                {text!(locale, form.signed_out_link)}
            </a>
        }
        .into_any(),
        ErrorCode::Invalid => text!(locale, form.fields_wrong).into_any(),
        _ => error.message.into_any(),
    };
    view! { <Notice tone=Tone::Danger>{words}</Notice> }
}
