//! Records of requests, their names, and what they came to.

use app::api::usage::{Counts, UsageBy};

use super::*;
use crate::testing::on_both_databases;

/// The nth request.
fn row(n: u32) -> RequestRow {
    RequestRow {
        id: id(n),
        route: 1,
        target: i32::try_from(n % 3).unwrap(),
        api_key: 2,
        path: 3,
        status: if n.is_multiple_of(10) { 503 } else { 200 },
        decided_by: 4,
        flags: if n.is_multiple_of(2) {
            flag::TIE | flag::STREAMING
        } else {
            flag::FALLBACK
        },
        ttfb_ms: (!n.is_multiple_of(5)).then_some(i32::try_from(n).unwrap()),
        duration_ms: i32::try_from(n * 2).unwrap(),
        input: Some(7),
        output: None,
        detail: vec![1, 2, 3, u8::try_from(n % 200).unwrap()],
    }
}

fn id(n: u32) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + u128::from(n))
}

fn hour(hour: i32, target: i32, requests: u64) -> UsageHour {
    UsageHour {
        hour,
        route: 1,
        target,
        api_key: 2,
        counts: Counts {
            requests,
            input: 10 * requests,
            ..Counts::default()
        },
    }
}

async fn ids(store: &Store, query: RequestQuery) -> Vec<Uuid> {
    let rows = store.requests(&query).await.unwrap();
    rows.into_iter().map(|row| row.id).collect()
}

on_both_databases! {
    async fn requests_are_kept_once_and_come_back_newest_first(database: TestDatabase) {
        let store = open(&database).await;
        let version = store.settings_version().await.unwrap();
        let rows: Vec<RequestRow> = (1..=150).map(row).collect();
        store.write_requests(&rows, &[]).await.unwrap();
        store.write_requests(&rows[..3], &[]).await.unwrap();
        store.write_requests(&[], &[]).await.unwrap();
        let mut newest_first = rows.clone();
        newest_first.reverse();
        assert_eq!(store.requests(&RequestQuery::default()).await.unwrap(), newest_first);
        assert_eq!(store.request(id(7)).await.unwrap(), Some(row(7)));
        assert_eq!(store.request(id(999)).await.unwrap(), None);
        assert_eq!(store.settings_version().await.unwrap(), version);
    }

    async fn each_filter_counts(database: TestDatabase) {
        let store = open(&database).await;
        let rows: Vec<RequestRow> = (1..=30).map(row).collect();
        store.write_requests(&rows, &[]).await.unwrap();
        let all = RequestQuery::default;
        let page = RequestQuery { before: id(20), since: id(10), limit: 3, ..all() };
        assert_eq!(ids(&store, page).await, [19, 18, 17].map(id));
        let count = async |query: RequestQuery| ids(&store, query).await.len();
        assert_eq!(count(RequestQuery { routes: Some(vec![1, 9]), ..all() }).await, 30);
        assert_eq!(count(RequestQuery { routes: Some(vec![]), ..all() }).await, 0);
        assert_eq!(count(RequestQuery { targets: Some(vec![1]), ..all() }).await, 10);
        assert_eq!(count(RequestQuery { keys: Some(vec![3]), ..all() }).await, 0);
        assert_eq!(count(RequestQuery { paths: Some(vec![3]), ..all() }).await, 30);
        assert_eq!(count(RequestQuery { status: Some(500..=599), ..all() }).await, 3);
        assert_eq!(count(RequestQuery { slow_ms: Some(50), ..all() }).await, 6);
        assert_eq!(count(RequestQuery { decided_by: Some(4), ..all() }).await, 30);
        assert_eq!(count(RequestQuery { decided_by: Some(5), ..all() }).await, 0);
        let flags = vec![(flag::TIE, true), (flag::FALLBACK, false)];
        assert_eq!(count(RequestQuery { flags, ..all() }).await, 15);
    }

    async fn the_old_and_those_too_many_are_pruned(database: TestDatabase) {
        let store = open(&database).await;
        let rows: Vec<RequestRow> = (1..=2_500).map(row).collect();
        store.write_requests(&rows, &[]).await.unwrap();
        assert_eq!(store.prune_requests(10_000, Uuid::nil()).await.unwrap(), 0);
        assert_eq!(store.prune_requests(10_000, id(101)).await.unwrap(), 100);
        assert_eq!(store.prune_requests(5, Uuid::nil()).await.unwrap(), 2_395);
        let left = ids(&store, RequestQuery::default()).await;
        assert_eq!(left, [2_500, 2_499, 2_498, 2_497, 2_496].map(id));
        assert_eq!(store.prune_requests(0, Uuid::nil()).await.unwrap(), 5);
        assert_eq!(store.request(id(2_500)).await.unwrap(), None);
    }

    async fn a_name_has_one_number(database: TestDatabase) {
        let store = open(&database).await;
        let name = |kind, uid: &str, name: &str| RequestName {
            kind,
            uid: uid.to_owned(),
            name: name.to_owned(),
        };
        let names = [
            name(NameKind::Route, "u1", "b"),
            name(NameKind::Route, "u1", "a"),
            name(NameKind::Route, "u2", "a"),
            name(NameKind::Target, "", "a"),
        ];
        let first = store.number_request_names(&names).await.unwrap();
        let again = store.number_request_names(&names).await.unwrap();
        assert_eq!(first, again);
        assert_eq!(store.count_request_names().await.unwrap(), 4);
        assert!(!first.contains(&0), "0 is for none");
        let mut known = store.request_names().await.unwrap();
        let mut expected: Vec<_> = first.into_iter().zip(names).collect();
        known.sort_by_key(|(number, _)| *number);
        expected.sort_by_key(|(number, _)| *number);
        assert_eq!(known, expected);
    }

    async fn what_requests_came_to_adds_up(database: TestDatabase) {
        let store = open(&database).await;
        store.write_requests(&[], &[hour(10, 1, 2), hour(10, 2, 1), hour(11, 1, 5)]).await.unwrap();
        store.write_requests(&[], &[hour(10, 1, 3), hour(12, 1, 1)]).await.unwrap();
        let sums = async |by, hours| -> Vec<(i32, i32, u64, u64)> {
            let sums = store.usage(by, hours).await.unwrap();
            let all = |sum: UsageSum| (sum.hour, sum.name, sum.counts.requests, sum.counts.input);
            let mut sums: Vec<_> = sums.into_iter().map(all).collect();
            sums.sort_unstable();
            sums
        };
        assert_eq!(sums(UsageBy::Target, 10..12).await, [(10, 1, 5, 50), (10, 2, 1, 10), (11, 1, 5, 50)]);
        assert_eq!(sums(UsageBy::Route, 0..100).await, [(10, 1, 6, 60), (11, 1, 5, 50), (12, 1, 1, 10)]);
        assert_eq!(sums(UsageBy::Key, 12..13).await, [(12, 2, 1, 10)]);
        assert_eq!(store.prune_usage(11).await.unwrap(), 2);
        assert_eq!(sums(UsageBy::Key, 0..100).await.len(), 2);
    }

    /// What cannot be written is not counted either.
    async fn records_and_sums_are_written_together(database: TestDatabase) {
        let store = open(&database).await;
        let spoiled = RequestRow { id: id(2), ..row(1) };
        database.run("DROP TABLE request_details").await;
        store.write_requests(&[spoiled], &[hour(1, 1, 1)]).await.unwrap_err();
        assert_eq!(store.usage(UsageBy::Route, 0..9).await.unwrap(), []);
    }
}
