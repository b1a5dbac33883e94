//! How instances are, beside what leads to them: nothing as long as all are well.

use leptos::prelude::*;

use crate::api::instance::{Health, Instance};
use crate::components::traffic::LiveTraffic;
use crate::i18n::{Locale, text, use_locale};

/// Every instance of a provider that is not well, or was not.
#[component]
pub(crate) fn InstanceHealth(traffic: LiveTraffic, provider: String) -> impl IntoView {
    let locale = use_locale();
    move || {
        let found = traffic.of_provider(&provider);
        let noted: Vec<_> = found
            .into_iter()
            .filter(|one| one.health != Health::Ok || one.last_error.is_some())
            .map(|one| view! { <li><State instance=one /></li> })
            .collect();
        (!noted.is_empty()).then(
            || view! { <ul class="health" aria-label=text!(locale, health.title)>{noted}</ul> },
        )
    }
}

/// How many instances of these providers take no requests, or fewer.
#[component]
pub(crate) fn TroubledCount(traffic: LiveTraffic, providers: Vec<String>) -> impl IntoView {
    let locale = use_locale();
    move || {
        let count = traffic.troubled(&providers);
        (count > 0).then(|| {
            view! {
                <span class="badge danger">{text!(locale, health.troubled, count = count)}</span>
            }
        })
    }
}

#[component]
fn State(instance: Instance) -> impl IntoView {
    let locale = use_locale();
    let class = match instance.health {
        Health::Ok => "state",
        Health::Recovering => "state recovering",
        Health::Ejected => "state failed",
    };
    view! {
        <span class=class>
            <span>{in_words(locale, &instance)}</span>
        </span>
        <span class="health-url">{instance.url}</span>
    }
}

fn in_words(locale: Locale, instance: &Instance) -> String {
    let error = instance.last_error.as_deref().unwrap_or_default();
    match (instance.health, instance.ejected_until) {
        (Health::Ok, _) => text!(locale, health.ok, error = error),
        (Health::Recovering, _) => text!(locale, health.recovering, error = error),
        (Health::Ejected, until) => {
            let until = until.map(|until| until.format("%H:%M:%S UTC").to_string());
            let until = until.unwrap_or_default();
            text!(
                locale,
                health.ejected,
                until = until.as_str(),
                error = error
            )
        }
    }
}
