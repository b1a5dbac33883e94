//! Requests that were: lists, single ones, and all that fit a filter, page after page.

use std::sync::Arc;

use app::api::list::List;
use app::api::request::{Bodies, RequestFilter, RequestNames, RequestRecord};
use app::error::{ApiError, ErrorCode};
use uuid::Uuid;

use super::names::Names;
use super::recorded::recorded;
use super::{Inspector, filter};
use crate::request_archive::unseal;
use crate::store::{NameKind, RequestQuery, RequestRow, Store};

impl Inspector {
    /// The requests that fit, the newest first.
    ///
    /// # Errors
    /// 422 by field.
    pub async fn requests(&self, filter: &RequestFilter) -> Result<List<RequestRecord>, ApiError> {
        let limit = filter::limit(filter)?;
        let mut all = self.all_requests(filter).await?;
        let (rows, is_more) = all.rows(limit).await?;
        let items: Vec<_> = rows.iter().map(|row| all.recorded(row)).collect();
        let next = items.last().filter(|_| is_more);
        let next = next.map(|last| last.id.to_string());
        Ok(List { items, next })
    }

    /// # Errors
    /// 404
    pub async fn request(&self, id: Uuid) -> Result<RequestRecord, ApiError> {
        self.log.settled().await;
        let row = self.store.request(id).await?.ok_or_else(|| {
            let gone = format!("There is no record of a request with the id {id} (any more).");
            ApiError::new(ErrorCode::NotFound, gone)
        })?;
        let names = self.names.load(&self.store).await?;
        Ok(recorded(&row, &names))
    }

    /// What was asked and answered.
    ///
    /// # Errors
    /// 404 where it was not kept, or is no more.
    pub async fn request_bodies(&self, id: Uuid) -> Result<Bodies, ApiError> {
        self.log.settled().await;
        let sealed = self.store.request_bodies(id).await?.ok_or_else(|| {
            let none = "What was asked and answered is kept for some days, and only on routes that are set to keep it.";
            ApiError::new(ErrorCode::NotFound, none)
        })?;
        unseal(id, &sealed, &self.vault).map_err(|error| {
            tracing::error!(%error, %id, "kept bodies could not be opened");
            ApiError::new(ErrorCode::Internal, "What was kept cannot be opened.")
        })
    }

    /// What filters can be set to.
    pub async fn request_names(&self) -> Result<RequestNames, ApiError> {
        let names = self.names.load(&self.store).await?;
        let texts = |kind| {
            let mut texts: Vec<String> = names
                .of_kind(kind)
                .map(|(_, name)| name.name.clone())
                .collect();
            texts.dedup();
            texts
        };
        Ok(RequestNames {
            routes: texts(NameKind::Route),
            targets: texts(NameKind::Target),
            keys: names
                .of_kind(NameKind::Key)
                .map(|(number, _)| names.key(number))
                .collect(),
            paths: texts(NameKind::Path),
            dropped: self.log.dropped(),
        })
    }

    /// All requests that fit, to be read page after page; `limit` does not count.
    ///
    /// # Errors
    /// 422 by field.
    pub async fn all_requests(&self, filter: &RequestFilter) -> Result<Requests, ApiError> {
        self.log.settled().await;
        let names = self.names.load(&self.store).await?;
        Ok(Requests {
            query: filter::query(filter, &names)?,
            names,
            store: self.store.clone(),
        })
    }
}

/// Requests, the newest first.
#[derive(Debug)]
pub struct Requests {
    query: RequestQuery,
    names: Arc<Names>,
    store: Store,
}

impl Requests {
    /// The next ones; none at the end.
    pub async fn next(&mut self, limit: u32) -> Result<Vec<RequestRecord>, ApiError> {
        let (rows, _) = self.rows(limit).await?;
        Ok(rows.iter().map(|row| self.recorded(row)).collect())
    }

    /// The next ones, and whether there are more after them.
    pub(super) async fn rows(&mut self, limit: u32) -> Result<(Vec<RequestRow>, bool), ApiError> {
        let query = RequestQuery {
            limit: limit.saturating_add(1),
            ..self.query.clone()
        };
        let mut rows = self.store.requests(&query).await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let is_more = rows.len() > limit;
        rows.truncate(limit);
        if let Some(last) = rows.last() {
            self.query.before = last.id;
        }
        Ok((rows, is_more))
    }

    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    fn recorded(&self, row: &RequestRow) -> RequestRecord {
        recorded(row, &self.names)
    }
}
