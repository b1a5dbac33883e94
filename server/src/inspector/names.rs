//! The names that records mean by numbers, read when there are new ones.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use app::api::request::KeyName;
use uuid::Uuid;

use crate::store::{NameKind, RequestName, Store, StoreError};

#[derive(Debug, Default)]
pub(super) struct NameCache(Mutex<Arc<Names>>);

/// All names, in the order of their texts.
#[derive(Debug, Default)]
pub(super) struct Names {
    in_order: Vec<(i32, RequestName)>,
    places: HashMap<i32, usize>,
}

impl NameCache {
    /// The names that there are now.
    pub(super) async fn load(&self, store: &Store) -> Result<Arc<Names>, StoreError> {
        let known = Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner));
        // They only become more, by this process or another.
        if store.count_request_names().await? == known.in_order.len() {
            return Ok(known);
        }
        let names = Arc::new(Names::from(store.request_names().await?));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&names);
        Ok(names)
    }
}

impl From<Vec<(i32, RequestName)>> for Names {
    fn from(in_order: Vec<(i32, RequestName)>) -> Self {
        let places = in_order
            .iter()
            .enumerate()
            .map(|(place, (number, _))| (*number, place))
            .collect();
        Self { in_order, places }
    }
}

impl Names {
    pub(super) fn get(&self, number: i32) -> Option<&RequestName> {
        let place = *self.places.get(&number)?;
        self.in_order.get(place).map(|(_, name)| name)
    }

    /// Empty for none.
    pub(super) fn text(&self, number: i32) -> &str {
        self.get(number).map_or("", |name| &name.name)
    }

    pub(super) fn some_text(&self, number: i32) -> Option<String> {
        self.get(number).map(|name| name.name.clone())
    }

    /// Of a route or key.
    pub(super) fn id(&self, number: i32) -> Option<Uuid> {
        self.get(number)?.uid.parse().ok()
    }

    pub(super) fn key(&self, number: i32) -> KeyName {
        KeyName {
            id: self.id(number).unwrap_or_default(),
            name: self.text(number).to_owned(),
        }
    }

    /// The numbers of all of a kind that have this text as their name or id.
    pub(super) fn numbers(&self, kind: NameKind, text: &str) -> Vec<i32> {
        let is_meant =
            |name: &RequestName| name.kind == kind && (name.name == text || name.uid == text);
        let meant = self.in_order.iter().filter(|(_, name)| is_meant(name));
        meant.map(|(number, _)| *number).collect()
    }

    /// All of a kind, by their texts.
    pub(super) fn of_kind(&self, kind: NameKind) -> impl Iterator<Item = (i32, &RequestName)> {
        let of_kind = self
            .in_order
            .iter()
            .filter(move |(_, name)| name.kind == kind);
        of_kind.map(|(number, name)| (*number, name))
    }
}
