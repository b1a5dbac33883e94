//! Checks that several fields share. Problems go to `errors`, under the field's path.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::field_errors::FieldErrors;
use crate::problem::{Needed, Problem};

/// The text without white space around it, which must leave something.
pub(crate) fn needed(
    text: &str,
    needed: Needed,
    most: usize,
    path: &str,
    errors: &mut FieldErrors,
) -> String {
    let text = text.trim();
    if text.is_empty() {
        errors.insert(path, Problem::Blank(needed));
    }
    bounded(text, most, path, errors);
    text.to_owned()
}

/// A text of at most so many characters.
pub(crate) fn bounded(text: &str, most: usize, path: &str, errors: &mut FieldErrors) {
    // A character takes at least one byte, so a short text need not be counted.
    if text.len() > most {
        let found = text.chars().count();
        if found > most {
            errors.insert(path, Problem::TooLong { most, found });
        }
    }
}

/// The entries of a list of at most so many. Those beyond are not looked at: one problem says it.
pub(crate) fn few<'a, T>(
    entries: &'a [T],
    most: usize,
    path: &str,
    errors: &mut FieldErrors,
) -> &'a [T] {
    let found = entries.len();
    if found > most {
        errors.insert(path, Problem::TooMany { most, found });
    }
    entries.get(..most).unwrap_or(entries)
}

/// No entry says what an earlier one said. `None` is an entry that says nothing yet.
pub(crate) fn distinct<T: Ord>(
    entries: impl IntoIterator<Item = Option<T>>,
    path: impl Fn(usize) -> String,
    problem: impl Fn(usize) -> Problem,
    errors: &mut FieldErrors,
) {
    let mut seen = BTreeMap::new();
    for (index, entry) in entries.into_iter().enumerate() {
        let Some(entry) = entry else { continue };
        match seen.entry(entry) {
            Entry::Vacant(first) => {
                first.insert(index);
            }
            Entry::Occupied(first) => errors.insert(path(index), problem(*first.get())),
        }
    }
}
