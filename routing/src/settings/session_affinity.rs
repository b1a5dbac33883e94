//! Session Affinity: where a session is recognised, and how much staying put counts.

use serde::{Deserialize, Serialize};

use super::{ScorerName, scorer_weight};
use crate::check;
use crate::draft::{SessionAffinityDraft, SessionKeyDraft};
use crate::field_errors::FieldErrors;
use crate::problem::{Needed, Problem};

const MOST_ENTRIES: usize = 100;
const MOST_TEXT: usize = 255;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionAffinity {
    pub enabled: bool,
    pub weight: f64,
    /// Ends of the paths on which body keys count; `*` means every path.
    pub body_paths: Vec<String>,
    /// The first that is present wins. While the scorer is on: exactly one of the two in each,
    /// header names in lower case.
    pub keys: Vec<SessionKeyDraft>,
}

impl SessionAffinity {
    const WEIGHT: f64 = 1.0;

    pub(super) fn check(draft: &SessionAffinityDraft, errors: &mut FieldErrors) -> Self {
        let scorer = ScorerName::SessionAffinity;
        let at = scorer.path();
        let defaults = Self::default();
        let mut settings = Self {
            enabled: draft.enabled,
            weight: scorer_weight(draft.weight, Self::WEIGHT, scorer, errors),
            body_paths: draft.body_paths.clone().unwrap_or(defaults.body_paths),
            keys: draft.keys.clone().unwrap_or(defaults.keys),
        };
        settings.check_sizes(at, errors);
        if settings.enabled {
            settings.check_body_paths(at, errors);
            settings.check_keys(at, errors);
        }
        settings
    }

    fn check_sizes(&self, at: &str, errors: &mut FieldErrors) {
        let list = format!("{at}.body_paths");
        let body_paths = check::few(&self.body_paths, MOST_ENTRIES, &list, errors);
        for (index, path) in body_paths.iter().enumerate() {
            check::bounded(path, MOST_TEXT, &format!("{list}[{index}]"), errors);
        }
        let list = format!("{at}.keys");
        let keys = check::few(&self.keys, MOST_ENTRIES, &list, errors);
        for (index, key) in keys.iter().enumerate() {
            for (part, text) in [("header", &key.header), ("body", &key.body)] {
                let text = text.as_deref().unwrap_or_default();
                check::bounded(text, MOST_TEXT, &format!("{list}[{index}].{part}"), errors);
            }
        }
    }

    fn check_body_paths(&mut self, at: &str, errors: &mut FieldErrors) {
        let field = |index| format!("{at}.body_paths[{index}]");
        for (index, path) in self.body_paths.iter_mut().take(MOST_ENTRIES).enumerate() {
            *path = path.trim().to_owned();
            if path.is_empty() {
                errors.insert(field(index), Problem::Blank(Needed::RequestPath));
            } else if path != "*" && !path.starts_with('/') {
                errors.insert(field(index), Problem::NotAPath);
            }
        }
        check::distinct(
            self.body_paths.iter().take(MOST_ENTRIES).map(Some),
            field,
            |earlier| Problem::Repeats { earlier },
            errors,
        );
    }

    fn check_keys(&mut self, at: &str, errors: &mut FieldErrors) {
        if self.keys.is_empty() {
            errors.insert(format!("{at}.keys"), Problem::NoSessionKeys);
        }
        let field = |index, part| format!("{at}.keys[{index}]{part}");
        for (index, key) in self.keys.iter_mut().take(MOST_ENTRIES).enumerate() {
            let (part, checked) = match (&mut key.header, &mut key.body) {
                (Some(header), None) => {
                    *header = header.trim().to_ascii_lowercase();
                    (".header", check_header(header))
                }
                (None, Some(body)) => {
                    *body = body.trim().to_owned();
                    (".body", check_body(body))
                }
                _ => ("", Err(Problem::SessionKeyIsNotOne)),
            };
            if let Err(problem) = checked {
                errors.insert(field(index, part), problem);
            }
        }
        let keys = self.keys.get(..MOST_ENTRIES).unwrap_or(&self.keys);
        check::distinct(
            keys.iter().map(|key| key.header.as_ref()),
            |index| field(index, ".header"),
            |earlier| Problem::Repeats { earlier },
            errors,
        );
        check::distinct(
            keys.iter().map(|key| key.body.as_ref()),
            |index| field(index, ".body"),
            |earlier| Problem::Repeats { earlier },
            errors,
        );
    }
}

/// A token of RFC 9110, section 5.6.2.
fn check_header(name: &str) -> Result<(), Problem> {
    if name.is_empty() {
        return Err(Problem::Blank(Needed::HeaderName));
    }
    let is_token = |character: &char| {
        character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(*character)
    };
    match name.chars().find(|character| !is_token(character)) {
        Some(stranger) => Err(Problem::HeaderHolds(stranger)),
        None => Ok(()),
    }
}

fn check_body(path: &str) -> Result<(), Problem> {
    if path.is_empty() {
        return Err(Problem::Blank(Needed::BodyPath));
    }
    if path.split('.').any(|segment| segment.trim().is_empty()) {
        return Err(Problem::EmptySegment);
    }
    Ok(())
}

/// Off, with the values it has when switched on.
impl Default for SessionAffinity {
    fn default() -> Self {
        let header = |name: &str| SessionKeyDraft {
            header: Some(name.to_owned()),
            body: None,
        };
        let body = |path: &str| SessionKeyDraft {
            header: None,
            body: Some(path.to_owned()),
        };
        Self {
            enabled: false,
            weight: Self::WEIGHT,
            body_paths: vec!["/responses".to_owned(), "/messages".to_owned()],
            keys: vec![
                header("session-id"),
                header("x-client-request-id"),
                body("prompt_cache_key"),
            ],
        }
    }
}

impl From<SessionAffinity> for SessionAffinityDraft {
    fn from(settings: SessionAffinity) -> Self {
        Self {
            enabled: settings.enabled,
            weight: Some(settings.weight),
            body_paths: Some(settings.body_paths),
            keys: Some(settings.keys),
        }
    }
}
