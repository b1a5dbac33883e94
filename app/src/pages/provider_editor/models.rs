//! What it serves: typed by hand, or picked from what it lists itself.

use leptos::ev::KeyboardEvent;
use leptos::html::Input;
use leptos::prelude::*;

use crate::components::field::FieldError;
use crate::components::notice::{Notice, Tone};
use crate::components::provider_words::categories;
use crate::components::remove::Remove;
use crate::components::rows::Row;
use crate::components::select::Select;
use crate::i18n::{text, use_locale};
use crate::live::use_live;

use super::form::{ModelRow, ProviderForm};
use super::price::PriceFields;
use super::problems::Problems;

const NEW_MODEL: &str = "new-model";
/// How many are in the page at once; a filter finds the others.
const SHOWN: usize = 100;
/// From how many on a filter helps.
const MANY: usize = 12;

#[component]
pub(super) fn Models(
    form: ProviderForm,
    problems: Problems,
    on_fetch: Callback<()>,
    #[prop(into)] busy: Signal<bool>,
    /// Why the upstream's list could not be had.
    not_fetched: Signal<Option<String>>,
) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let of_list = problems.find(
        // A price shows its own problem.
        |path| path == "models" || (path.starts_with("models[") && !path.ends_with(".price")),
        |draft| {
            draft
                .models
                .iter()
                .map(|model| model.name.clone())
                .collect::<Vec<_>>()
        },
    );
    let list = form.models.list;
    let filter = RwSignal::new(String::new());
    let count = Memo::new(move |_| list.read().len());
    let matching = Memo::new(move |_| {
        let filter = filter.read().to_lowercase();
        let list = list.read();
        let keys = list
            .iter()
            .filter(|row| row.of.name.to_lowercase().contains(&*filter))
            .map(|row| row.key);
        keys.collect::<Vec<_>>()
    });
    let shown = move || {
        let keys = matching.read();
        let list = list.read();
        let shown = list.iter().filter(|row| keys.contains(&row.key));
        shown.take(SHOWN).cloned().collect::<Vec<_>>()
    };
    let more = move || matching.read().len().saturating_sub(SHOWN);

    view! {
        <section class="panel" role="group" aria-labelledby="models-title">
            <div class="panel-bar">
                <div class="panel-head">
                    <h2 class="panel-title" id="models-title">
                        {text!(locale, provider.models)}
                        <span class="count">{count}</span>
                    </h2>
                    <p class="panel-about">{text!(locale, provider.models_about)}</p>
                </div>
                <button
                    class="button"
                    type="button"
                    disabled=move || !live.get()
                    aria-disabled=move || busy.get().then_some("true")
                    on:click=move |_| on_fetch.run(())
                >
                    {move || {
                        if busy.get() {
                            text!(locale, provider.fetching)
                        } else {
                            text!(locale, provider.fetch)
                        }
                    }}
                </button>
            </div>
            {move || {
                not_fetched
                    .get()
                    .map(|message| view! { <Notice tone=Tone::Danger>{message}</Notice> })
            }}
            <AddModel form />
            <input
                class="input"
                type="search"
                aria-label=text!(locale, provider.filter)
                placeholder=text!(locale, provider.filter)
                autocomplete="off"
                hidden=move || count.get() <= MANY
                on:input=move |event| filter.set(event_target_value(&event))
            />
            <div class="rows dense">
                <For each=shown key=|row| row.key let:row>
                    <ModelFields form problems row />
                </For>
            </div>
            <p class="panel-about" hidden=move || more() == 0>
                {move || text!(locale, provider.more_models, count = more())}
            </p>
            <FieldError id="models".to_owned() error=of_list />
        </section>
    }
}

#[component]
fn AddModel(form: ProviderForm) -> impl IntoView {
    let locale = use_locale();
    let input = NodeRef::<Input>::new();
    let problem = RwSignal::new(None::<String>);
    let add = move || {
        let Some(input) = input.get_untracked() else {
            return;
        };
        let name = input.value().trim().to_owned();
        let known = form
            .models
            .list
            .read_untracked()
            .iter()
            .any(|row| row.of.name == name);
        if known {
            problem.set(Some(text!(locale, provider.model_twice).to_owned()));
        } else if !name.is_empty() {
            form.add_model(&name, None);
            input.set_value("");
        }
        let _ = input.focus();
    };
    let on_keydown = move |event: KeyboardEvent| {
        if event.key() == "Enter" {
            // Adds the model instead of saving the provider.
            event.prevent_default();
            add();
        }
    };

    view! {
        <div>
            <div class="row-add">
                <input
                    class="input code"
                    id=NEW_MODEL
                    type="text"
                    aria-label=text!(locale, provider.new_model)
                    aria-describedby="new-model-error"
                    placeholder=text!(locale, provider.new_model)
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    node_ref=input
                    on:keydown=on_keydown
                    on:input=move |_| problem.set(None)
                />
                <button class="button" type="button" on:click=move |_| add()>
                    {text!(locale, provider.add_model)}
                </button>
            </div>
            <FieldError id=NEW_MODEL.to_owned() error=problem.into() />
        </div>
    }
}

#[component]
fn ModelFields(form: ProviderForm, problems: Problems, row: Row<ModelRow>) -> impl IntoView {
    let locale = use_locale();
    let Row {
        key,
        of: ModelRow {
            name,
            category,
            price,
        },
    } = row;
    let category_label = text!(locale, provider.category_label, name = name.as_str());
    let remove_label = text!(locale, provider.remove_model, name = name.as_str());
    let of_price = Signal::derive(move || {
        let is_wrong = problems.tried.get() && price.read().is_err();
        is_wrong.then(|| text!(locale, provider.no_price).to_owned())
    });
    view! {
        <div class="row model">
            <span class="model-name">{name.clone()}</span>
            <Select
                id=format!("model-category-{key}")
                label=Signal::stored(category_label)
                options=categories(locale)
                value=category
            />
            <Remove
                rows=form.models
                key
                label=remove_label
                next=NEW_MODEL
            />
            <PriceFields key model=name price error=of_price />
        </div>
    }
}
