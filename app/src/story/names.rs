//! What candidates are called: as short as tells them apart.

use std::collections::BTreeSet;

use crate::api::ranking::Ranked;
use crate::api::request::{Attempt, RequestRecord};
use crate::i18n::{Locale, text};

/// One candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Who<'a> {
    /// `provider/model`
    pub target: &'a str,
    /// Base URL.
    pub instance: &'a str,
}

impl<'a> Who<'a> {
    /// No provider's name holds a slash.
    pub(super) fn model(self) -> &'a str {
        self.target
            .split_once('/')
            .map_or(self.target, |(_, model)| model)
    }
}

impl<'a> From<&'a Ranked> for Who<'a> {
    fn from(ranked: &'a Ranked) -> Self {
        Self {
            target: &ranked.target,
            instance: &ranked.instance,
        }
    }
}

impl<'a> From<&'a Attempt> for Who<'a> {
    fn from(attempt: &'a Attempt) -> Self {
        Self {
            target: &attempt.target,
            instance: &attempt.instance,
        }
    }
}

/// Everybody in a record.
pub(super) struct Names<'a>(BTreeSet<Who<'a>>);

impl<'a> Names<'a> {
    pub(super) fn of(record: &'a RequestRecord) -> Self {
        let ranked = record.ranking.iter().map(Who::from);
        Self(
            ranked
                .chain(record.attempts.iter().map(Who::from))
                .collect(),
        )
    }

    /// The model; with its provider where several have it, and with the instance where there are
    /// several.
    pub(super) fn short(&self, locale: Locale, who: Who<'_>) -> String {
        let of_other_provider =
            |other: &Who<'_>| other.model() == who.model() && other.target != who.target;
        let name = match self.0.iter().any(of_other_provider) {
            true => who.target,
            false => who.model(),
        };
        let of_target = self.0.iter().filter(|other| other.target == who.target);
        match of_target.count() {
            0 | 1 => name.to_owned(),
            _ => text!(locale, story.at, name = name, instance = who.instance),
        }
    }
}
