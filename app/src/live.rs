//! Whether the browser has brought the page alive.
//!
//! Until then a click is lost and a native form submit would leave the page, so buttons that need
//! us wait for it; `<html data-live>` shows it to tests.

use leptos::prelude::*;

#[derive(Clone, Copy)]
struct Live(RwSignal<bool>);

pub(crate) fn provide_live() {
    let live = RwSignal::new(false);
    provide_context(Live(live));
    Effect::new(move |_| {
        live.set(true);
        if let Some(root) = document().document_element() {
            // Only an invalid name is refused.
            let _ = root.set_attribute("data-live", "");
        }
    });
}

pub(crate) fn use_live() -> Signal<bool> {
    use_context::<Live>().map_or_else(|| Signal::stored(false), |live| live.0.into())
}
