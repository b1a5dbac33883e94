//! What requests came to: how many, how many failed, how many tokens, over time and by what they were for.

use leptos::prelude::*;

use crate::api::usage::{Usage, UsageQuery};
use crate::components::empty_state::EmptyState;
use crate::components::load::{Load, Loading};
use crate::components::page::Page;
use crate::components::time::present;
use crate::i18n::{text, use_locale};
use crate::{paths, server_fns};

mod chosen;
mod clock;
mod numbers;
mod over_time;
mod table;
mod toolbar;
mod words;

use chosen::Chosen;
use clock::use_offset;
use over_time::OverTime;
use table::UsageTable;
use toolbar::Toolbar;

/// With what was asked, which the server may have done for the browser.
type Answered = (UsageQuery, Usage);

#[component]
pub(crate) fn UsagePage() -> impl IntoView {
    let locale = use_locale();
    let chosen = Chosen::in_address();
    let offset = use_offset();
    let asked = Memo::new(move |_| {
        let (range, by) = (chosen.range.get(), chosen.by.get());
        // Hours are the same everywhere; only days begin where somebody is.
        let offset_min = if range.has_days() { offset.get() } else { 0 };
        (range, by, offset_min)
    });
    let data: Loading<Answered> = Resource::new(
        move || asked.get(),
        |(range, by, offset_min)| async move {
            let query = range.query(by, present(), offset_min);
            let usage = server_fns::get_usage(query.clone()).await?;
            Ok((query, usage))
        },
    );

    view! {
        <Page title=text!(locale, usage.title) about=text!(locale, usage.about)>
            <div class="usage">
                <Toolbar chosen />
                <Load data let:answered>
                    {
                        let (query, usage) = answered;
                        if usage.rows.is_empty() {
                            view! { <NoUsage /> }.into_any()
                        } else {
                            view! {
                                <OverTime query=query.clone() usage=usage.clone() chosen />
                                <UsageTable query rows=usage.rows />
                            }
                                .into_any()
                        }
                    }
                </Load>
            </div>
        </Page>
    }
}

#[component]
fn NoUsage() -> impl IntoView {
    let locale = use_locale();
    view! {
        <EmptyState title=text!(locale, usage.none)>
            <p>{text!(locale, usage.none_about)}</p>
            <a class="button" href=paths::PLAYGROUND>
                {text!(locale, usage.try_one)}
            </a>
        </EmptyState>
    }
}
