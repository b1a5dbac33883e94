//! Why a request went where it went, in one plain sentence.
//!
//! A record is understood first and worded then, so that every language says the same.

mod analysis;
mod names;
#[cfg(test)]
mod tests;
mod words;

use routing::ScorerName;

use crate::api::ranking::Ranked;
use crate::api::request::RequestRecord;
use crate::i18n::Locale;

use analysis::Story;
use names::Names;

/// Where a request went, and why. What the record itself says of that does not count.
#[must_use]
pub fn why(record: &RequestRecord, locale: Locale) -> String {
    words::sentence(locale, &Names::of(record), &Story::of(record))
}

/// Why a candidate took no request; nothing where it could have.
pub(crate) fn left_out(locale: Locale, ranked: &Ranked) -> Option<String> {
    ranked.left_out.as_ref()?;
    Some(words::left_out(locale, analysis::left_out(ranked)).to_owned())
}

/// Why a scorer took no part, from the engine's own words.
pub(crate) fn abstained(locale: Locale, scorer: ScorerName, why: &str) -> String {
    words::silence(locale, &analysis::silence(scorer, why))
}
