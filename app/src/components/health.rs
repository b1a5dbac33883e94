//! How instances are, beside what leads to them: nothing as long as all are well.
//!
//! It changes by itself, so it is asked for again every few seconds while somebody looks.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::api::instance::{Health, Instance};
use crate::i18n::{Locale, text, use_locale};
use crate::server_fns;

const LOOK: Duration = Duration::from_secs(5);

/// The instances as the gateway has them; none until the page is alive.
#[derive(Clone, Copy)]
pub(crate) struct Instances(RwSignal<Vec<Instance>>);

impl Instances {
    /// Asks now, and again as long as the part of the page lives that called this.
    pub(crate) fn watch() -> Self {
        let instances = RwSignal::new(Vec::new());
        let look = move || {
            spawn_local(async move {
                // What cannot be asked now can be asked in a few seconds.
                if let Ok(found) = server_fns::list_instances().await {
                    instances.try_set(found);
                }
            });
        };
        Effect::new(move |_| {
            look();
            let when_seen = move || {
                if !document().hidden() {
                    look();
                }
            };
            if let Ok(looking) = set_interval_with_handle(when_seen, LOOK) {
                on_cleanup(move || looking.clear());
            }
        });
        Self(instances)
    }

    /// Those of a provider.
    fn of(self, provider: &str) -> Vec<Instance> {
        let instances = self.0.read();
        let of_provider = instances.iter().filter(|one| one.provider == provider);
        of_provider.cloned().collect()
    }

    fn troubled(self, providers: &[String]) -> usize {
        let instances = self.0.read();
        let troubled = instances
            .iter()
            .filter(|one| one.health != Health::Ok && providers.contains(&one.provider));
        troubled.count()
    }
}

/// Every instance of a provider that is not well, or was not.
#[component]
pub(crate) fn InstanceHealth(instances: Instances, provider: String) -> impl IntoView {
    let locale = use_locale();
    move || {
        let found = instances.of(&provider);
        let several = found.len() > 1;
        let noted: Vec<_> = found
            .into_iter()
            .filter(|one| one.health != Health::Ok || one.last_error.is_some())
            .map(|one| view! { <li><State instance=one several /></li> })
            .collect();
        (!noted.is_empty()).then(
            || view! { <ul class="health" aria-label=text!(locale, health.title)>{noted}</ul> },
        )
    }
}

/// How many instances of these providers take no requests, or fewer.
#[component]
pub(crate) fn TroubledCount(instances: Instances, providers: Vec<String>) -> impl IntoView {
    let locale = use_locale();
    move || {
        let count = instances.troubled(&providers);
        (count > 0).then(|| {
            view! {
                <span class="badge danger">{text!(locale, health.troubled, count = count)}</span>
            }
        })
    }
}

#[component]
fn State(instance: Instance, several: bool) -> impl IntoView {
    let locale = use_locale();
    let class = match instance.health {
        Health::Ok => "state",
        Health::Recovering => "state recovering",
        Health::Ejected => "state failed",
    };
    let url = several.then(|| view! { <span class="health-url">{instance.url.clone()}</span> });
    view! {
        <span class=class>
            <span>{in_words(locale, &instance)}</span>
        </span>
        {url}
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
