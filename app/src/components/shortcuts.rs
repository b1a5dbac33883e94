//! Keys that lead to pages and to a page's search, and the sheet that tells them.
//!
//! None of them counts while somebody types into a field, or while a question is open.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent};

use crate::components::dialog::Dialog;
use crate::components::icon::{Glyph, Icon};
use crate::components::leaving::use_leaving;
use crate::i18n::{Locale, text, use_locale};
use crate::live::use_live;
use crate::paths;

/// How long `g` waits for the key after it, in milliseconds.
const WAITS: f64 = 1_500.0;

/// Pages by the key that follows `g`.
const PLACES: [(&str, &str); 6] = [
    ("r", paths::ROUTES),
    ("p", paths::PROVIDERS),
    ("k", paths::KEYS),
    ("q", paths::REQUESTS),
    ("u", paths::USAGE),
    ("t", paths::PLAYGROUND),
];

const TYPED_INTO: &str =
    "input:not([type=checkbox], [type=radio], [type=range]), select, textarea, [contenteditable]";

const SEARCH: &str = "main [type=search], main [role=search] :is(input, select)";

/// The button that opens the sheet; it also listens to the keys.
#[component]
pub(crate) fn Shortcuts() -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let open = RwSignal::new(false);
    let navigate = use_navigate();
    let leaving = use_leaving();
    let go = Callback::new(move |path: &'static str| {
        let navigate = navigate.clone();
        let go = Callback::new(move |()| navigate(path, NavigateOptions::default()));
        match leaving {
            Some(leaving) => leaving.leave_by(go),
            None => go.run(()),
        }
    });
    Effect::new(move |_| listen(open, go));

    view! {
        <button
            class="nav-action"
            type="button"
            title=text!(locale, shortcuts.title)
            aria-keyshortcuts="?"
            disabled=move || !live.get()
            on:click=move |_| open.set(true)
        >
            <Glyph icon=Icon::Keyboard />
            <span>{text!(locale, shortcuts.title)}</span>
        </button>
        {move || open.get().then(|| view! { <Sheet on_close=move |()| open.set(false) /> })}
    }
}

#[component]
fn Sheet(#[prop(into)] on_close: Callback<()>) -> impl IntoView {
    let locale = use_locale();
    let places = PLACES.into_iter().map(move |(key, path)| {
        view! {
            <dt>
                <kbd>"g"</kbd>
                " "
                <kbd>{key}</kbd>
            </dt>
            <dd>{place_name(locale, path)}</dd>
        }
    });
    view! {
        <Dialog id="shortcuts" title=text!(locale, shortcuts.title) on_close let:close>
            <dl class="shortcuts">
                {places.collect_view()} <dt>
                    <kbd>"/"</kbd>
                </dt> <dd>{text!(locale, shortcuts.search)}</dd> <dt>
                    <kbd>"?"</kbd>
                </dt> <dd>{text!(locale, shortcuts.sheet)}</dd>
            </dl>
            <div class="dialog-actions">
                <button class="button" type="button" on:click=move |_| close.run(())>
                    {text!(locale, shortcuts.close)}
                </button>
            </div>
        </Dialog>
    }
}

fn place_name(locale: Locale, path: &str) -> &'static str {
    match path {
        paths::ROUTES => text!(locale, routes.title),
        paths::PROVIDERS => text!(locale, providers.title),
        paths::KEYS => text!(locale, keys.title),
        paths::REQUESTS => text!(locale, requests.title),
        paths::USAGE => text!(locale, usage.title),
        paths::PLAYGROUND => text!(locale, playground.title),
        _ => "",
    }
}

fn listen(open: RwSignal<bool>, go: Callback<&'static str>) {
    // When `g` was hit.
    let begun = StoredValue::new(f64::NEG_INFINITY);
    let on_key = move |event: Event| {
        // Browsers that fill in a form send a keydown that is none.
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
            return;
        };
        if event.ctrl_key() || event.meta_key() || event.alt_key() || is_busy(event) {
            return;
        }
        let now = js_sys::Date::now();
        let follows = now - begun.get_value() < WAITS;
        begun.set_value(f64::NEG_INFINITY);
        let key = event.key();
        let place = PLACES.iter().find(|(of_place, _)| *of_place == key);
        match (key.as_str(), place) {
            (_, Some((_, path))) if follows => go.run(path),
            ("g", _) => begun.set_value(now),
            ("?", _) => {
                event.prevent_default();
                open.set(true);
            }
            ("/", _) => focus_search(event),
            _ => {}
        }
    };
    let listening = window_event_listener_untyped("keydown", on_key);
    on_cleanup(move || listening.remove());
}

/// Whether somebody types, or is asked something.
fn is_busy(event: &KeyboardEvent) -> bool {
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let types = target.is_some_and(|target| {
        target
            .closest(TYPED_INTO)
            .is_ok_and(|found| found.is_some())
    });
    types
        || document()
            .query_selector("dialog[open]")
            .is_ok_and(|open| open.is_some())
}

fn focus_search(event: &KeyboardEvent) {
    if let Ok(Some(found)) = document().query_selector(SEARCH)
        && let Ok(found) = found.dyn_into::<HtmlElement>()
    {
        // The key itself is not to be typed there.
        event.prevent_default();
        let _ = found.focus();
    }
}
