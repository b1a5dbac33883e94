//! The requests on the page: the newest, which follow what comes in, or a walk back to older ones.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use uuid::Uuid;

use crate::api::list::List;
use crate::api::request::{RequestFilter, RequestRecord};
use crate::components::time::present;
use crate::error::ApiError;
use crate::server_fns;

use super::filters::Filters;

const LOOK: Duration = Duration::from_secs(2);

#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub list: RwSignal<Vec<RequestRecord>>,
    /// Where older ones begin, if there are any.
    pub next: RwSignal<Option<String>>,
    /// Whether older ones were asked for; from then on nothing moves.
    pub walked: RwSignal<bool>,
    filters: Memo<Filters>,
}

impl Rows {
    pub(super) fn new(first: List<RequestRecord>, filters: Memo<Filters>) -> Self {
        Self {
            list: RwSignal::new(first.items),
            next: RwSignal::new(first.next),
            walked: RwSignal::new(false),
            filters,
        }
    }

    /// Asks for new ones as long as somebody looks at the newest and `follow` is on.
    pub(super) fn follow(self, follow: RwSignal<bool>) {
        let asking = StoredValue::new(false);
        let look = move || {
            if document().hidden() || asking.try_get_value() != Some(false) {
                return;
            }
            asking.set_value(true);
            let wanted = self.filters.get_untracked().wanted(present());
            spawn_local(async move {
                // What cannot be asked now can be asked in two seconds.
                if let Ok(newest) = server_fns::list_requests(wanted).await
                    && follow.try_get_untracked() == Some(true)
                    && self.walked.try_get_untracked() == Some(false)
                {
                    self.show(newest);
                }
                asking.try_set_value(false);
            });
        };
        Effect::new(move |_| {
            if !follow.get() || self.walked.get() {
                return;
            }
            if let Ok(looking) = set_interval_with_handle(look, LOOK) {
                on_cleanup(move || looking.clear());
            }
        });
    }

    /// Rows that stay are left as they are.
    fn show(self, newest: List<RequestRecord>) {
        let ids =
            |list: &[RequestRecord]| list.iter().map(|record| record.id).collect::<Vec<Uuid>>();
        if self.list.with_untracked(|list| ids(list)) != ids(&newest.items) {
            self.list.set(newest.items);
        }
        self.next.set(newest.next);
    }

    pub(super) fn older_wanted(self) -> RequestFilter {
        RequestFilter {
            before: self.next.get_untracked(),
            ..self.filters.get_untracked().wanted(present())
        }
    }

    pub(super) fn append(self, older: List<RequestRecord>) {
        self.walked.set(true);
        self.list.update(|list| list.extend(older.items));
        self.next.set(older.next);
    }

    /// Back to the newest, at once.
    pub(super) fn back(
        self,
        newest: Result<List<RequestRecord>, ApiError>,
    ) -> Result<(), ApiError> {
        self.show(newest?);
        self.walked.set(false);
        Ok(())
    }

    pub(super) fn newest_wanted(self) -> RequestFilter {
        self.filters.get_untracked().wanted(present())
    }
}
