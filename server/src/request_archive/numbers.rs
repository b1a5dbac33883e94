//! The numbers by which records mean names.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::HashMap;
use uuid::Uuid;

use crate::gateway::Endpoint;
use crate::gateway::record::Record;
use crate::snapshot::CompiledRoute;
use crate::store::{NameKind, RequestName, Store, StoreError};

/// The names of this process with their numbers. There are as many as the settings have ever had, and a record
/// looks up a dozen and more: SipHash took a twelfth of all that the gateway does for a small request.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Of targets, instances and paths.
    texts: HashMap<NameKind, HashMap<String, i32>>,
    /// Of routes and keys, each with its latest name.
    named: HashMap<(NameKind, Uuid), (String, i32)>,
}

/// A name that a record mentions.
#[derive(Clone, Copy)]
pub(super) struct Mention<'a> {
    pub kind: NameKind,
    pub id: Option<Uuid>,
    pub name: &'a str,
}

/// A path by its endpoint: what stands for an id in it would be another name each time.
pub(super) const WITH_ID: &str = "/v1/responses/{id}";

impl Numbers {
    /// Makes sure that all names in these records have a number.
    pub(super) async fn learn(
        &mut self,
        store: &Store,
        records: &[Arc<Record>],
    ) -> Result<(), StoreError> {
        let new: Vec<RequestName> = self.unknown(records).into_iter().collect();
        if new.is_empty() {
            return Ok(());
        }
        let numbers = store.number_request_names(&new).await?;
        for (name, number) in new.into_iter().zip(numbers) {
            self.keep(name, number);
        }
        Ok(())
    }

    /// The names in these records that have none yet.
    fn unknown(&self, records: &[Arc<Record>]) -> HashSet<RequestName> {
        let mut unknown = HashSet::new();
        let mut look = |mention: Mention<'_>| {
            if self.find(mention).is_none() {
                unknown.insert(mention.owned());
            }
        };
        let mut routes = HashSet::new();
        for record in records {
            of_request(record, &mut look);
            if let Some(route) = &record.route
                && routes.insert(Arc::as_ptr(route))
            {
                of_route(route, &mut look);
            }
        }
        unknown
    }

    /// 0 where there is none.
    pub(super) fn of(&self, mention: Mention<'_>) -> i32 {
        self.find(mention).unwrap_or_default()
    }

    fn find(&self, mention: Mention<'_>) -> Option<i32> {
        match mention.id {
            None => self.texts.get(&mention.kind)?.get(mention.name).copied(),
            Some(id) => {
                let (name, number) = self.named.get(&(mention.kind, id))?;
                (name == mention.name).then_some(*number)
            }
        }
    }

    fn keep(&mut self, name: RequestName, number: i32) {
        match Uuid::try_parse(&name.uid) {
            Ok(id) => drop(self.named.insert((name.kind, id), (name.name, number))),
            Err(_) => {
                let texts = self.texts.entry(name.kind).or_default();
                texts.insert(name.name, number);
            }
        }
    }
}

impl<'a> Mention<'a> {
    pub(super) fn target(name: &'a str) -> Self {
        Self::text(NameKind::Target, name)
    }

    pub(super) fn instance(url: &'a str) -> Self {
        Self::text(NameKind::Instance, url)
    }

    pub(super) fn path(path: &'a str) -> Self {
        let is_endpoint = Endpoint::of(path).is_some();
        Self::text(NameKind::Path, if is_endpoint { path } else { WITH_ID })
    }

    pub(super) fn route(route: &'a CompiledRoute) -> Self {
        Self {
            kind: NameKind::Route,
            id: Some(route.id),
            name: &route.name,
        }
    }

    pub(super) fn key(record: &'a Record) -> Self {
        Self {
            kind: NameKind::Key,
            id: Some(record.key.id),
            name: &record.key.name,
        }
    }

    fn text(kind: NameKind, name: &'a str) -> Self {
        Self {
            kind,
            id: None,
            name,
        }
    }

    fn owned(self) -> RequestName {
        RequestName {
            kind: self.kind,
            uid: self.id.map(|id| id.to_string()).unwrap_or_default(),
            name: self.name.to_owned(),
        }
    }
}

/// What is another for each request.
fn of_request<'a>(record: &'a Record, mention: &mut dyn FnMut(Mention<'a>)) {
    mention(Mention::path(&record.path));
    mention(Mention::key(record));
    for attempt in &record.attempts {
        mention(Mention::target(&attempt.target));
        mention(Mention::instance(&attempt.instance));
    }
}

/// What is the same for all requests of a route.
fn of_route<'a>(route: &'a CompiledRoute, mention: &mut dyn FnMut(Mention<'a>)) {
    mention(Mention::route(route));
    for choice in route.candidates() {
        mention(Mention::target(&choice.target.name));
        mention(Mention::instance(&choice.instance.url));
    }
}
