//! Asks before what was typed and not saved is lost: by a link, by the Back button, by closing the
//! tab.
//!
//! Closing and reloading are the browser's own question. The Back button is caught where browsers
//! have the Navigation API; others go back at once.

use js_sys::{Function, Reflect};
use leptos::ev;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, EventTarget, MouseEvent};

use crate::components::confirm::Confirm;
use crate::i18n::{text, use_locale};

/// Whether the page holds what would be lost, and where somebody wants to go all the same.
#[derive(Clone, Copy)]
pub(crate) struct Leaving {
    unsaved: RwSignal<bool>,
    onward: RwSignal<Option<Onward>>,
}

#[derive(Clone)]
enum Onward {
    /// An address of this site.
    To(String),
    /// An entry of the history, by its key in the Navigation API.
    Entry(String),
    Do(Callback<()>),
}

impl Leaving {
    /// Loads the page anew: controls that are on it keep what was typed into them.
    pub(crate) fn discard_and_reload(self) {
        self.unsaved.set(false);
        // Only a page that is being left refuses.
        let _ = location().reload();
    }

    /// Does it at once, or after a yes when something would be lost.
    pub(crate) fn leave_by(self, action: Callback<()>) {
        if self.unsaved.get_untracked() {
            self.onward.set(Some(Onward::Do(action)));
        } else {
            action.run(());
        }
    }
}

pub(crate) fn provide_leaving() {
    provide_context(Leaving {
        unsaved: RwSignal::new(false),
        onward: RwSignal::new(None),
    });
}

pub(crate) fn use_leaving() -> Option<Leaving> {
    use_context()
}

/// For a form: while `dirty`, leaving its page is asked about.
pub(crate) fn guard_unsaved(dirty: Signal<bool>) {
    if let Some(leaving) = use_leaving() {
        Effect::new(move |_| leaving.unsaved.set(dirty.get()));
        on_cleanup(move || leaving.unsaved.set(false));
    }
}

/// Stands once in the frame around all pages.
#[component]
pub(crate) fn LeaveGuard() -> impl IntoView {
    let locale = use_locale();
    let navigate = use_navigate();
    let leaving = use_leaving()?;
    Effect::new(move |_| listen(leaving));

    let go = Callback::new(move |onward: Onward| {
        leaving.unsaved.set(false);
        leaving.onward.set(None);
        match onward {
            Onward::To(path) => navigate(&path, NavigateOptions::default()),
            Onward::Entry(key) => traverse_to(&key),
            Onward::Do(action) => action.run(()),
        }
    });
    Some(move || {
        let onward = leaving.onward.get()?;
        Some(view! {
            <Confirm
                title=text!(locale, leaving.title)
                question=text!(locale, leaving.question)
                action=text!(locale, leaving.leave)
                on_yes=move |()| go.run(onward.clone())
                on_close=move |()| leaving.onward.set(None)
            />
        })
    })
}

/// The frame goes away with the whole session only, but then its listeners must too.
fn listen(leaving: Leaving) {
    let closing = window_event_listener(ev::beforeunload, move |event| {
        if leaving.unsaved.get_untracked() {
            event.prevent_default();
        }
    });
    on_cleanup(move || closing.remove());

    // In the capture phase, before the router hears of it.
    let clicks = EventTarget::from(document());
    let clicked = Closure::<dyn FnMut(MouseEvent)>::new(move |event: MouseEvent| {
        if leaving.unsaved.get_untracked()
            && let Some(path) = followed(&event)
        {
            event.prevent_default();
            event.stop_propagation();
            leaving.onward.set(Some(Onward::To(path)));
        }
    });
    listen_to(&clicks, "click", clicked.into_js_value(), true);

    if let Some(navigation) = navigation() {
        let navigated = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            if leaving.unsaved.get_untracked()
                && event.cancelable()
                && let Some(key) = traversed(&event)
            {
                event.prevent_default();
                leaving.onward.set(Some(Onward::Entry(key)));
            }
        });
        listen_to(&navigation, "navigate", navigated.into_js_value(), false);
    }
}

fn listen_to(target: &EventTarget, name: &'static str, listener: JsValue, capture: bool) {
    let listener = StoredValue::new_local((target.clone(), Function::from(listener)));
    // Only a target that is gone refuses.
    listener.with_value(|(target, listener)| {
        let _ = target.add_event_listener_with_callback_and_bool(name, listener, capture);
    });
    on_cleanup(move || {
        listener.with_value(|(target, listener)| {
            let _ = target.remove_event_listener_with_callback_and_bool(name, listener, capture);
        });
    });
}

/// Where a plain click on a link of this site leads, in this tab.
fn followed(event: &MouseEvent) -> Option<String> {
    let plain = event.button() == 0
        && !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key());
    if !plain {
        return None;
    }
    let link = event
        .target()?
        .dyn_into::<Element>()
        .ok()?
        .closest("a[href]")
        .ok()??;
    let path = link.get_attribute("href")?;
    let stays = path.starts_with('#') || link.has_attribute("target");
    (!stays && path.starts_with('/')).then_some(path)
}

fn navigation() -> Option<EventTarget> {
    let navigation = Reflect::get(&window(), &"navigation".into()).ok()?;
    navigation.dyn_into().ok()
}

/// The entry that the Back or Forward button leads to.
fn traversed(event: &Event) -> Option<String> {
    let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    if get(event, "navigationType")?.as_string()? != "traverse" {
        return None;
    }
    get(&get(event, "destination")?, "key")?.as_string()
}

fn traverse_to(key: &str) {
    if let Some(navigation) = navigation()
        && let Ok(go) = Reflect::get(&navigation, &"traverseTo".into())
        && let Ok(go) = go.dyn_into::<Function>()
    {
        // Refused only when the entry is gone, and then there is nowhere to go.
        let _ = go.call1(&navigation, &key.into());
    }
}
