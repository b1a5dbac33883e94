//! A provider's form: where it is and what it serves on the left, what is rarely changed on the right.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use uuid::Uuid;

use crate::api::provider::{Provider, ProviderDraft, ProviderTest};
use crate::components::conflict::Conflict;
use crate::components::field::{Field, TextField};
use crate::components::focus::focus_first;
use crate::components::leaving::guard_unsaved;
use crate::components::notice::{Notice, Tone};
use crate::components::provider_words::{kinds, preset_name};
use crate::components::save_refused::SaveRefused;
use crate::components::select::Select;
use crate::components::submit::Submit;
use crate::components::switch::Switch;
use crate::components::toast::use_toasts;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::{text, use_locale};
use crate::presets::Preset;
use crate::{paths, server_fns};

mod credentials;
mod differences;
mod extras;
mod form;
mod instances;
mod models;
mod pick;
mod price;
mod problems;
mod used_by;

use credentials::Credentials;
use differences::differences;
use extras::{Headers, HealthCheck, Speaks, TimeLimits, UsageInStreams};
use form::ProviderForm;
use instances::Instances;
use models::Models;
use pick::PickModels;
use problems::{Problems, Refusal};
use used_by::UsedBy;

const INVALID_FIELD: &str = ".editor [aria-invalid]";

/// What the form shows first.
#[derive(Clone)]
pub(crate) enum Start {
    Preset(&'static Preset),
    Copy(Provider),
    Stored(Provider),
}

#[component]
pub(crate) fn ProviderEditor(
    start: Start,
    /// Names of the routes that use it.
    #[prop(optional)]
    routes: Vec<String>,
) -> impl IntoView {
    let locale = use_locale();
    let navigate = use_navigate();
    let toasts = use_toasts();
    let title = match &start {
        Start::Preset(preset) => preset_name(locale, preset),
        Start::Copy(_) | Start::Stored(_) => text!(locale, provider.basics),
    };
    let loses_secrets = matches!(
        &start,
        Start::Copy(original) if !(original.credentials.is_empty() && original.headers.is_empty())
    );
    let form = ProviderForm::new(start);
    let id = form.stored;
    let typed = Memo::new(move |_| form.read(locale));
    // What is stored: the draft differs from it in what would be lost.
    let kept = RwSignal::new(typed.get_untracked());
    guard_unsaved(Signal::derive(move || *kept.read() != *typed.read()));
    let problems = Problems {
        typed,
        tried: RwSignal::new(false),
        refusal: RwSignal::new(None),
    };
    let refused = move |draft: ProviderDraft, error: ApiError| {
        problems.refusal.set(Some(Refusal { draft, error }));
        focus_first(INVALID_FIELD);
    };

    let save = Action::new(move |draft: &ProviderDraft| {
        let draft = draft.clone();
        async move {
            let saved = match id {
                Some(id) => server_fns::update_provider(id, draft.clone()).await,
                None => server_fns::create_provider(draft.clone()).await,
            };
            (draft, saved)
        }
    });
    // What somebody else saved meanwhile.
    let theirs = Action::new(move |id: &Uuid| {
        let id = *id;
        async move { server_fns::get_provider(id).await }
    });
    let conflict = RwSignal::new(None::<Provider>);
    Effect::new(move |_| match theirs.value().get() {
        Some(Ok(stored)) => conflict.set(Some(stored)),
        Some(Err(error)) => refused(typed.get_untracked().draft, error),
        None => {}
    });
    Effect::new(move |_| match save.value().get() {
        Some((draft, Ok(()))) => {
            kept.set(typed.get_untracked());
            toasts.success(text!(locale, provider.saved, name = draft.name));
            navigate(paths::PROVIDERS, NavigateOptions::default());
        }
        Some((draft, Err(error))) => match id {
            Some(id) if error.code == ErrorCode::Stale => {
                theirs.dispatch(id);
            }
            _ => refused(draft, error),
        },
        None => {}
    });

    let tested = RwSignal::new(None::<(ProviderDraft, ProviderTest)>);
    let test = Action::new(move |draft: &ProviderDraft| {
        let draft = draft.clone();
        async move { (draft.clone(), server_fns::test_provider(id, draft).await) }
    });
    Effect::new(move |_| match test.value().get() {
        Some((draft, Ok(result))) => tested.set(Some((draft, result))),
        Some((draft, Err(error))) => refused(draft, error),
        None => {}
    });

    let found = RwSignal::new(None::<Vec<String>>);
    let fetch = Action::new(move |draft: &ProviderDraft| {
        let draft = draft.clone();
        async move { (draft.clone(), server_fns::upstream_models(id, draft).await) }
    });
    Effect::new(move |_| match fetch.value().get() {
        Some((_, Ok(names))) => found.set(Some(names)),
        // The models say it themselves.
        Some((_, Err(error))) if error.code == ErrorCode::Upstream => {}
        Some((draft, Err(error))) => refused(draft, error),
        None => {}
    });
    let not_fetched = Signal::derive(move || match fetch.value().get() {
        Some((_, Err(error))) if error.code == ErrorCode::Upstream && !fetch.pending().get() => {
            Some(error.message)
        }
        _ => None,
    });

    // Nobody is corrected while still writing: what was typed wrong shows from the first try on.
    let draft = move || {
        problems.tried.set(true);
        problems.refusal.set(None);
        let typed = typed.get_untracked();
        if typed.problems.is_empty() {
            return Some(typed.draft);
        }
        focus_first(INVALID_FIELD);
        None
    };
    // It can be tried out before it has a name.
    let trial = move || {
        let mut draft = draft()?;
        if draft.name.trim().is_empty() {
            text!(locale, provider.unnamed).clone_into(&mut draft.name);
        }
        Some(draft)
    };
    let on_test = Callback::new(move |()| {
        tested.set(None);
        if !test.pending().get_untracked()
            && let Some(draft) = trial()
        {
            test.dispatch(draft);
        }
    });
    let on_fetch = Callback::new(move |()| {
        if !fetch.pending().get_untracked()
            && let Some(draft) = trial()
        {
            fetch.dispatch(draft);
        }
    });
    let submit = move || {
        if !save.pending().get_untracked()
            && let Some(draft) = draft()
        {
            save.dispatch(draft);
        }
    };
    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        submit();
    };

    view! {
        <form class="editor provider-editor" method="post" novalidate on:submit=on_submit>
            <div class="editor-form">
                {loses_secrets
                    .then(|| {
                        view! {
                            <Notice tone=Tone::Info>{text!(locale, provider.copy_about)}</Notice>
                        }
                    })}
                <section class="panel">
                    <div class="panel-bar">
                        <h2 class="panel-title">{title}</h2>
                        <label class="switch-row">
                            {text!(locale, provider.enabled)}
                            <Switch
                                label=Signal::stored(text!(locale, provider.enabled).to_owned())
                                on=form.enabled
                            />
                        </label>
                    </div>
                    <div class="pair">
                        <TextField
                            id="provider-name"
                            label=text!(locale, provider.name)
                            hint=text!(locale, provider.name_hint)
                            code=true
                            value=form.name
                            error=problems.at(|| "name".to_owned(), |draft| draft.name.clone())
                        />
                        <Field
                            id="provider-kind"
                            label=text!(locale, provider.kind)
                            hint=None
                            error=Signal::stored(None)
                        >
                            <Select
                                id="provider-kind".to_owned()
                                options=kinds(locale)
                                value=form.kind
                            />
                        </Field>
                    </div>
                </section>
                <Instances form problems tested on_test busy=test.pending() />
                <Credentials form problems />
                <Models form problems on_fetch busy=fetch.pending() not_fetched />
            </div>
            <div class="editor-form">
                <Speaks form />
                <Headers form problems />
                <TimeLimits form problems />
                <HealthCheck form problems />
                <UsageInStreams form />
                {id.is_some().then(|| view! { <UsedBy routes /> })}
            </div>
            <div class="editor-end">
                {move || {
                    problems
                        .refusal
                        .get()
                        .map(|Refusal { error, .. }| view! { <SaveRefused error next=paths::PROVIDERS /> })
                }}
                <div class="editor-actions">
                    <Submit
                        label=text!(locale, form.save)
                        busy_label=text!(locale, form.saving)
                        busy=save.pending()
                    />
                    <a class="button" href=paths::PROVIDERS>
                        {text!(locale, form.cancel)}
                    </a>
                </div>
            </div>
        </form>
        {move || {
            found
                .get()
                .map(|names| view! { <PickModels form names on_close=move || found.set(None) /> })
        }}
        {move || {
            let theirs = conflict.get()?;
            let revision = theirs.revision;
            let differences = typed.with_untracked(|mine| differences(locale, &theirs, &mine.draft));
            Some(view! {
                <Conflict
                    differences
                    on_mine=move |()| {
                        form.revision.set(Some(revision));
                        submit();
                    }
                    on_close=move |()| conflict.set(None)
                />
            })
        }}
    }
}
