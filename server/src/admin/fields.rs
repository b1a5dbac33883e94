//! Collects what is wrong with a draft, so that one answer names every field.

use std::collections::BTreeMap;

use app::error::ApiError;
use routing::FieldErrors;

/// Field path (`instances[1].url`) to a sentence. A field keeps its first problem.
#[derive(Debug, Default)]
pub(super) struct Fields(BTreeMap<String, String>);

impl Fields {
    pub(super) fn refuse(&mut self, path: impl Into<String>, problem: impl ToString) {
        self.0
            .entry(path.into())
            .or_insert_with(|| problem.to_string());
    }

    /// 422 if anything was refused.
    pub(super) fn finish(self) -> Result<(), ApiError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(ApiError::invalid(self.0))
        }
    }

    /// What was checked elsewhere, if nothing was refused there or here.
    pub(super) fn finish_with<T>(mut self, checked: Result<T, FieldErrors>) -> Result<T, ApiError> {
        match checked {
            Ok(value) => self.finish().map(|()| value),
            Err(errors) => {
                for (path, problem) in errors {
                    self.refuse(path, problem);
                }
                Err(ApiError::invalid(self.0))
            }
        }
    }

    /// The text without white space around it, which must leave something: one line of at most `most`
    /// characters.
    pub(super) fn line(&mut self, text: &str, most: usize, path: &str, missing: &str) -> String {
        let text = text.trim();
        if text.is_empty() {
            self.refuse(path, missing);
        }
        if text.chars().any(char::is_control) {
            self.refuse(path, "Leave out line breaks and other control characters.");
        }
        self.at_most(text.chars().count(), most, "characters", path);
        text.to_owned()
    }

    pub(super) fn at_most(&mut self, found: usize, most: usize, what: &str, path: &str) {
        if found > most {
            self.refuse(
                path,
                format!("These are {found} {what}; at most {most} are kept."),
            );
        }
    }

    /// The revision that an edit must name; 0, which is never stored, when it does not.
    pub(super) fn revision(&mut self, revision: Option<i64>) -> i64 {
        revision.unwrap_or_else(|| {
            self.refuse(
                "revision",
                "Send the revision that reading gave, so that nobody's edit in between is lost.",
            );
            0
        })
    }
}
