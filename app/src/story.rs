//! Why a request went where it went, in one plain sentence.
//!
//! A record is understood first and worded then, so that every language says the same.

mod analysis;
mod names;
#[cfg(test)]
mod tests;
mod words;

use crate::api::request::RequestRecord;
use crate::i18n::Locale;

use analysis::Story;
use names::Names;

/// Where a request went, and why. What the record itself says of that does not count.
#[must_use]
pub fn why(record: &RequestRecord, locale: Locale) -> String {
    words::sentence(locale, &Names::of(record), &Story::of(record))
}
