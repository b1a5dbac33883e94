//! API Keys.

use std::collections::HashMap;

use app::api::key::{Key, KeyDraft, NewKey};
use app::api::list::{List, Page};
use app::error::ApiError;
use chrono::TimeDelta;
use routing::Problem;
use uuid::Uuid;

use super::fields::Fields;
use super::key_text::{KeyText, prefix};
use super::refusals::{no_such, not_saved};
use super::{Admin, pages};
use crate::store::{Change, KeyRecord, StoreError, now};

const MOST_NAME: usize = 255;
const MOST_ROUTES: usize = 1_000;
const TEN_YEARS_S: i64 = 10 * 365 * 86_400;

impl Admin {
    /// By name, without secrets.
    ///
    /// # Errors
    /// 422 for `limit` and `after`.
    pub async fn list_keys(&self, page: Page) -> Result<List<Key>, ApiError> {
        let slice = pages::slice(&page)?;
        let mut view = self.store.view().await?;
        let records = view.keys(&slice).await?;
        let routes = view.names_of_limits().await?;
        Ok(pages::list(
            &page,
            records,
            |record| (&record.name, record.id),
            |record| shown(record, &routes),
        ))
    }

    /// The answer holds the key; afterwards nobody can tell it.
    ///
    /// # Errors
    /// 422 by field.
    pub async fn create_key(&self, draft: KeyDraft) -> Result<NewKey, ApiError> {
        let mut fields = Fields::default();
        let name = fields.line(&draft.name, MOST_NAME, "name", "Give the key a name.");
        check_scopes(&draft, &mut fields);
        fields.at_most(draft.routes.len(), MOST_ROUTES, "routes", "routes");
        let lifetime = check_lifetime(draft.expires_in_s, &mut fields);
        fields.finish()?;
        let text = KeyText::generate()?;
        let mut change = self.store.change().await.map_err(not_saved)?;
        let routes = find_routes(&draft.routes, &mut change).await?;
        let created_at = now();
        let record = KeyRecord {
            id: Uuid::now_v7(),
            name,
            public: text.public.clone(),
            hash: self.vault.hash_api_key_secret(&text.secret),
            scopes: draft.scopes,
            routes: routes.iter().map(|(id, _)| *id).collect(),
            created_at,
            expires_at: lifetime.map(|lifetime| created_at + lifetime),
            last_used_at: None,
        };
        change.insert_key(&record).await.map_err(not_saved)?;
        self.commit(change).await?;
        Ok(NewKey {
            about: shown(record, &routes.into_iter().collect()),
            key: text.whole(),
        })
    }

    /// It stops working at once.
    ///
    /// # Errors
    /// 404.
    pub async fn delete_key(&self, id: Uuid) -> Result<(), ApiError> {
        let mut change = self.store.change().await.map_err(not_saved)?;
        change.delete_key(id).await.map_err(|error| match error {
            StoreError::NotFound => no_such("API key", id),
            other => not_saved(other),
        })?;
        self.commit(change).await
    }
}

fn check_scopes(draft: &KeyDraft, fields: &mut Fields) {
    if draft.scopes.is_empty() {
        fields.refuse(
            "scopes",
            "A key without a scope can do nothing; choose inference, management or both.",
        );
    }
    for (index, scope) in draft.scopes.iter().enumerate() {
        if draft.scopes[..index].contains(scope) {
            fields.refuse(
                format!("scopes[{index}]"),
                "This is named twice; remove one.",
            );
        }
    }
}

fn check_lifetime(seconds: Option<i64>, fields: &mut Fields) -> Option<TimeDelta> {
    let seconds = seconds?;
    if !(1..=TEN_YEARS_S).contains(&seconds) {
        fields.refuse(
            "expires_in_s",
            "Write 1 to 315,360,000 seconds (ten years), or leave it out for a key that does not expire.",
        );
    }
    TimeDelta::try_seconds(seconds)
}

/// The routes by id and name, in the order of the draft.
async fn find_routes(
    references: &[String],
    change: &mut Change,
) -> Result<Vec<(Uuid, String)>, ApiError> {
    let mut fields = Fields::default();
    let mut found: Vec<(Uuid, String)> = Vec::with_capacity(references.len());
    for (index, reference) in references.iter().enumerate() {
        let path = format!("routes[{index}]");
        let reference = reference.trim();
        let route = change
            .route_by_reference(reference)
            .await
            .map_err(not_saved)?;
        match route {
            None if reference.len() > MOST_NAME => {
                fields.refuse(path, "There is no route of so long a name.");
            }
            None => fields.refuse(
                path,
                format!(
                    "There is no route \"{reference}\". Name one that is there, or none for all."
                ),
            ),
            Some(route) => match found.iter().position(|other| other.0 == route.0) {
                Some(earlier) => fields.refuse(path, Problem::Repeats { earlier }),
                None => found.push(route),
            },
        }
    }
    fields.finish()?;
    Ok(found)
}

fn shown(record: KeyRecord, routes: &HashMap<Uuid, String>) -> Key {
    let mut names: Vec<String> = record
        .routes
        .iter()
        .filter_map(|id| routes.get(id).cloned())
        .collect();
    names.sort();
    Key {
        id: record.id,
        name: record.name,
        prefix: prefix(&record.public),
        scopes: record.scopes,
        routes: names,
        created_at: record.created_at,
        expires_at: record.expires_at,
        last_used_at: record.last_used_at,
    }
}
