//! `/_components`: every piece that pages are made of, in both themes. Only in development builds.
//!
//! Its own words are for us who build it, so they are no part of the translated texts.

use leptos::html::Code;
use leptos::prelude::*;
use routing::{RouteBy, Share};

use crate::api::ranking::{Part, Ranked};
use crate::components::chart::{Chart, Series, largest};
use crate::components::checkbox::Checkbox;
use crate::components::choice::Choice;
use crate::components::confirm::Confirm;
use crate::components::conflict::{Conflict, Difference};
use crate::components::copy_button::CopyButton;
use crate::components::empty_state::EmptyState;
use crate::components::field::{Field, TextArea, TextField};
use crate::components::filter::Filter;
use crate::components::notice::{Notice, Tone};
use crate::components::page::Page;
use crate::components::picker::Picker;
use crate::components::ranking::RankingBars;
use crate::components::route_by::RouteByBadge;
use crate::components::select::Select;
use crate::components::snippet::Snippet;
use crate::components::submit::Submit;
use crate::components::switch::Switch;
use crate::components::tabs::Tabs;
use crate::components::time::{Time, provide_clock, use_now};
use crate::components::toast::{Toasts, provide_toasts, use_toasts};
use crate::components::track::{Branch, LargeTrack, SmallTrack};

#[component]
pub(crate) fn Gallery() -> impl IntoView {
    provide_toasts();
    provide_clock();
    view! {
        <main>
        <Page title="Components" about="Every piece that pages are made of, light and dark.">
            <div class="gallery">
                <div class="gallery-light">
                    <Pieces theme="light" />
                </div>
                <div class="gallery-dark">
                    <Pieces theme="dark" />
                </div>
            </div>
            <Dialogs />
        </Page>
        </main>
        <Toasts />
    }
}

#[component]
fn Pieces(
    /// Tells the ids of the two copies apart.
    theme: &'static str,
) -> impl IntoView {
    let id = move |name: &str| format!("{theme}-{name}");
    let text = RwSignal::new("qwen3".to_owned());
    let wrong = Signal::stored(Some(
        "Give the route the model name that clients will send.".to_owned(),
    ));
    let fine = Signal::stored(None::<String>);
    let choice = RwSignal::new(1);
    let on = RwSignal::new(true);
    let off = RwSignal::new(false);
    let ticked = RwSignal::new(true);
    let picked = RwSignal::new(String::new());
    let (tabs_id, choice_name, filter_id, chart_id) = match theme {
        "light" => ("light-tabs", "light-choice", "light-filter", "light-chart"),
        _ => ("dark-tabs", "dark-choice", "dark-filter", "dark-chart"),
    };
    let hours = Memo::new(|_| (0..24).map(|hour| format!("{hour:02}:00")).collect());
    let code = NodeRef::<Code>::new();
    let now = use_now();

    view! {
        <section class="panel">
            <h2 class="panel-title">"Fields"</h2>
            <TextField id=id("name") label="Name" hint="A hint." code=true value=text error=fine />
            <TextField id=id("wrong") label="Name" value=text error=wrong />
            <TextArea id=id("area") label="Description" value=text error=fine />
            <Field id=id("select") label="Kind" hint=None error=fine>
                <Select id=id("select") options=vec![(1, "One"), (2, "Two")] value=choice />
            </Field>
            <Picker
                id=id("picker")
                label=Signal::stored("Target".to_owned())
                placeholder="Search models"
                nothing="No model of that name."
                more=|count: usize| format!("{count} more")
                options=Signal::stored((0..200).map(|n| format!("local/model-{n}")).collect())
                value=picked
                error=fine
            />
            <Choice
                label="Route By"
                name=choice_name
                options=vec![(1, "Target Weight"), (2, "Policy")]
                value=choice
            />
            <Checkbox label="Inference" about="Call routes." checked=ticked on_change=move |on| ticked.set(on) />
            <p>
                <Switch label=Signal::stored("On".to_owned()) on=on />
                " "
                <Switch label=Signal::stored("Off".to_owned()) on=off />
            </p>
        </section>
        <section class="panel">
            <h2 class="panel-title">"Buttons"</h2>
            <div class="editor-actions">
                <Submit label="Save" busy_label="Saving…" busy=Signal::stored(false) />
                <Submit label="Save" busy_label="Saving…" busy=Signal::stored(true) />
                <button class="button" type="button">"Cancel"</button>
                <button class="button danger" type="button">"Delete"</button>
                <button class="button small" type="button">"Small"</button>
            </div>
            <p>
                <code node_ref=code>"sb_01234567_…"</code>
                " "
                <CopyButton of=code />
            </p>
            <Snippet label="In a terminal" code=Signal::stored("curl -N http://127.0.0.1:8080/v1".to_owned()) />
        </section>
        <section class="panel">
            <h2 class="panel-title">"Messages"</h2>
            <Notice tone=Tone::Info>"Credentials are never read back."</Notice>
            <Notice tone=Tone::Danger>"The name is taken; choose another one."</Notice>
            <p class="badges">
                <RouteByBadge route_by=RouteBy::RoundRobin />
                <RouteByBadge route_by=RouteBy::Policy />
                <span class="badge danger">"Expired"</span>
                <span class="state">"Enabled"</span>
                <span class="state off">"Disabled"</span>
            </p>
            <p>{move || now.get().map(|now| view! { <Time at=now /> })}</p>
        </section>
        <section class="panel">
            <h2 class="panel-title">"Tabs"</h2>
            <Tabs label="Views" id=tabs_id tabs=vec![(1, "curl"), (2, "Python")] value=choice>
                <p>{move || choice.get()}</p>
            </Tabs>
        </section>
        <section class="panel">
            <h2 class="panel-title">"Track diagram"</h2>
            <SmallTrack branches=branches() label="Two targets".to_owned() />
            <LargeTrack branches=branches() label="Two targets".to_owned() />
        </section>
        <section class="panel">
            <h2 class="panel-title">"Ranking"</h2>
            <RankingBars ranking=ranking() />
        </section>
        <section class="panel">
            <h2 class="panel-title">"Chart"</h2>
            <Chart
                id=chart_id
                summary="Requests per hour of ten routes".to_owned()
                unit="Requests per hour".to_owned()
                series=largest(series(), "all others")
                labels=hours
                short=|number| number.to_string()
            />
        </section>
        <section class="panel">
            <h2 class="panel-title">"Table"</h2>
            <div class="filters">
                <Filter
                    id=filter_id
                    label="Route"
                    any="Any route"
                    options=vec![("qwen3".to_owned(), "qwen3".to_owned())]
                    value=picked
                    on_change=move |route| picked.set(route)
                />
            </div>
            <div class="table-box">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col">"Name"</th>
                            <th class="number" scope="col">"Models"</th>
                        </tr>
                    </thead>
                    <tbody>
                        <tr>
                            <th scope="row">"local-a"</th>
                            <td class="number">"3"</td>
                        </tr>
                        <tr>
                            <th scope="row">"local-b"</th>
                            <td class="number">"12"</td>
                        </tr>
                    </tbody>
                </table>
            </div>
        </section>
        <EmptyState title="No routes yet">
            <p>"A route is a model name of your own."</p>
            <button class="button" type="button">"Add the first route"</button>
        </EmptyState>
    }
}

/// What lies over the page, in the page's own theme.
#[component]
fn Dialogs() -> impl IntoView {
    let toasts = use_toasts();
    let asking = RwSignal::new(false);
    let differing = RwSignal::new(false);
    view! {
        <div class="editor-actions">
            <button class="button" type="button" on:click=move |_| asking.set(true)>
                "Question"
            </button>
            <button class="button" type="button" on:click=move |_| differing.set(true)>
                "Conflict"
            </button>
            <button
                class="button"
                type="button"
                on:click=move |_| toasts.success("Route qwen3 is saved.".to_owned())
            >
                "Toast"
            </button>
            <button
                class="button"
                type="button"
                on:click=move |_| toasts.failure("The database cannot be reached.".to_owned())
            >
                "Failure"
            </button>
        </div>
        {move || {
            asking
                .get()
                .then(|| {
                    view! {
                        <Confirm
                            title="Delete qwen3?"
                            question="Requests that name it are refused."
                            action="Delete"
                            on_yes=move |()| asking.set(false)
                            on_close=move |()| asking.set(false)
                        />
                    }
                })
        }}
        {move || {
            differing
                .get()
                .then(|| {
                    let differences = Difference::between("Name", "qwen3".into(), "qwen4".into());
                    view! {
                        <Conflict
                            differences=differences.into_iter().collect()
                            on_mine=|()| {}
                            on_close=move |()| differing.set(false)
                        />
                    }
                })
        }}
    }
}

fn ranking() -> Vec<Ranked> {
    let candidate = |model: &str, affinity: f64, decision: f64, left_out: Option<&str>| {
        let parts = [
            ("session_affinity", affinity, 1.0),
            ("decision_service", decision, 2.0),
        ];
        let parts =
            parts.map(|(scorer, share, weight)| (scorer.to_owned(), Part { share, weight }));
        Ranked {
            target: format!("local/{model}"),
            instance: "http://10.0.0.1:8000".to_owned(),
            total: left_out.is_none().then_some(affinity + 2.0 * decision),
            scorers: if left_out.is_none() {
                parts.into()
            } else {
                [].into()
            },
            inflight: 1,
            left_out: left_out.map(str::to_owned),
        }
    };
    vec![
        candidate("qwen3-32b", 0.333, 0.9, None),
        candidate("qwen3-0.6b", 0.667, 0.1, None),
        candidate("gemma3", 0.0, 0.0, Some("its target is switched off")),
    ]
}

fn series() -> Vec<Series> {
    let values = |route: u64| (0..24).map(move |hour| hour * (route + 3) % 17 * route);
    let one = |route: u64| Series {
        name: format!("route-{route}"),
        values: values(route).collect(),
    };
    (1..=10).map(one).collect()
}

fn branches() -> Vec<Branch> {
    let branch = |provider: &str, target: f64, lit: bool, instances: &[&str]| Branch {
        provider: provider.to_owned(),
        model: "qwen3-32b".to_owned(),
        share: Share {
            target,
            instance: target / instances.len() as f64,
        },
        lit,
        instances: instances.iter().map(|url| (*url).to_owned()).collect(),
    };
    vec![
        branch("local-a", 0.25, true, &["http://10.0.0.1:8000"]),
        branch(
            "local-b",
            0.75,
            true,
            &["http://10.0.0.2:8000", "http://10.0.0.3:8000"],
        ),
        branch("local-c", 0.0, false, &["http://10.0.0.4:8000"]),
    ]
}
