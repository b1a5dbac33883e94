//! Routes.

use std::collections::HashMap;

use app::api::list::{List, Page};
use app::api::route::{Fallback, Route, Target};
use app::error::{ApiError, ErrorCode};
use routing::{RouteBy, RouteDraft};
use serde_json::Value;
use uuid::Uuid;

use super::fields::Fields;
use super::refusals::{current, name_taken, no_such, not_saved};
use super::route_references::References;
use super::{Admin, pages};
use crate::store::{Change, RouteRecord, StoreError, now, some_of};

const OTHER_NAME: &str = "Choose another name, or edit the route that has it.";

impl Admin {
    /// By name.
    ///
    /// # Errors
    /// 422 for `limit` and `after`.
    pub async fn list_routes(&self, page: Page) -> Result<List<Route>, ApiError> {
        let slice = pages::slice(&page)?;
        let mut view = self.store.view().await?;
        let records = view.routes(&slice).await?;
        let providers = view.provider_names().await?;
        Ok(pages::list(
            &page,
            records,
            |record| (&record.name, record.id),
            |record| shown(record, &providers),
        ))
    }

    /// # Errors
    /// 404.
    pub async fn get_route(&self, id: Uuid) -> Result<Route, ApiError> {
        let mut view = self.store.view().await?;
        let record = view.route(id).await?;
        let record = record.ok_or_else(|| no_such("route", id))?;
        Ok(shown(record, &view.provider_names().await?))
    }

    /// # Errors
    /// 409 for a name that is taken, 422 by field.
    pub async fn create_route(&self, draft: RouteDraft) -> Result<Route, ApiError> {
        let route = check(&draft, Fields::default())?;
        let mut change = self.store.change().await.map_err(not_saved)?;
        let record = into_record(&route, None, &mut change).await?;
        change
            .insert_route(&record)
            .await
            .map_err(|error| name_taken(error, OTHER_NAME))?;
        let providers = change.provider_names().await.map_err(not_saved)?;
        self.commit(change).await?;
        Ok(shown(record, &providers))
    }

    /// # Errors
    /// 404; 409 for a name that is taken; 412; 422 by field.
    pub async fn update_route(&self, id: Uuid, draft: RouteDraft) -> Result<Route, ApiError> {
        let mut fields = Fields::default();
        let revision = fields.revision(draft.revision);
        let route = check(&draft, fields)?;
        let mut change = self.store.change().await.map_err(not_saved)?;
        let stored = change.route(id).await.map_err(not_saved)?;
        let stored = stored.ok_or_else(|| no_such("route", id))?;
        current("route", stored.revision, revision)?;
        let record = into_record(&route, Some(&stored), &mut change).await?;
        change
            .update_route(&record)
            .await
            .map_err(|error| name_taken(error, OTHER_NAME))?;
        let providers = change.provider_names().await.map_err(not_saved)?;
        self.commit(change).await?;
        Ok(shown(record, &providers))
    }

    /// # Errors
    /// 404; 409 naming the keys that are limited to it, which without it would be limited to nothing
    /// and so open to everything.
    pub async fn delete_route(&self, id: Uuid) -> Result<(), ApiError> {
        let mut change = self.store.change().await.map_err(not_saved)?;
        change.delete_route(id).await.map_err(|error| match error {
            StoreError::NotFound => no_such("route", id),
            StoreError::InUse { by } => {
                let noun = if by.len() == 1 { "API key" } else { "API keys" };
                ApiError::new(
                    ErrorCode::Conflict,
                    format!(
                        "This route is still named by the {noun} {}. Delete or replace these keys \
                         first.",
                        some_of(&by)
                    ),
                )
            }
            other => not_saved(other),
        })?;
        self.commit(change).await
    }
}

/// Everything that can be said of a draft without the database.
fn check(draft: &RouteDraft, mut fields: Fields) -> Result<routing::Route, ApiError> {
    let written = serde_json::to_value(draft).unwrap_or_default();
    refuse_zeros(&written, "", &mut fields);
    fields.finish_with(routing::Route::try_from(draft))
}

/// Postgres keeps no text with a zero character, so nobody does.
fn refuse_zeros(written: &Value, path: &str, fields: &mut Fields) {
    match written {
        Value::String(value) => refuse_zero(value, path, fields),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                refuse_zeros(item, &format!("{path}[{index}]"), fields);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                refuse_zero(name, path, fields);
                let gap = if path.is_empty() { "" } else { "." };
                refuse_zeros(member, &format!("{path}{gap}{name}"), fields);
            }
        }
        _ => {}
    }
}

fn refuse_zero(text: &str, path: &str, fields: &mut Fields) {
    if text.contains('\0') {
        fields.refuse(
            path,
            "Leave out the character U+0000, which cannot be kept.",
        );
    }
}

/// The row of a new route, or the one that replaces `stored`.
async fn into_record(
    route: &routing::Route,
    stored: Option<&RouteRecord>,
    change: &mut Change,
) -> Result<RouteRecord, ApiError> {
    let mut references = References::new(change);
    let targets = references.targets(route, stored).await?;
    let fallbacks = references.fallbacks(route).await?;
    let decision_provider = references.decision_provider(route).await?;
    references.finish()?;
    let mut policy = route.policy().clone();
    policy.decision_service.provider = decision_provider.map(|id| id.to_string());
    let now = now();
    Ok(RouteRecord {
        id: stored.map_or_else(Uuid::now_v7, |stored| stored.id),
        revision: stored.map_or(1, |stored| stored.revision + 1),
        name: route.name().to_owned(),
        description: route.description().to_owned(),
        enabled: route.enabled(),
        targets,
        fallbacks,
        policy,
        retry: route.retry().clone(),
        keep_alive: route.keep_alive(),
        keep_bodies: route.keep_bodies(),
        created_at: stored.map_or(now, |stored| stored.created_at),
        updated_at: now,
    })
}

/// A route as people see it: providers by name.
fn shown(record: RouteRecord, providers: &HashMap<Uuid, String>) -> Route {
    // The foreign keys see to it that each is there.
    let name = |id: Uuid| {
        providers
            .get(&id)
            .cloned()
            .unwrap_or_else(|| id.to_string())
    };
    let route_by = route_by(&record);
    let mut policy = record.policy;
    let decision_service = &mut policy.decision_service;
    decision_service.provider = decision_service
        .provider
        .as_deref()
        .and_then(|id| Uuid::try_parse(id).ok())
        .map(name);
    Route {
        id: record.id,
        revision: record.revision,
        name: record.name,
        description: record.description,
        enabled: record.enabled,
        targets: record
            .targets
            .into_iter()
            .map(|target| Target {
                id: target.id,
                provider: name(target.provider_id),
                model: target.model,
                weight: target.weight,
                enabled: target.enabled,
            })
            .collect(),
        fallbacks: record
            .fallbacks
            .into_iter()
            .map(|fallback| Fallback {
                provider: name(fallback.provider_id),
                model: fallback.model,
            })
            .collect(),
        policy,
        route_by,
        retry: record.retry,
        keep_alive: record.keep_alive,
        keep_bodies: record.keep_bodies,
        created_at: record.created_at,
        updated_at: record.updated_at,
    }
}

/// Of a stored route, whose weights and scorers were checked to exclude each other.
fn route_by(record: &RouteRecord) -> RouteBy {
    if record.targets.iter().any(|target| target.weight.is_some()) {
        RouteBy::TargetWeight
    } else if record.policy.scorers().is_empty() {
        RouteBy::RoundRobin
    } else {
        RouteBy::Policy
    }
}
