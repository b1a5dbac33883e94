//! Short reports at the edge of the page, read out by screen readers.

use std::time::Duration;

use leptos::prelude::*;

use crate::components::icon::{Glyph, Icon};
use crate::components::notice::Tone;
use crate::i18n::{text, use_locale};

/// Long enough to read a sentence twice. A failure stays until it is closed.
const SUCCESS_STAYS: Duration = Duration::from_secs(6);

#[derive(Clone)]
struct Toast {
    key: u32,
    tone: Tone,
    text: String,
}

/// Where a page reports to.
#[derive(Clone, Copy)]
pub(crate) struct ToastList {
    toasts: RwSignal<Vec<Toast>>,
    next_key: StoredValue<u32>,
}

impl ToastList {
    pub(crate) fn success(self, text: String) {
        let key = self.add(Tone::Info, text);
        set_timeout(move || self.close(key), SUCCESS_STAYS);
    }

    pub(crate) fn failure(self, text: String) {
        self.add(Tone::Danger, text);
    }

    fn add(self, tone: Tone, text: String) -> u32 {
        let key = self.next_key.get_value();
        self.next_key.set_value(key.wrapping_add(1));
        self.toasts
            .update(|toasts| toasts.push(Toast { key, tone, text }));
        key
    }

    fn close(self, key: u32) {
        self.toasts
            .update(|toasts| toasts.retain(|toast| toast.key != key));
    }
}

fn new_list() -> ToastList {
    ToastList {
        toasts: RwSignal::new(Vec::new()),
        next_key: StoredValue::new(0),
    }
}

pub(crate) fn provide_toasts() {
    provide_context(new_list());
}

pub(crate) fn use_toasts() -> ToastList {
    use_context().unwrap_or_else(new_list)
}

#[component]
pub(crate) fn Toasts() -> impl IntoView {
    let locale = use_locale();
    let list = use_toasts();
    view! {
        <div class="toasts" role="status" aria-live="polite">
            <For each=move || list.toasts.get() key=|toast| toast.key let:toast>
                <div class="toast" class:danger=toast.tone == Tone::Danger>
                    <Glyph icon=match toast.tone {
                        Tone::Info => Icon::Check,
                        Tone::Danger => Icon::Alert,
                    } />
                    <p>{toast.text}</p>
                    <button
                        class="icon-button"
                        type="button"
                        aria-label=text!(locale, toast.close)
                        on:click=move |_| list.close(toast.key)
                    >
                        <Glyph icon=Icon::Close />
                    </button>
                </div>
            </For>
        </div>
    }
}
