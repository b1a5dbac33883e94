//! Lists by name, page after page.

use app::api::list::Page;

use super::*;
use crate::testing::on_both_databases;

fn page(limit: u32, after: Option<String>) -> Page {
    Page { limit, after }
}

on_both_databases! {
    async fn pages_follow_each_other_to_the_end(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let names = ["B", "a", "a b", "b", "ä"];
        for name in names.iter().rev() {
            bench.provider(name).await;
            bench.admin.create_key(key("same")).await.unwrap();
        }
        let mut seen = Vec::new();
        let mut after = None;
        loop {
            let list = bench.admin.list_providers(page(2, after)).await.unwrap();
            assert!(list.items.iter().all(|p| p.models.len() == 2 && p.instances.len() == 1));
            seen.extend(list.items.into_iter().map(|provider| provider.name));
            after = list.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen, names);
        // A page that ends with the list has no next.
        assert_eq!(bench.admin.list_providers(page(5, None)).await.unwrap().next, None);
        assert!(bench.admin.list_providers(page(4, None)).await.unwrap().next.is_some());

        let first = bench.admin.list_keys(page(3, None)).await.unwrap();
        let rest = bench.admin.list_keys(page(1_000, first.next)).await.unwrap();
        let mut ids: Vec<_> = first.items.iter().chain(&rest.items).map(|key| key.id).collect();
        ids.dedup();
        assert_eq!((ids.len(), rest.next), (5, None));
    }

    async fn a_wrong_page_is_422(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        for limit in [0, 1_001, u32::MAX] {
            refused_at(bench.admin.list_providers(page(limit, None)).await, "limit", "1 to 1000");
            refused_at(bench.admin.list_routes(page(limit, None)).await, "limit", "1 to 1000");
            refused_at(bench.admin.list_keys(page(limit, None)).await, "limit", "1 to 1000");
        }
        for after in ["", "x", "b\0", "!!"] {
            let outcome = bench.admin.list_routes(page(1, Some(after.to_owned()))).await;
            refused_at(outcome, "after", "no cursor");
        }
    }
}
