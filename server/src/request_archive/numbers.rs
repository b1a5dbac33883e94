//! The numbers by which records mean names.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::HashMap;
use uuid::Uuid;

use crate::gateway::Endpoint;
use crate::gateway::record::Record;
use crate::store::{NameKind, RequestName, Store, StoreError};

/// The names of this process with their numbers. There are as many as the settings have ever had, and every
/// record looks up some twenty, which SipHash would make half of what a record costs before it is stored.
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
        let mut new = HashSet::new();
        for record in records {
            mentions(record, &mut |mention| {
                if self.find(mention).is_none() {
                    new.insert(mention.owned());
                }
            });
        }
        if new.is_empty() {
            return Ok(());
        }
        let new: Vec<RequestName> = new.into_iter().collect();
        let numbers = store.number_request_names(&new).await?;
        for (name, number) in new.into_iter().zip(numbers) {
            self.keep(name, number);
        }
        Ok(())
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

    pub(super) fn route(record: &'a Record) -> Option<Self> {
        let route = record.route.as_deref()?;
        Some(Self {
            kind: NameKind::Route,
            id: Some(route.id),
            name: &route.name,
        })
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

/// All names in a record.
fn mentions<'a>(record: &'a Record, mention: &mut dyn FnMut(Mention<'a>)) {
    mention(Mention::path(&record.path));
    mention(Mention::key(record));
    if let Some(route) = Mention::route(record) {
        mention(route);
    }
    let ranked = record.placement.loads.len();
    let candidates = record.route.iter().flat_map(|route| route.candidates());
    for choice in candidates.take(ranked) {
        mention(Mention::target(&choice.target.name));
        mention(Mention::instance(&choice.instance.url));
    }
    for attempt in &record.attempts {
        mention(Mention::target(&attempt.target));
        mention(Mention::instance(&attempt.instance));
    }
}
