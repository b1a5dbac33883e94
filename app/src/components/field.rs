//! A labelled text field with its hint and its error.
//!
//! The browser owns the text. A value bound from our side would be written when the page comes
//! alive, over what was typed or filled in by a password manager until then.

use leptos::ev;
use leptos::html::{Input, Textarea};
use leptos::prelude::*;

use crate::components::focus::focus_soon;

/// The label, hint and error around one control, whose id they refer to.
#[component]
pub(crate) fn Field(
    #[prop(into)] id: String,
    label: &'static str,
    hint: Option<&'static str>,
    error: Signal<Option<String>>,
    children: Children,
) -> impl IntoView {
    let hint_id = describe(&id).0;
    view! {
        <div class="field">
            <label class="field-label" for=id.clone()>
                {label}
            </label>
            {children()}
            <FieldError id error />
            {hint.map(|hint| view! { <p class="field-hint" id=hint_id>{hint}</p> })}
        </div>
    }
}

/// The sentence under a control.
#[component]
pub(crate) fn FieldError(
    /// The control's.
    id: String,
    error: Signal<Option<String>>,
) -> impl IntoView {
    let id = describe(&id).1;
    view! {
        <p class="field-error" id=id hidden=move || error.read().is_none()>
            {move || error.get()}
        </p>
    }
}

#[component]
pub(crate) fn TextField(
    #[prop(into)] id: String,
    label: &'static str,
    #[prop(optional, into)] hint: Option<&'static str>,
    #[prop(default = "text")] kind: &'static str,
    #[prop(default = "off")] autocomplete: &'static str,
    #[prop(optional)] code: bool,
    #[prop(optional)] autofocus: bool,
    value: RwSignal<String>,
    #[prop(optional, into)] error: Signal<Option<String>>,
) -> impl IntoView {
    view! {
        <Field id=id.clone() label hint error>
            <TextInput id kind autocomplete code autofocus hinted=hint.is_some() value error />
        </Field>
    }
}

/// The bare input, for where the label stands elsewhere.
#[component]
pub(crate) fn TextInput(
    id: String,
    #[prop(optional, into)] label: Option<Signal<String>>,
    #[prop(default = "text")] kind: &'static str,
    #[prop(default = "off")] autocomplete: &'static str,
    #[prop(optional)] inputmode: Option<&'static str>,
    #[prop(optional)] placeholder: Option<&'static str>,
    #[prop(optional)] code: bool,
    #[prop(optional)] autofocus: bool,
    #[prop(optional)] hinted: bool,
    value: RwSignal<String>,
    error: Signal<Option<String>>,
) -> impl IntoView {
    let input = NodeRef::<Input>::new();
    input.on_load(move |input| {
        adopt(value, input.value());
        // The attribute works for a page that is loaded, not for one that is navigated to.
        if autofocus {
            focus_soon(&input);
        }
    });
    let described_by = describe_by(&id, hinted);

    view! {
        <input
            class="input"
            class:code=code
            id=id
            type=kind
            aria-label=label.map(|label| move || label.get())
            autocomplete=autocomplete
            autocapitalize="off"
            spellcheck="false"
            inputmode=inputmode
            placeholder=placeholder
            autofocus=autofocus
            aria-invalid=move || error.read().is_some().then_some("true")
            aria-describedby=described_by
            value=value.get_untracked()
            node_ref=input
            on:input=move |event: ev::Event| value.set(event_target_value(&event))
        />
    }
}

#[component]
pub(crate) fn TextArea(
    #[prop(into)] id: String,
    label: &'static str,
    #[prop(optional, into)] hint: Option<&'static str>,
    value: RwSignal<String>,
    #[prop(into)] error: Signal<Option<String>>,
) -> impl IntoView {
    let input = NodeRef::<Textarea>::new();
    input.on_load(move |input| adopt(value, input.value()));
    let described_by = describe_by(&id, hint.is_some());

    view! {
        <Field id=id.clone() label hint error>
            <textarea
                class="input"
                id=id
                rows="2"
                aria-invalid=move || error.read().is_some().then_some("true")
                aria-describedby=described_by
                node_ref=input
                on:input=move |event: ev::Event| value.set(event_target_value(&event))
            >
                {value.get_untracked()}
            </textarea>
        </Field>
    }
}

/// Takes over what the control already holds when it comes alive.
pub(crate) fn adopt(value: RwSignal<String>, typed: String) {
    if *value.read_untracked() != typed {
        value.set(typed);
    }
}

fn describe(id: &str) -> (String, String) {
    (format!("{id}-hint"), format!("{id}-error"))
}

pub(crate) fn describe_by(id: &str, hinted: bool) -> String {
    let (hint, error) = describe(id);
    if hinted {
        format!("{error} {hint}")
    } else {
        error
    }
}
