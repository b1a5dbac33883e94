//! Which routes the list shows, in which order, and which are picked.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use leptos::prelude::*;
use routing::RouteBy;
use uuid::Uuid;

use crate::components::track::{Branch, branches};
use crate::summary::{RouteList, RouteSummary};

/// How many rows are on the page at first, and how many more each time one asks.
pub(super) const PART: usize = 100;

/// A route with what follows from its providers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub route: RouteSummary,
    pub branches: Vec<Branch>,
}

impl Item {
    pub(super) fn all(list: RouteList) -> Vec<Self> {
        let RouteList { routes, upstreams } = list;
        let items = routes.into_iter().map(|route| Self {
            // A stored route has a weight on every target or on none, so there is always an answer.
            branches: branches(route.enabled, &route.targets, &upstreams).unwrap_or_default(),
            route,
        });
        items.collect()
    }

    /// How many of its targets take requests.
    pub(super) fn ready(&self) -> usize {
        self.branches.iter().filter(|branch| branch.lit).count()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Name,
    Ready,
    RouteBy,
    Created,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub column: Column,
    pub descending: bool,
}

/// What the person chose. Its signals live as long as the page.
#[derive(Clone, Copy)]
pub(super) struct Listing {
    pub query: RwSignal<String>,
    pub route_by: RwSignal<Option<RouteBy>>,
    pub enabled: RwSignal<Option<bool>>,
    pub order: RwSignal<Order>,
    /// At most so many rows.
    pub most: RwSignal<usize>,
    pub expanded: RwSignal<BTreeSet<Uuid>>,
    pub selected: RwSignal<BTreeSet<Uuid>>,
    /// Those that somebody is about to delete: ids and names.
    pub doomed: RwSignal<Vec<(Uuid, String)>>,
}

impl Listing {
    pub(super) fn new() -> Self {
        Self {
            query: RwSignal::new(String::new()),
            route_by: RwSignal::new(None),
            enabled: RwSignal::new(None),
            order: RwSignal::new(Order {
                column: Column::Name,
                descending: false,
            }),
            most: RwSignal::new(PART),
            expanded: RwSignal::new(BTreeSet::new()),
            selected: RwSignal::new(BTreeSet::new()),
            doomed: RwSignal::new(Vec::new()),
        }
    }

    /// What the filters leave, in order.
    pub(super) fn matching(self, items: &[Item]) -> Vec<Item> {
        let query = self.query.read().to_lowercase();
        let words: Vec<&str> = query.split_whitespace().collect();
        let (route_by, enabled) = (self.route_by.get(), self.enabled.get());
        let wanted = items.iter().filter(|Item { route, .. }| {
            route_by.is_none_or(|wanted| route.route_by == wanted)
                && enabled.is_none_or(|wanted| route.enabled == wanted)
                && (words.is_empty() || {
                    let text = searched(route);
                    words.iter().all(|word| text.contains(word))
                })
        });
        let mut wanted: Vec<Item> = wanted.cloned().collect();
        let Order { column, descending } = self.order.get();
        wanted.sort_by(|a, b| {
            let order = compare(column, a, b);
            if descending { order.reverse() } else { order }
        });
        wanted
    }

    pub(super) fn filters(self) -> bool {
        !self.query.read().trim().is_empty()
            || self.route_by.read().is_some()
            || self.enabled.read().is_some()
    }

    /// By this column; once more turns it around.
    pub(super) fn sort_by(self, column: Column) {
        self.order.update(|order| {
            *order = Order {
                column,
                descending: order.column == column && !order.descending,
            };
        });
    }
}

/// In lower case, everything that a search may mean.
fn searched(route: &RouteSummary) -> String {
    let mut text = format!("{} {}", route.name, route.description);
    for target in &route.targets {
        text.push_str(&format!(" {}/{}", target.provider, target.model));
    }
    text.to_lowercase()
}

fn compare(column: Column, a: &Item, b: &Item) -> Ordering {
    let by_name = || {
        let name = |item: &Item| item.route.name.to_lowercase();
        name(a).cmp(&name(b))
    };
    match column {
        Column::Name => by_name(),
        Column::Ready => a.ready().cmp(&b.ready()).then_with(by_name),
        Column::RouteBy => (a.route.route_by as u8)
            .cmp(&(b.route.route_by as u8))
            .then_with(by_name),
        Column::Created => a.route.created_at.cmp(&b.route.created_at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(name: &str, minute: i64, enabled: bool, model: &str) -> Item {
        let route = serde_json::from_value(serde_json::json!({
            "id": Uuid::from_u128(minute as u128), "name": name, "description": "",
            "enabled": enabled,
            "targets": [{"provider": "local", "model": model}],
            "route_by": "round_robin",
            "created_at": chrono::DateTime::from_timestamp(minute * 60, 0).unwrap(),
        }));
        Item {
            route: route.unwrap(),
            branches: Vec::new(),
        }
    }

    #[test]
    fn the_list_is_searched_filtered_and_sorted() {
        Owner::new().with(|| {
            let items = [
                item("beta", 1, true, "qwen3-32b"),
                item("Alpha", 3, false, "qwen3-0.6b"),
                item("gamma", 2, true, "gemma3"),
            ];
            let listing = Listing::new();
            let names = || {
                let matching = listing.matching(&items);
                matching
                    .into_iter()
                    .map(|item| item.route.name)
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            assert_eq!(names(), "Alpha beta gamma");
            listing.sort_by(Column::Created);
            assert_eq!(names(), "beta gamma Alpha");
            listing.sort_by(Column::Created);
            assert_eq!(names(), "Alpha gamma beta");
            assert!(!listing.filters());

            listing.query.set("QWEN3 local".into());
            assert_eq!(names(), "Alpha beta", "targets are searched, in any case");
            listing.enabled.set(Some(true));
            assert_eq!(names(), "beta");
            listing.route_by.set(Some(RouteBy::Policy));
            assert_eq!(names(), "");
            assert!(listing.filters());
        });
    }
}
