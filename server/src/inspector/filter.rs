//! From what is asked for in words to a query of the store.

use std::ops::RangeInclusive;

use app::api::request::RequestFilter;
use app::error::ApiError;
use uuid::Uuid;

use super::names::Names;
use crate::request_archive::{first_id_of, number_of};
use crate::store::{NameKind, RequestQuery, flag};

const LIMIT: u32 = 100;
const MOST: u32 = 1_000;

/// How many are wanted.
///
/// # Errors
/// 422 for `limit`.
pub(super) fn limit(filter: &RequestFilter) -> Result<u32, ApiError> {
    let limit = filter.limit.unwrap_or(LIMIT);
    match (1..=MOST).contains(&limit) {
        true => Ok(limit),
        false => Err(ApiError::invalid_field("limit", "Write 1 to 1,000.")),
    }
}

/// All that fit.
///
/// # Errors
/// 422 by field.
pub(super) fn query(filter: &RequestFilter, names: &Names) -> Result<RequestQuery, ApiError> {
    let numbers = |kind, text: &Option<String>| {
        let text = text.as_deref()?;
        Some(names.numbers(kind, text))
    };
    let before = filter.before.as_deref().map(Uuid::try_parse).transpose();
    let before = before.map_err(|_| {
        ApiError::invalid_field("before", "Give the id of a request, as `next` does.")
    })?;
    let until = filter.until.map(first_id_of);
    let before = before.into_iter().chain(until).min();
    let flags = [(filter.tie, flag::TIE), (filter.fallback, flag::FALLBACK)];
    Ok(RequestQuery {
        before: before.unwrap_or(Uuid::max()),
        since: filter.since.map_or(Uuid::nil(), first_id_of),
        routes: numbers(NameKind::Route, &filter.route),
        targets: numbers(NameKind::Target, &filter.target),
        keys: numbers(NameKind::Key, &filter.key),
        paths: numbers(NameKind::Path, &filter.path),
        status: filter.status.as_deref().map(status).transpose()?,
        slow_ms: filter
            .slow_ms
            .map(|least| i32::try_from(least).unwrap_or(i32::MAX)),
        decided_by: filter.decided_by.map(number_of),
        flags: flags
            .into_iter()
            .filter_map(|(wanted, bit)| Some((bit, wanted?)))
            .collect(),
        limit: u32::MAX,
    })
}

/// `429`, or all of a kind as `4xx`.
fn status(text: &str) -> Result<RangeInclusive<i32>, ApiError> {
    let text = text.trim();
    let of_a_kind = text.strip_suffix("xx").or(text.strip_suffix("XX"));
    let range = match of_a_kind {
        Some(hundreds) => hundreds
            .parse()
            .ok()
            .filter(|hundreds| (1..=5).contains(hundreds))
            .map(|hundreds: i32| hundreds * 100..=hundreds * 100 + 99),
        None => text
            .parse()
            .ok()
            .filter(|status| (100..=599).contains(status))
            .map(|status: i32| status..=status),
    };
    range.ok_or_else(|| {
        ApiError::invalid_field("status", "Write a status such as 429, or 2xx, 4xx or 5xx.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_one_or_all_of_a_kind() {
        assert_eq!(status("429"), Ok(429..=429));
        assert_eq!(status(" 4xx "), Ok(400..=499));
        assert_eq!(status("5XX"), Ok(500..=599));
        for bad in ["", "x", "99", "600", "0xx", "6xx", "xx", "-1", "4x"] {
            assert!(status(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_nearer_of_two_bounds_counts() {
        let at = |ms| chrono::DateTime::from_timestamp_millis(ms);
        let id = first_id_of(at(5_000).unwrap());
        let filter = RequestFilter {
            before: Some(id.to_string()),
            until: at(9_000),
            ..RequestFilter::default()
        };
        assert_eq!(query(&filter, &Names::default()).unwrap().before, id);
        let filter = RequestFilter {
            until: at(1_000),
            ..filter
        };
        let until = first_id_of(at(1_000).unwrap());
        assert_eq!(query(&filter, &Names::default()).unwrap().before, until);
    }

    #[test]
    fn a_name_that_never_occurred_fits_nothing() {
        let filter = RequestFilter {
            route: Some("nowhere".to_owned()),
            ..RequestFilter::default()
        };
        let query = query(&filter, &Names::default()).unwrap();
        assert_eq!((query.routes, query.targets), (Some(vec![]), None));
    }
}
