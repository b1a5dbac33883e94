//! Moving the keyboard's focus.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Once the element is in the document: a new page's is made before it is.
pub(crate) fn focus_soon(element: &HtmlElement) {
    let element = element.clone();
    request_animation_frame(move || {
        // Whatever cannot take the focus leaves it where it is.
        let _ = element.focus();
    });
}

/// The first match, once what was set just now is on the page.
pub(crate) fn focus_first(selector: impl Into<String>) {
    let selector = selector.into();
    request_animation_frame(move || {
        if let Ok(Some(found)) = document().query_selector(&selector)
            && let Ok(found) = found.dyn_into::<HtmlElement>()
        {
            let _ = found.focus();
        }
    });
}

/// For `on:blur`: a browser also reports it in the middle of taking a focused element off the page.
/// A signal set then would wake effects that find it gone; a frame later it is gone and stays quiet.
pub(crate) fn once_left(action: impl FnOnce() + 'static) {
    request_animation_frame(action);
}
