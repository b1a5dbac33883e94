//! Its base URLs, and whether they answer.

use leptos::prelude::*;

use crate::api::provider::{InstanceTest, ProviderDraft, ProviderTest};
use crate::components::field::{FieldError, TextInput};
use crate::components::focus::focus_first;
use crate::components::icon::{Glyph, Icon};
use crate::components::remove::Remove;
use crate::components::rows::Row;
use crate::i18n::{text, use_locale};
use crate::live::use_live;

use super::form::{InstanceRow, ProviderForm};
use super::problems::Problems;

const ADD_INSTANCE: &str = "add-instance";

type Tested = RwSignal<Option<(ProviderDraft, ProviderTest)>>;

#[component]
pub(super) fn Instances(
    form: ProviderForm,
    problems: Problems,
    tested: Tested,
    on_test: Callback<()>,
    #[prop(into)] busy: Signal<bool>,
) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let of_list = problems.at(|| "instances".to_owned(), |draft| draft.instances.len());

    view! {
        <section class="panel" role="group" aria-labelledby="instances-title">
            <div class="panel-bar">
                <div class="panel-head">
                    <h2 class="panel-title" id="instances-title">
                        {text!(locale, provider.instances)}
                    </h2>
                    <p class="panel-about">{text!(locale, provider.instances_about)}</p>
                </div>
                <button
                    class="button"
                    type="button"
                    disabled=move || !live.get()
                    aria-disabled=move || busy.get().then_some("true")
                    on:click=move |_| on_test.run(())
                >
                    {move || {
                        if busy.get() {
                            text!(locale, provider.testing)
                        } else {
                            text!(locale, provider.test)
                        }
                    }}
                </button>
            </div>
            <div class="rows">
                <div class="rows-head instance" aria-hidden="true">
                    <span>{text!(locale, provider.url)}</span>
                    <span>{text!(locale, provider.max_inflight)}</span>
                </div>
                <For each=move || form.instances.list.get() key=|row| row.key let:row>
                    <InstanceFields form row problems tested />
                </For>
            </div>
            <Served form problems tested />
            <FieldError id="instances".to_owned() error=of_list />
            <button
                class="button"
                id=ADD_INSTANCE
                type="button"
                on:click=move |_| focus_first(format!("#{}", url_id(form.add_instance("", None))))
            >
                <Glyph icon=Icon::Plus />
                {text!(locale, provider.add_instance)}
            </button>
        </section>
    }
}

/// The endpoints that a test found, and a way to tick them.
#[component]
fn Served(form: ProviderForm, problems: Problems, tested: Tested) -> impl IntoView {
    let locale = use_locale();
    // As with each instance, what was found counts for what was tested.
    let found = Memo::new(move |_| {
        let tested = tested.read();
        let (draft, test) = tested.as_ref()?;
        let typed = problems.typed.read();
        let same = draft.instances == typed.draft.instances && draft.kind == typed.draft.kind;
        (same && !test.speaks.is_empty()).then(|| test.speaks.clone())
    });
    let are_ticked = Memo::new(move |_| {
        let speaks = form.speaks.read();
        let found = found.read();
        found.as_ref().is_some_and(|found| {
            found.len() == speaks.len() && found.iter().all(|name| speaks.contains(name))
        })
    });
    view! {
        <div class="served" role="status">
            {move || {
                let found = found.get()?;
                let served = text!(locale, provider.serves, endpoints = found.join(", "));
                Some(view! {
                    <p>{served}</p>
                    <button
                        class="button small"
                        type="button"
                        on:click=move |_| form.speaks.set(found.clone())
                    >
                        {text!(locale, provider.tick_served)}
                    </button>
                    <span class="outcome-time" hidden=move || !are_ticked.get()>
                        {text!(locale, provider.served_ticked)}
                    </span>
                })
            }}
        </div>
    }
}

#[component]
fn InstanceFields(
    form: ProviderForm,
    row: Row<InstanceRow>,
    problems: Problems,
    tested: Tested,
) -> impl IntoView {
    let locale = use_locale();
    let Row { key, of } = row;
    let index = form.instances.index(key);
    let of_url = problems.at(
        move || format!("instances[{}].url", index.get()),
        move |draft| {
            let instance = draft.instances.get(index.get());
            instance.map(|instance| instance.url.clone())
        },
    );
    let of_most = problems.at(
        move || format!("instances[{}].max_inflight", index.get()),
        move |draft| {
            let instance = draft.instances.get(index.get());
            instance.map(|instance| instance.max_inflight)
        },
    );
    // A result counts for the URL that was tested.
    let result = Signal::derive(move || {
        let tested = tested.read();
        let (draft, test) = tested.as_ref()?;
        let index = index.get();
        (draft.instances.get(index)?.url == *of.url.read())
            .then(|| test.instances.get(index))?
            .cloned()
    });
    let url_id = url_id(key);
    let most_id = format!("instance-most-{key}");

    view! {
        <div class="row instance">
            <TextInput
                id=url_id.clone()
                label=Signal::derive(move || text!(locale, provider.url_label, number = index.get() + 1))
                placeholder=text!(locale, provider.url_placeholder)
                inputmode="url"
                code=true
                value=of.url
                error=of_url
            />
            <TextInput
                id=most_id.clone()
                label=Signal::derive(move || {
                    text!(locale, provider.max_inflight_label, number = index.get() + 1)
                })
                inputmode="numeric"
                placeholder=text!(locale, provider.no_limit)
                value=of.max_inflight
                error=of_most
            />
            <Remove
                rows=form.instances
                key
                label=Signal::derive(move || text!(locale, provider.remove_instance, number = index.get() + 1))
                next=ADD_INSTANCE
            />
            <div class="row-errors">
                <FieldError id=url_id error=of_url />
                <FieldError id=most_id error=of_most />
                <div role="status">
                    {move || result.get().map(|result| view! { <Outcome result /> })}
                </div>
            </div>
        </div>
    }
}

#[component]
fn Outcome(result: InstanceTest) -> impl IntoView {
    let locale = use_locale();
    let InstanceTest {
        ok,
        latency_ms,
        status,
        message,
        ..
    } = result;
    let status = status.map(|status| view! { <span class="badge">{status}</span> });
    view! {
        <p class="outcome">
            <span class="state" class:failed=!ok>
                {message}
            </span>
            {status}
            <span class="outcome-time">{text!(locale, provider.latency, ms = latency_ms)}</span>
        </p>
    }
}

fn url_id(key: u32) -> String {
    format!("instance-url-{key}")
}
