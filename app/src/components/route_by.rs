//! How a route decides, in its word.

use leptos::prelude::*;
use routing::RouteBy;

use crate::i18n::{Locale, text, use_locale};

#[component]
pub(crate) fn RouteByBadge(route_by: RouteBy) -> impl IntoView {
    view! { <span class="badge">{route_by_name(use_locale(), route_by)}</span> }
}

pub(crate) fn route_by_name(locale: Locale, route_by: RouteBy) -> &'static str {
    match route_by {
        RouteBy::RoundRobin => text!(locale, route_by.round_robin),
        RouteBy::TargetWeight => text!(locale, route_by.target_weight),
        RouteBy::Policy => text!(locale, route_by.policy),
    }
}
