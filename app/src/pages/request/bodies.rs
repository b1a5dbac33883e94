//! What was asked and answered, shown when somebody wants to see it.

use leptos::prelude::*;
use uuid::Uuid;

use crate::api::request::{Bodies, Body};
use crate::components::notice::{Notice, Tone};
use crate::i18n::{text, use_locale};
use crate::live::use_live;
use crate::server_fns;

#[component]
pub(super) fn KeptBodies(id: Uuid) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let show = Action::new(move |(): &()| server_fns::get_request_bodies(id));
    let busy = show.pending();
    let shown = move || {
        Some(match show.value().get()? {
            Ok(Bodies { asked, answered }) => view! {
                <Part title=text!(locale, request.asked) body=asked />
                <Part title=text!(locale, request.answered) body=answered />
            }
            .into_any(),
            Err(error) => view! { <Notice tone=Tone::Danger>{error.message}</Notice> }.into_any(),
        })
    };
    view! {
        <section class="panel" aria-labelledby="bodies-title">
            <div class="panel-bar">
                <h2 class="panel-title" id="bodies-title">
                    {text!(locale, request.bodies)}
                </h2>
                <button
                    class="button small"
                    type="button"
                    disabled=move || !live.get()
                    aria-disabled=move || busy.get().then_some("true")
                    on:click=move |_| {
                        show.dispatch(());
                    }
                >
                    {text!(locale, request.show_bodies)}
                </button>
            </div>
            {shown}
        </section>
    }
}

#[component]
fn Part(title: &'static str, body: Body) -> impl IntoView {
    let locale = use_locale();
    let cut = body
        .cut
        .then(|| view! { <p class="field-hint">{text!(locale, request.cut)}</p> });
    let text = match body.text.is_empty() {
        true => view! { <p class="panel-about">{text!(locale, request.no_text)}</p> }.into_any(),
        false => view! {
            <pre class="story-body" tabindex="0" aria-label=title>
                {body.text}
            </pre>
        }
        .into_any(),
    };
    view! {
        <h3 class="plugin-title">{title}</h3>
        {text}
        {cut}
    }
}
