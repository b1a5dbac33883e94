//! Model Providers.

use std::collections::{HashMap, HashSet};

use app::api::list::{List, Page};
use app::api::provider::{Credential, Instance, Provider, ProviderDraft, ProviderKind};
use app::error::{ApiError, ErrorCode};
use uuid::Uuid;

use super::fields::Fields;
use super::provider_draft::CheckedProvider;
use super::refusals::{current, name_taken, no_such, not_saved};
use super::{Admin, pages};
use crate::store::{Change, ProviderRecord, StoreError, some_of};

const OTHER_NAME: &str = "Choose another name, or edit the provider that has it.";

impl Admin {
    /// By name.
    ///
    /// # Errors
    /// 422 for `limit` and `after`.
    pub async fn list_providers(&self, page: Page) -> Result<List<Provider>, ApiError> {
        let slice = pages::slice(&page)?;
        let records = self.store.view().await?.providers(&slice).await?;
        Ok(pages::list(
            &page,
            records,
            |record| (&record.name, record.id),
            Provider::from,
        ))
    }

    /// # Errors
    /// 404.
    pub async fn get_provider(&self, id: Uuid) -> Result<Provider, ApiError> {
        self.provider_record(id).await.map(Provider::from)
    }

    /// # Errors
    /// 409 for a name that is taken, 422 by field.
    pub async fn create_provider(&self, draft: ProviderDraft) -> Result<Provider, ApiError> {
        let mut fields = Fields::default();
        let checked = CheckedProvider::check(draft, self.rules, &mut fields);
        fields.finish()?;
        let record = checked.into_record(None, &self.vault)?;
        let mut change = self.store.change().await.map_err(not_saved)?;
        change
            .insert_provider(&record)
            .await
            .map_err(|error| name_taken(error, OTHER_NAME))?;
        self.commit(change).await?;
        Ok(record.into())
    }

    /// # Errors
    /// 404; 409 for a name that is taken, and for a kind or model that routes hold on to; 412; 422 by
    /// field.
    pub async fn update_provider(
        &self,
        id: Uuid,
        draft: ProviderDraft,
    ) -> Result<Provider, ApiError> {
        let mut fields = Fields::default();
        let revision = fields.revision(draft.revision);
        let checked = CheckedProvider::check(draft, self.rules, &mut fields);
        fields.finish()?;
        let mut change = self.store.change().await.map_err(not_saved)?;
        let stored = change.provider(id).await.map_err(not_saved)?;
        let stored = stored.ok_or_else(|| no_such("provider", id))?;
        current("provider", stored.revision, revision)?;
        let record = checked.into_record(Some(&stored), &self.vault)?;
        still_fits_routes(&mut change, &stored, &record).await?;
        change
            .update_provider(&record)
            .await
            .map_err(|error| name_taken(error, OTHER_NAME))?;
        self.commit(change).await?;
        Ok(record.into())
    }

    /// The names of the routes that use a provider: as a target, a fallback or a decision service.
    pub async fn users_of_provider(&self, id: Uuid) -> Result<Vec<String>, ApiError> {
        let uses = self.store.view().await?.uses_of_provider(id).await?;
        Ok(distinct(uses.iter().map(|usage| &usage.route)))
    }

    /// The same of all providers that are used.
    pub async fn users_of_providers(&self) -> Result<HashMap<Uuid, Vec<String>>, ApiError> {
        Ok(self.store.view().await?.users_of_providers().await?)
    }

    /// What a draft would be once saved, for trying it out before; `id` is the provider that it edits.
    ///
    /// # Errors
    /// 404, 422 by field.
    pub async fn draft_provider(
        &self,
        id: Option<Uuid>,
        draft: ProviderDraft,
    ) -> Result<ProviderRecord, ApiError> {
        let mut fields = Fields::default();
        let checked = CheckedProvider::check(draft, self.rules, &mut fields);
        fields.finish()?;
        let stored = match id {
            Some(id) => Some(self.provider_record(id).await?),
            None => None,
        };
        checked.into_record(stored.as_ref(), &self.vault)
    }

    /// A provider with its secrets still sealed.
    ///
    /// # Errors
    /// 404.
    pub async fn provider_record(&self, id: Uuid) -> Result<ProviderRecord, ApiError> {
        let record = self.store.view().await?.provider(id).await?;
        record.ok_or_else(|| no_such("provider", id))
    }

    /// # Errors
    /// 404; 409 naming the routes that use it.
    pub async fn delete_provider(&self, id: Uuid) -> Result<(), ApiError> {
        let mut change = self.store.change().await.map_err(not_saved)?;
        change
            .delete_provider(id)
            .await
            .map_err(|error| match error {
                StoreError::NotFound => no_such("provider", id),
                StoreError::InUse { by } => in_use(
                    "This provider",
                    &by,
                    "Take it out of their targets, fallbacks and decision services first.",
                ),
                other => not_saved(other),
            })?;
        self.commit(change).await
    }
}

/// 409 when a route uses a model that would go, or a kind that would no longer do.
async fn still_fits_routes(
    change: &mut Change,
    stored: &ProviderRecord,
    record: &ProviderRecord,
) -> Result<(), ApiError> {
    let decides = |kind| kind == ProviderKind::Decision;
    let changes_kind = decides(stored.kind) != decides(record.kind);
    let kept: HashSet<&str> = record.models.iter().map(|model| &*model.name).collect();
    let loses_models = stored
        .models
        .iter()
        .any(|model| !kept.contains(&*model.name));
    if !changes_kind && !loses_models {
        return Ok(());
    }
    let uses = change
        .uses_of_provider(record.id)
        .await
        .map_err(not_saved)?;
    if changes_kind && !uses.is_empty() {
        return Err(in_use(
            if decides(stored.kind) {
                "This decision service"
            } else {
                "This provider"
            },
            &distinct(uses.iter().map(|usage| &usage.route)),
            "Its kind can change once they use another.",
        ));
    }
    let gone: Vec<_> = uses
        .iter()
        .filter_map(|usage| Some((usage.model.as_ref()?, &usage.route)))
        .filter(|(model, _)| !kept.contains(&***model))
        .collect();
    if gone.is_empty() {
        return Ok(());
    }
    let models = distinct(gone.iter().map(|(model, _)| *model));
    Err(in_use(
        &match &models[..] {
            [only] => format!("The model {only}"),
            several => format!("One of the models {}", some_of(several)),
        },
        &distinct(gone.iter().map(|(_, route)| *route)),
        "Take it out of these routes before you remove it here.",
    ))
}

fn in_use(what: &str, routes: &[String], advice: &str) -> ApiError {
    let noun = if routes.len() == 1 { "route" } else { "routes" };
    ApiError::new(
        ErrorCode::Conflict,
        format!(
            "{what} is still used by the {noun} {}. {advice}",
            some_of(routes)
        ),
    )
}

/// Each name once, in order.
fn distinct<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut names: Vec<String> = names.cloned().collect();
    names.sort();
    names.dedup();
    names
}

impl From<ProviderRecord> for Provider {
    fn from(record: ProviderRecord) -> Self {
        Self {
            id: record.id,
            revision: record.revision,
            name: record.name,
            kind: record.kind,
            enabled: record.enabled,
            instances: record
                .instances
                .into_iter()
                .map(|instance| Instance {
                    url: instance.url,
                    max_inflight: instance.max_inflight,
                })
                .collect(),
            credentials: record
                .credentials
                .into_iter()
                .map(|credential| Credential {
                    id: credential.id,
                    hint: credential.hint,
                })
                .collect(),
            credential_header: record.credential_header,
            models: record.models,
            headers: record
                .headers
                .into_iter()
                .map(|header| (header.name, None))
                .collect(),
            timeouts: record.timeouts,
            speaks: record.speaks,
            health_check: record.health_check,
            include_usage: record.include_usage,
            created_at: record.created_at,
            updated_at: record.updated_at,
        }
    }
}
