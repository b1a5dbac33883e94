//! A route's form on the left; how the route decides, live, on the right.

use std::collections::BTreeMap;

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use routing::{Route, RouteDraft};

use crate::components::field::{TextArea, TextField};
use crate::components::focus::focus_first;
use crate::components::notice::{Notice, Tone};
use crate::components::submit::Submit;
use crate::components::toast::use_toasts;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::{text, use_locale};
use crate::summary::Upstream;
use crate::{paths, server_fns};

mod decides;
mod form;
mod targets;

use decides::Decides;
use form::RouteForm;
use targets::Targets;

const INVALID_FIELD: &str = ".editor [aria-invalid]";

#[component]
pub(crate) fn RouteEditor(upstreams: Vec<Upstream>) -> impl IntoView {
    let locale = use_locale();
    let navigate = use_navigate();
    let toasts = use_toasts();
    let upstreams = StoredValue::new(upstreams);
    let form = RouteForm::new();
    let draft = Memo::new(move |_| form.draft());

    // Nobody is corrected while still writing: errors show from the first Save on, then live.
    let tried = RwSignal::new(false);
    let refusal = RwSignal::new(None::<Refusal>);
    let problems = Memo::new(move |_| {
        let draft = draft.read();
        let mut problems = if tried.get() {
            check(&draft)
        } else {
            BTreeMap::new()
        };
        if let Some(refusal) = &*refusal.read()
            && refusal.draft == *draft
        {
            problems.extend(refusal.error.fields.clone());
        }
        problems
    });
    let problem = move |path: &'static str| {
        Signal::derive(move || problems.with(|problems| problems.get(path).cloned()))
    };

    let save = Action::new(move |draft: &RouteDraft| {
        let draft = draft.clone();
        async move { (draft.clone(), server_fns::create_route(draft).await) }
    });
    Effect::new(move |_| match save.value().get() {
        Some((draft, Ok(_))) => {
            toasts.success(text!(locale, route.saved, name = draft.name.as_str()));
            navigate(paths::ROUTES, NavigateOptions::default());
        }
        Some((draft, Err(error))) => {
            refusal.set(Some(Refusal { draft, error }));
            focus_first(INVALID_FIELD);
        }
        None => {}
    });

    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        if save.pending().get_untracked() {
            return;
        }
        tried.set(true);
        refusal.set(None);
        if problems.read_untracked().is_empty() {
            save.dispatch(draft.get_untracked());
        } else {
            focus_first(INVALID_FIELD);
        }
    };

    view! {
        <form class="editor" method="post" novalidate on:submit=on_submit>
            <div class="editor-form">
                <section class="panel">
                    <TextField
                        id="route-name"
                        label=text!(locale, route.name)
                        hint=text!(locale, route.name_hint)
                        code=true
                        autofocus=true
                        value=form.name
                        error=problem("name")
                    />
                    <TextArea
                        id="route-description"
                        label=text!(locale, route.description)
                        value=form.description
                        error=problem("description")
                    />
                </section>
                <Targets form upstreams problems=problems.into() />
                {move || refusal.get().map(|Refusal { error, .. }| view! { <SaveRefused error /> })}
                <div class="editor-actions">
                    <Submit
                        label=text!(locale, route.save)
                        busy_label=text!(locale, route.saving)
                        busy=save.pending()
                    />
                    <a class="button" href=paths::ROUTES>
                        {text!(locale, route.cancel)}
                    </a>
                </div>
            </div>
            <Decides draft=draft.into() upstreams />
        </form>
    }
}

/// What the server said of a draft. Its words on fields count until the draft changes.
#[derive(Clone)]
struct Refusal {
    draft: RouteDraft,
    error: ApiError,
}

/// The same check as the server's, field path to sentence.
fn check(draft: &RouteDraft) -> BTreeMap<String, String> {
    match Route::try_from(draft) {
        Ok(_) => BTreeMap::new(),
        Err(errors) => errors.into_messages(),
    }
}

#[component]
pub(crate) fn SaveRefused(error: ApiError) -> impl IntoView {
    let locale = use_locale();
    match error.code {
        // A new tab, for leaving this page would lose what was typed.
        ErrorCode::Unauthenticated => view! {
            <Notice tone=Tone::Danger>
                <p>{text!(locale, route.signed_out)}</p>
                <a href=paths::sign_in_then(paths::ROUTES) target="_blank" rel="noopener">
                    {text!(locale, route.signed_out_link)}
                </a>
            </Notice>
        }
        .into_any(),
        ErrorCode::Invalid => {
            view! { <Notice tone=Tone::Danger>{text!(locale, route.fields_wrong)}</Notice> }
                .into_any()
        }
        _ => view! { <Notice tone=Tone::Danger>{error.message}</Notice> }.into_any(),
    }
}
