//! Whether the browser has brought the page alive.
//!
//! Until then a click is lost and a native form submit would leave the page, so buttons that need
//! us wait for it; `<html data-live>` shows it to tests.

use leptos::prelude::*;

#[derive(Clone, Copy)]
struct Live(RwSignal<bool>);

/// Takes the page that the server rendered over, with the code of its own that it needs.
#[cfg(feature = "hydrate")]
pub async fn hydrate() {
    use leptos::mount::hydrate_from_async;

    use crate::i18n::Language;

    let Some(body) = document().body() else {
        return;
    };
    let live = ArcRwSignal::new(false);
    let given = live.clone();
    let language = Language::of_document();
    let app = move || {
        provide_context(Live(given.into()));
        provide_context(language);
        crate::App()
    };
    hydrate_from_async(body, app).await.forget();
    live.set(true);
    if let Some(root) = document().document_element() {
        // Only an invalid name is refused.
        let _ = root.set_attribute("data-live", "");
    }
}

pub(crate) fn use_live() -> Signal<bool> {
    use_context::<Live>().map_or_else(|| Signal::stored(false), |live| live.0.into())
}
