//! Name, scopes, routes and expiry of a key to be.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use super::typed::{Expiry, Problem, Reach, Typed};
use crate::api::key::{KeyDraft, NewKey, Scope};
use crate::components::checkbox::Checkbox;
use crate::components::choice::Choice;
use crate::components::field::{FieldError, TextField, TextInput};
use crate::components::focus::focus_first;
use crate::components::leaving::guard_unsaved;
use crate::components::picker::find;
use crate::components::save_refused::SaveRefused;
use crate::components::submit::Submit;
use crate::components::time::browser_now;
use crate::error::ApiError;
use crate::i18n::{Locale, text, use_locale};
use crate::{paths, server_fns};

const WRONG_FIELD: &str = ".key-form :is([aria-invalid], .invalid input)";
/// From how many routes on they can be searched.
const MANY_ROUTES: usize = 8;

type Problems = BTreeMap<String, String>;

#[component]
pub(super) fn KeyForm(routes: Vec<String>, made: RwSignal<Option<NewKey>>) -> impl IntoView {
    let locale = use_locale();
    let name = RwSignal::new(String::new());
    let inference = RwSignal::new(true);
    let management = RwSignal::new(false);
    let reach = RwSignal::new(Reach::All);
    let chosen = RwSignal::new(BTreeSet::<String>::new());
    let expiry = RwSignal::new(Expiry::Month1);
    let date = RwSignal::new(String::new());

    let typed = Memo::new(move |_| Typed {
        name: name.get(),
        scopes: scopes(inference.get(), management.get()),
        reach: reach.get(),
        routes: chosen.get(),
        expiry: expiry.get(),
        date: date.get(),
    });
    let untouched = typed.get_untracked();
    guard_unsaved(Signal::derive(move || *typed.read() != untouched));
    // What was wrong counts until something changes.
    let refusal = RwSignal::new(None::<(Typed, Problems)>);
    let problems = Memo::new(move |_| match &*refusal.read() {
        Some((refused, problems)) if *refused == *typed.read() => problems.clone(),
        _ => Problems::new(),
    });
    let problem = move |field: &'static str| {
        Signal::derive(move || {
            problems.with(|problems| {
                problems
                    .iter()
                    .find(|(path, _)| path.split('[').next() == Some(field))
                    .map(|(_, problem)| problem.clone())
            })
        })
    };
    let refuse = move |problems: Problems| {
        refusal.set(Some((typed.get_untracked(), problems)));
        focus_first(WRONG_FIELD);
    };

    let failure = RwSignal::new(None::<ApiError>);
    let create = Action::new(|draft: &KeyDraft| server_fns::create_key(draft.clone()));
    Effect::new(move |_| match create.value().get() {
        Some(Ok(key)) => made.set(Some(key)),
        Some(Err(error)) => {
            refuse(error.fields.clone());
            failure.set(Some(error));
        }
        None => {}
    });

    let on_submit = move |event: SubmitEvent| {
        event.prevent_default();
        if create.pending().get_untracked() {
            return;
        }
        failure.set(None);
        let draft = browser_now().map(|now| typed.read_untracked().draft(now, end_of_day));
        match draft {
            Some(Ok(draft)) => {
                create.dispatch(draft);
            }
            Some(Err(problems)) => refuse(
                problems
                    .into_iter()
                    .map(|(field, problem)| (field.to_owned(), word(locale, problem).to_owned()))
                    .collect(),
            ),
            None => {}
        }
    };

    let of_scopes = problem("scopes");
    let of_routes = problem("routes");
    let of_expiry = problem("expires_in_s");
    view! {
        <form class="key-form" method="post" novalidate on:submit=on_submit>
            <section class="panel">
                <TextField
                    id="key-name"
                    label=text!(locale, key.name)
                    hint=text!(locale, key.name_hint)
                    autofocus=true
                    value=name
                    error=problem("name")
                />
                <fieldset
                    class="choice"
                    class:invalid=move || of_scopes.read().is_some()
                    aria-describedby="key-scopes-error"
                >
                    <legend class="field-label">{text!(locale, key.scopes)}</legend>
                    <Checkbox
                        label=text!(locale, scope.inference)
                        about=text!(locale, scope.inference_about)
                        checked=inference
                        on_change=move |on| inference.set(on)
                    />
                    <Checkbox
                        label=text!(locale, scope.management)
                        about=text!(locale, scope.management_about)
                        checked=management
                        on_change=move |on| management.set(on)
                    />
                    <FieldError id="key-scopes".to_owned() error=of_scopes />
                </fieldset>
                <div class="choice" hidden=move || !inference.get()>
                    <Choice
                        label=text!(locale, key.routes)
                        name="reach"
                        options=vec![
                            (Reach::All, text!(locale, key.all_routes)),
                            (Reach::Chosen, text!(locale, key.chosen_routes)),
                        ]
                        value=reach
                    />
                    {move || {
                        let routes = routes.clone();
                        (reach.get() == Reach::Chosen)
                            .then(|| view! { <RouteList routes chosen error=of_routes /> })
                    }}
                    <FieldError id="key-routes".to_owned() error=of_routes />
                </div>
                <div class="choice">
                    <Choice
                        label=text!(locale, key.expires)
                        name="expiry"
                        options=vec![
                            (Expiry::Days7, text!(locale, key.days_7)),
                            (Expiry::Month1, text!(locale, key.month_1)),
                            (Expiry::Months6, text!(locale, key.months_6)),
                            (Expiry::Never, text!(locale, key.never)),
                            (Expiry::Date, text!(locale, key.on_date)),
                        ]
                        value=expiry
                    />
                    {move || {
                        (expiry.get() == Expiry::Date)
                            .then(|| {
                                view! {
                                    <div class="key-date">
                                        <TextInput
                                            id="key-expiry".to_owned()
                                            label=Signal::stored(
                                                text!(locale, key.last_day).to_owned(),
                                            )
                                            kind="date"
                                            hinted=true
                                            value=date
                                            error=of_expiry
                                        />
                                        <p class="field-hint" id="key-expiry-hint">
                                            {text!(locale, key.last_day_hint)}
                                        </p>
                                    </div>
                                }
                            })
                    }}
                    <FieldError id="key-expiry".to_owned() error=of_expiry />
                </div>
            </section>
            {move || failure.get().map(|error| view! { <SaveRefused error next=paths::KEYS /> })}
            <div class="editor-actions">
                <Submit
                    label=text!(locale, key.create)
                    busy_label=text!(locale, key.creating)
                    busy=create.pending()
                />
                <a class="button" href=paths::KEYS>
                    {text!(locale, key.cancel)}
                </a>
            </div>
        </form>
    }
}

/// The routes to tick; with a search where there are many.
#[component]
fn RouteList(
    routes: Vec<String>,
    chosen: RwSignal<BTreeSet<String>>,
    error: Signal<Option<String>>,
) -> impl IntoView {
    let locale = use_locale();
    if routes.is_empty() {
        return view! { <p class="field-hint">{text!(locale, key.no_routes)}</p> }.into_any();
    }
    let query = RwSignal::new(String::new());
    let searched = routes.len() > MANY_ROUTES;
    let matches = Memo::new(move |_| find(&routes, &query.read()));
    let count = move || text!(locale, key.routes_chosen, count = chosen.read().len());

    view! {
        <div
            class="checklist"
            class:invalid=move || error.read().is_some()
            role="group"
            aria-label=text!(locale, key.chosen_routes)
            aria-describedby="key-routes-error"
        >
            {searched
                .then(|| {
                    view! {
                        <TextInput
                            id="key-route-search".to_owned()
                            label=Signal::stored(text!(locale, key.search_routes).to_owned())
                            placeholder=text!(locale, key.search_routes)
                            value=query
                            error=Signal::stored(None)
                        />
                    }
                })}
            <ul>
                <For each=move || matches.get().shown key=Clone::clone let:route>
                    <li>
                        <Checkbox
                            label=route.clone()
                            code=true
                            checked=Signal::derive({
                                let route = route.clone();
                                move || chosen.read().contains(&route)
                            })
                            on_change=move |on| {
                                chosen
                                    .update(|chosen| {
                                        if on {
                                            chosen.insert(route.clone());
                                        } else {
                                            chosen.remove(&route);
                                        }
                                    });
                            }
                        />
                    </li>
                </For>
            </ul>
            <p class="field-hint" role="status">
                {count}
                " "
                {move || {
                    let matches = matches.read();
                    if matches.more > 0 {
                        text!(locale, route.target_more, count = matches.more)
                    } else if matches.shown.is_empty() {
                        text!(locale, key.nothing_found).to_owned()
                    } else {
                        String::new()
                    }
                }}
            </p>
        </div>
    }
    .into_any()
}

fn scopes(inference: bool, management: bool) -> Vec<Scope> {
    [
        (inference, Scope::Inference),
        (management, Scope::Management),
    ]
    .into_iter()
    .filter_map(|(on, scope)| on.then_some(scope))
    .collect()
}

fn word(locale: Locale, problem: Problem) -> &'static str {
    match problem {
        Problem::NoRoute => text!(locale, key.route_missing),
        Problem::NoDate => text!(locale, key.date_missing),
        Problem::PastDate => text!(locale, key.date_past),
    }
}

/// Midnight after the day, where the browser is.
fn end_of_day(day: NaiveDate) -> Option<DateTime<Utc>> {
    let next = day.succ_opt()?;
    let midnight = js_sys::Date::new_with_year_month_day(
        u32::try_from(next.year()).ok()?,
        i32::try_from(next.month0()).ok()?,
        i32::try_from(next.day()).ok()?,
    );
    DateTime::from_timestamp_millis(midnight.get_time() as i64)
}
