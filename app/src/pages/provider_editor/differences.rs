//! In what a stored provider and a draft differ, in words for a person. Secrets have none.

use crate::api::provider::{HealthCheck, Provider, ProviderDraft, Timeouts};
use crate::components::conflict::Difference;
use crate::components::provider_words::kind_name;
use crate::i18n::{Locale, text};

pub(super) fn differences(
    locale: Locale,
    theirs: &Provider,
    mine: &ProviderDraft,
) -> Vec<Difference> {
    let state = |enabled: bool| {
        let word = if enabled {
            text!(locale, providers.enabled)
        } else {
            text!(locale, providers.disabled)
        };
        word.to_owned()
    };
    let times = |times: &Timeouts| {
        format!(
            "{} / {} / {} ms",
            times.connect_ms, times.first_byte_ms, times.idle_ms
        )
    };
    let speaks = |speaks: &Option<Vec<String>>| speaks.clone().unwrap_or_default().join(", ");
    let health_check = |check: &Option<HealthCheck>| {
        let check = check.as_ref();
        check.map_or_else(String::new, |check| {
            format!("{} · {} s", check.path, check.interval_s)
        })
    };
    let between = Difference::between;
    [
        between(
            text!(locale, provider.name),
            theirs.name.clone(),
            mine.name.clone(),
        ),
        between(
            text!(locale, provider.kind),
            kind_name(locale, theirs.kind).to_owned(),
            kind_name(locale, mine.kind).to_owned(),
        ),
        between(
            text!(locale, providers.column_state),
            state(theirs.enabled),
            state(mine.enabled),
        ),
        between(
            text!(locale, provider.instances),
            lines(theirs.instances.iter().map(|instance| &*instance.url)),
            lines(mine.instances.iter().map(|instance| &*instance.url)),
        ),
        between(
            text!(locale, provider.models),
            lines(theirs.models.iter().map(|model| &*model.name)),
            lines(mine.models.iter().map(|model| &*model.name)),
        ),
        between(
            text!(locale, provider.headers),
            lines(theirs.headers.keys().map(String::as_str)),
            lines(mine.headers.iter().flatten().map(|(name, _)| &**name)),
        ),
        between(
            text!(locale, provider.speaks),
            speaks(&theirs.speaks),
            speaks(&mine.speaks),
        ),
        between(
            text!(locale, provider.timeouts),
            times(&theirs.timeouts),
            times(&mine.timeouts),
        ),
        between(
            text!(locale, provider.health_check),
            health_check(&theirs.health_check),
            health_check(&mine.health_check),
        ),
        between(
            text!(locale, provider.include_usage),
            state(theirs.include_usage),
            state(mine.include_usage),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn lines<'a>(items: impl Iterator<Item = &'a str>) -> String {
    items.collect::<Vec<_>>().join("\n")
}
