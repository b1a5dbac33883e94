//! A route's form on the left; how the route decides, live, on the right.

use std::collections::BTreeMap;

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use routing::{Route, RouteDraft};

use crate::components::choice::Choice;
use crate::components::conflict::Conflict;
use crate::components::field::{TextArea, TextField};
use crate::components::focus::focus_first;
use crate::components::leaving::guard_unsaved;
use crate::components::save_refused::SaveRefused;
use crate::components::submit::Submit;
use crate::components::switch::Switch;
use crate::components::toast::use_toasts;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::{text, use_locale};
use crate::summary::Catalog;
use crate::{paths, server_fns};

mod balance;
mod decides;
mod differences;
mod fallbacks;
mod form;
mod policy;
mod policy_form;
mod retries;
mod simulator;
mod targets;

use decides::Decides;
use differences::differences;
use fallbacks::Fallbacks;
use form::RouteForm;
pub(crate) use form::Start;
use policy::{Policy, Problems};
use policy_form::By;
use retries::Retries;
use targets::Targets;

const INVALID_FIELD: &str = ".editor [aria-invalid]";

#[component]
pub(crate) fn RouteEditor(start: Start, catalog: Catalog) -> impl IntoView {
    let locale = use_locale();
    let navigate = use_navigate();
    let toasts = use_toasts();
    let options = StoredValue::new(catalog.targets);
    let upstreams = StoredValue::new(catalog.upstreams);
    let deciders = StoredValue::new(catalog.deciders);
    let form = RouteForm::new(start);
    let draft = Memo::new(move |_| form.draft());

    // What is stored: the draft differs from it in what would be lost.
    let kept = RwSignal::new(draft.get_untracked());
    guard_unsaved(Signal::derive(move || *kept.read() != *draft.read()));

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
    // Of the targets, each once.
    let models = Memo::new(move |_| {
        let mut models = Vec::new();
        for target in &draft.read().targets {
            if !target.model.is_empty() && !models.contains(&target.model) {
                models.push(target.model.clone());
            }
        }
        models
    });
    let problem = move |path: &'static str| {
        Signal::derive(move || problems.with(|problems| problems.get(path).cloned()))
    };

    let save = Action::new(move |draft: &RouteDraft| {
        let draft = draft.clone();
        async move {
            let saved = match form.stored {
                Some(id) => server_fns::update_route(id, draft.clone()).await,
                None => server_fns::create_route(draft.clone()).await,
            };
            (draft, saved)
        }
    });
    // What somebody else saved meanwhile.
    let theirs = Action::new(move |(): &()| async move {
        match form.stored {
            Some(id) => server_fns::get_route(id).await,
            None => Ok(RouteDraft::default()),
        }
    });
    let conflict = RwSignal::new(None::<RouteDraft>);
    Effect::new(move |_| match save.value().get() {
        Some((draft, Ok(_))) => {
            toasts.success(text!(locale, route.saved, name = draft.name.as_str()));
            kept.set(draft);
            navigate(paths::ROUTES, NavigateOptions::default());
        }
        Some((_, Err(error))) if error.code == ErrorCode::Stale => {
            theirs.dispatch(());
        }
        Some((draft, Err(error))) => {
            refusal.set(Some(Refusal { draft, error }));
            focus_first(INVALID_FIELD);
        }
        None => {}
    });
    Effect::new(move |_| match theirs.value().get() {
        Some(Ok(stored)) => conflict.set(Some(stored)),
        Some(Err(error)) => refusal.set(Some(Refusal {
            draft: draft.get_untracked(),
            error,
        })),
        None => {}
    });

    let submit = move || {
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
    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        submit();
    };

    view! {
        <form class="editor" method="post" novalidate on:submit=on_submit>
            <div class="editor-form">
                <section class="panel">
                    <div class="panel-bar">
                        <h2 class="panel-title">{text!(locale, route.basics)}</h2>
                        <label class="switch-row">
                            {text!(locale, route.enabled)}
                            <Switch
                                label=Signal::stored(text!(locale, route.enabled).to_owned())
                                on=form.enabled
                            />
                        </label>
                    </div>
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
                <Targets form options problems=problems.into() />
                <section class="panel">
                    <Choice
                        label=text!(locale, route_by.label)
                        name="route-by"
                        options=vec![
                            (By::TargetWeight, text!(locale, route_by.target_weight)),
                            (By::Policy, text!(locale, route_by.policy)),
                        ]
                        value=form.policy.by
                    />
                    <p class="field-hint">
                        {move || match form.policy.by.get() {
                            By::TargetWeight => text!(locale, policy.by_weight),
                            By::Policy => text!(locale, policy.by_policy),
                        }}
                    </p>
                </section>
                <div class="editor-form" hidden=move || form.policy.by.get() == By::TargetWeight>
                    <Policy form=form.policy deciders models problems=Problems(problems.into()) />
                </div>
                <Fallbacks form options problems=Problems(problems.into()) />
                <Retries form problems=Problems(problems.into()) />
                {move || {
                    refusal
                        .get()
                        .map(|Refusal { error, .. }| {
                            view! { <SaveRefused error next=paths::ROUTES /> }
                        })
                }}
                <div class="editor-actions">
                    <Submit
                        label=text!(locale, form.save)
                        busy_label=text!(locale, form.saving)
                        busy=save.pending()
                    />
                    <a class="button" href=paths::ROUTES>
                        {text!(locale, form.cancel)}
                    </a>
                </div>
            </div>
            <Decides draft=draft.into() options upstreams />
        </form>
        {move || {
            let theirs = conflict.get()?;
            let revision = theirs.revision;
            let differences = differences(locale, &theirs, &draft.read_untracked());
            Some(view! {
                <Conflict
                    differences
                    on_mine=move |()| {
                        form.revision.set(revision);
                        submit();
                    }
                    on_close=move |()| conflict.set(None)
                />
            })
        }}
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
