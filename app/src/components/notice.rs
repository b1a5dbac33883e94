//! A sentence that belongs to the page: something went wrong, or is worth knowing.

use leptos::prelude::*;

use crate::components::icon::{Glyph, Icon};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Info,
    Danger,
}

#[component]
pub(crate) fn Notice(tone: Tone, children: Children) -> impl IntoView {
    let (class, role, icon) = match tone {
        Tone::Info => ("notice info", "status", Icon::Info),
        Tone::Danger => ("notice danger", "alert", Icon::Alert),
    };
    view! {
        <div class=class role=role>
            <Glyph icon />
            <div>{children()}</div>
        </div>
    }
}
