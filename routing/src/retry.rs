//! What a failed attempt is followed by.

use serde::{Deserialize, Serialize};

use crate::check;
use crate::draft::RetryDraft;
use crate::field_errors::FieldErrors;
use crate::problem::Problem;

/// Below 500, those of which another instance, or the same a moment later, may think otherwise.
const RETRIABLE: [u16; 7] = [401, 403, 404, 408, 409, 425, 429];
/// As many as there are.
const MOST_STATUSES: usize = RETRIABLE.len() + 100;

/// How often a route tries, and after which answers it tries again. What never answers is always
/// tried again elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Retry {
    attempts: u32,
    statuses: Vec<u16>,
}

impl Retry {
    pub const LEAST_ATTEMPTS: u32 = 1;
    pub const MOST_ATTEMPTS: u32 = 10;

    /// How many candidates of the ranking are tried in all; fallbacks are not counted.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// The answers of an upstream after which the next candidate is tried.
    pub fn statuses(&self) -> &[u16] {
        &self.statuses
    }

    pub fn is_retried(&self, status: u16) -> bool {
        self.statuses.contains(&status)
    }

    /// Problems go to `errors`, and what comes back counts only if there are none.
    pub(crate) fn check(draft: &RetryDraft, errors: &mut FieldErrors) -> Self {
        let defaults = Self::default();
        let attempts = draft.attempts.map_or(Ok(defaults.attempts), whole_attempts);
        let statuses = draft.statuses.clone().unwrap_or(defaults.statuses);
        check_statuses(&statuses, errors);
        Self {
            attempts: attempts.unwrap_or_else(|problem| {
                errors.insert("retry.attempts", problem);
                defaults.attempts
            }),
            statuses,
        }
    }
}

fn whole_attempts(number: f64) -> Result<u32, Problem> {
    let in_range = f64::from(Retry::LEAST_ATTEMPTS)..=f64::from(Retry::MOST_ATTEMPTS);
    if !in_range.contains(&number) || number.fract() != 0.0 {
        return Err(Problem::Attempts(number));
    }
    // Exact: a whole number within the range of u32.
    Ok(number as u32)
}

fn check_statuses(statuses: &[u16], errors: &mut FieldErrors) {
    let field = |index| format!("retry.statuses[{index}]");
    let statuses = check::few(statuses, MOST_STATUSES, "retry.statuses", errors);
    for (index, status) in statuses.iter().enumerate() {
        if !RETRIABLE.contains(status) && !(500..=599).contains(status) {
            errors.insert(field(index), Problem::NeverRetried(*status));
        }
    }
    check::distinct(
        statuses.iter().map(Some),
        field,
        |earlier| Problem::Repeats { earlier },
        errors,
    );
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 2,
            statuses: vec![429, 502, 503, 504],
        }
    }
}

impl From<Retry> for RetryDraft {
    fn from(retry: Retry) -> Self {
        Self {
            attempts: Some(f64::from(retry.attempts)),
            statuses: Some(retry.statuses),
        }
    }
}
