//! Path and query parameters whose refusals are JSON like all others.

use app::api::list::Page;
use app::api::request::RequestFilter;
use app::error::{ApiError, ErrorCode};
use axum::extract::{FromRequestParts, Path, Query};
use http::request::Parts;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::refused::Refused;

/// The `{id}` of a path. What is no id names nothing, so it is 404.
pub(super) struct Id(pub Uuid);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let id = Path::<String>::from_request_parts(parts, state)
            .await
            .ok()
            .and_then(|Path(text)| text.parse().ok());
        let id = id.ok_or_else(|| {
            ApiError::new(
                ErrorCode::NotFound,
                "There is nothing with this id; ids are UUIDs, as lists show them.",
            )
        })?;
        Ok(Self(id))
    }
}

/// `?limit=` and `?after=` of a list.
pub(super) struct PageQuery(pub Page);

impl<S: Send + Sync> FromRequestParts<S> for PageQuery {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        query(parts, state).await.map(Self)
    }
}

/// Which requests are wanted.
pub(super) struct FilterQuery(pub RequestFilter);

impl<S: Send + Sync> FromRequestParts<S> for FilterQuery {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        query(parts, state).await.map(Self)
    }
}

/// Of all parameters only `limit` is no text, so only it can be misread.
async fn query<T: DeserializeOwned + Send>(
    parts: &mut Parts,
    state: &(impl Send + Sync),
) -> Result<T, Refused> {
    let Query(query) = Query::<T>::from_request_parts(parts, state)
        .await
        .map_err(|_| ApiError::invalid_field("limit", "Must be a whole number from 1 to 1,000."))?;
    Ok(query)
}
