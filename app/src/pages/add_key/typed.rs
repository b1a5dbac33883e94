//! What is typed into the form, and the draft it amounts to.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Months, NaiveDate, TimeDelta, Utc};

use crate::api::key::{KeyDraft, Scope};

/// All that the form says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Typed {
    pub name: String,
    pub scopes: Vec<Scope>,
    pub reach: Reach,
    /// Counts where the reach is `Chosen`.
    pub routes: BTreeSet<String>,
    pub expiry: Expiry,
    /// Counts where the expiry is `Date`.
    pub date: String,
}

/// Which routes the key may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    All,
    Chosen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expiry {
    Days7,
    Month1,
    Months6,
    Never,
    Date,
}

/// What is wrong, before the server is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    NoRoute,
    NoDate,
    PastDate,
}

impl Typed {
    /// `end_of` says when a day ends where the person is.
    pub(super) fn draft(
        &self,
        now: DateTime<Utc>,
        end_of: impl FnOnce(NaiveDate) -> Option<DateTime<Utc>>,
    ) -> Result<KeyDraft, BTreeMap<&'static str, Problem>> {
        let mut problems = BTreeMap::new();
        let calls_routes = self.scopes.contains(&Scope::Inference);
        let chosen = calls_routes && self.reach == Reach::Chosen;
        if chosen && self.routes.is_empty() {
            // To the server, no route at all means all of them.
            problems.insert("routes", Problem::NoRoute);
        }
        let lifetime = match self.lifetime(now, end_of) {
            Ok(lifetime) => lifetime,
            Err(problem) => {
                problems.insert("expires_in_s", problem);
                None
            }
        };
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(KeyDraft {
            name: self.name.clone(),
            scopes: self.scopes.clone(),
            routes: if chosen {
                self.routes.iter().cloned().collect()
            } else {
                Vec::new()
            },
            expires_in_s: lifetime.map(|lifetime| lifetime.num_seconds()),
        })
    }

    fn lifetime(
        &self,
        now: DateTime<Utc>,
        end_of: impl FnOnce(NaiveDate) -> Option<DateTime<Utc>>,
    ) -> Result<Option<TimeDelta>, Problem> {
        let months = |count| {
            now.checked_add_months(Months::new(count))
                .map(|then| then - now)
        };
        Ok(match self.expiry {
            Expiry::Days7 => TimeDelta::try_days(7),
            Expiry::Month1 => months(1),
            Expiry::Months6 => months(6),
            Expiry::Never => None,
            Expiry::Date => {
                let date = self.date.parse().map_err(|_| Problem::NoDate)?;
                let end = end_of(date).ok_or(Problem::NoDate)?;
                if end <= now {
                    return Err(Problem::PastDate);
                }
                Some(end - now)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed() -> Typed {
        Typed {
            name: "laptop".into(),
            scopes: vec![Scope::Inference],
            reach: Reach::All,
            routes: BTreeSet::from(["qwen3".to_owned()]),
            expiry: Expiry::Never,
            date: String::new(),
        }
    }

    fn draft(typed: &Typed) -> Result<KeyDraft, BTreeMap<&'static str, Problem>> {
        let now = "2026-01-31T12:00:00Z".parse().unwrap();
        typed.draft(now, |date| {
            Some((date.succ_opt()?).and_hms_opt(0, 0, 0)?.and_utc())
        })
    }

    #[test]
    fn routes_count_only_when_chosen() {
        let mut key = typed();
        assert!(draft(&key).unwrap().routes.is_empty());
        key.reach = Reach::Chosen;
        assert_eq!(draft(&key).unwrap().routes, ["qwen3"]);
        key.routes.clear();
        assert_eq!(draft(&key).unwrap_err()["routes"], Problem::NoRoute);
        key.scopes = vec![Scope::Management];
        assert!(draft(&key).unwrap().routes.is_empty());
    }

    #[test]
    fn an_expiry_is_counted_from_now() {
        const DAY: i64 = 86_400;
        for (expiry, date, seconds) in [
            (Expiry::Never, "", None),
            (Expiry::Days7, "", Some(7 * DAY)),
            (Expiry::Month1, "", Some(28 * DAY)),
            (Expiry::Months6, "", Some(181 * DAY)),
            (Expiry::Date, "2026-01-31", Some(DAY / 2)),
            (Expiry::Date, "2026-02-02", Some(2 * DAY + DAY / 2)),
        ] {
            let key = Typed {
                expiry,
                date: date.into(),
                ..typed()
            };
            assert_eq!(
                draft(&key).unwrap().expires_in_s,
                seconds,
                "{expiry:?} {date}"
            );
        }
    }

    #[test]
    fn a_date_must_be_one_and_lie_ahead() {
        for (date, problem) in [
            ("", Problem::NoDate),
            ("tomorrow", Problem::NoDate),
            ("2026-01-30", Problem::PastDate),
        ] {
            let key = Typed {
                expiry: Expiry::Date,
                date: date.into(),
                ..typed()
            };
            assert_eq!(draft(&key).unwrap_err()["expires_in_s"], problem, "{date}");
        }
    }
}
