//! Over how long, and by what.

use leptos::prelude::*;

use crate::api::usage::UsageBy;
use crate::components::choice::Choice;
use crate::i18n::{text, use_locale};

use super::chosen::{Chosen, Range};
use super::words::by_name;

#[component]
pub(super) fn Toolbar(chosen: Chosen) -> impl IntoView {
    let locale = use_locale();
    view! {
        <div class="usage-toolbar">
            <Choice
                label=text!(locale, usage.range)
                unlabelled=true
                name="usage-range"
                options=vec![
                    (Range::Day, text!(locale, usage.day)),
                    (Range::Week, text!(locale, usage.week)),
                    (Range::Month, text!(locale, usage.month)),
                ]
                value=chosen.range
            />
            <Choice
                label=text!(locale, usage.by)
                unlabelled=true
                name="usage-by"
                options=[UsageBy::Route, UsageBy::Target, UsageBy::Key]
                    .map(|by| (by, by_name(locale, by)))
                    .to_vec()
                value=chosen.by
            />
        </div>
    }
}
