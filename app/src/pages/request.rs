//! The story of one request: where it went and why, what it took, and what would become of it now.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use uuid::Uuid;

use crate::api::request::RequestRecord;
use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::components::ranking::RankingBars;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::{text, use_locale};
use crate::live::use_live;
use crate::{paths, server_fns, story};

mod ask_again;
mod attempts;
mod bodies;
mod decision;
mod facts;
mod spans;
mod timeline;

use ask_again::AskAgain;
use attempts::Attempts;
use bodies::KeptBodies;
use decision::Decision;
use facts::Facts;
use timeline::Timeline;

#[component]
pub(crate) fn RequestPage() -> impl IntoView {
    let locale = use_locale();
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id")?.parse::<Uuid>().ok());
    let record: Loading<RequestRecord> = Resource::new(
        move || id.get(),
        move |id| async move {
            match id {
                Some(id) => server_fns::get_request(id).await,
                None => Err(ApiError::new(
                    ErrorCode::NotFound,
                    text!(locale, request.no_such),
                )),
            }
        },
    );

    let back = move || {
        view! {
            <a class="page-back" href=paths::REQUESTS>
                {text!(locale, requests.title)}
            </a>
        }
    };
    view! {
        <Page title=text!(locale, request.title) back>
            <Load data=record let:record>
                <Told record />
            </Load>
        </Page>
    }
}

#[component]
fn Told(record: RequestRecord) -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let why = story::why(&record, locale);
    let asking = RwSignal::new(false);
    let route = record.route_id;
    let again = StoredValue::new(record.clone());
    let ranking = record.ranking.clone();
    view! {
        <div class="story">
            <p class="story-sentence">{why}</p>
            {route
                .map(|route| {
                    view! {
                        <div class="editor-actions">
                            <button
                                class="button"
                                type="button"
                                aria-expanded=move || asking.get().to_string()
                                disabled=move || !live.get()
                                on:click=move |_| asking.update(|asking| *asking = !*asking)
                            >
                                {text!(locale, request.ask_again)}
                            </button>
                            <a class="button" href=paths::what_if(route)>
                                {text!(locale, what_if.title)}
                            </a>
                            <a class="button" href=paths::route(route)>
                                {text!(locale, request.to_route)}
                            </a>
                        </div>
                    }
                })}
            {move || {
                let route = route.filter(|_| asking.get())?;
                let record = again.get_value();
                Some(view! { <AskAgain route record /> })
            }}
            <div class="story-columns">
                <div class="story-column">
                    <Timeline record=record.clone() />
                    <section class="panel" aria-labelledby="ranking-title">
                        <h2 class="panel-title" id="ranking-title">
                            {text!(locale, request.ranking)}
                        </h2>
                        {if ranking.is_empty() {
                            view! { <p class="panel-about">{text!(locale, request.no_ranking)}</p> }
                                .into_any()
                        } else {
                            view! { <RankingBars ranking /> }.into_any()
                        }}
                    </section>
                    <Attempts attempts=record.attempts.clone() />
                    {record.bodies.then(|| view! { <KeptBodies id=record.id /> })}
                </div>
                <div class="story-column">
                    <Decision record=record.clone() />
                    <Facts record />
                </div>
            </div>
        </div>
    }
}
