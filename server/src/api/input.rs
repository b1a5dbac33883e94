//! Path and query parameters whose refusals are JSON like all others.

use app::api::list::Page;
use app::error::{ApiError, ErrorCode};
use axum::extract::{FromRequestParts, Path};
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

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refused> {
        query(parts).map(Self)
    }
}

/// Parameters of a query that are more than a page.
pub(super) struct Fields<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Fields<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refused> {
        query(parts).map(Self)
    }
}

fn query<T: DeserializeOwned>(parts: &Parts) -> Result<T, Refused> {
    let query = parts.uri.query().unwrap_or_default();
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    let deserializer = serde_urlencoded::Deserializer::new(pairs);
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let text = error.inner().to_string();
        let missing = text.strip_prefix("missing field `");
        if let Some(field) = missing.and_then(|rest| rest.strip_suffix('`')) {
            return ApiError::invalid_field(field, "Is needed in the query.").into();
        }
        let field = error.path().to_string();
        let wanted = match field.as_str() {
            "limit" => "Must be a whole number from 1 to 1,000.".to_owned(),
            "since" | "until" => "Must be a moment such as 2026-11-30T09:00:00Z.".to_owned(),
            "slow_ms" | "offset_min" => "Must be a whole number.".to_owned(),
            "tie" | "fallback" => "Must be true or false.".to_owned(),
            _ => format!("Cannot be read: {}.", error.into_inner()),
        };
        ApiError::invalid_field(field, wanted).into()
    })
}

#[cfg(test)]
mod tests {
    use app::api::request::RequestFilter;
    use app::api::usage::UsageQuery;

    use super::*;

    fn field_refused<T: DeserializeOwned>(query_text: &str) -> Option<String> {
        let request = http::Request::get(format!("/x?{query_text}"))
            .body(())
            .unwrap();
        let refused = query::<T>(&request.into_parts().0).err()?;
        refused.0.fields.into_keys().next()
    }

    #[test]
    fn each_parameter_is_refused_by_its_name() {
        for (query, field) in [
            ("limit=x", "limit"),
            ("since=yesterday", "since"),
            ("slow_ms=-1", "slow_ms"),
            ("tie=perhaps", "tie"),
            ("decided_by=me", "decided_by"),
        ] {
            assert_eq!(
                field_refused::<RequestFilter>(query).as_deref(),
                Some(field),
                "{query}"
            );
        }
        let fine = "route=a%2Fb&since=2026-11-30T09:00:00Z&tie=true&slow_ms=5&decided_by=chance";
        assert_eq!(field_refused::<RequestFilter>(fine), None);
        assert_eq!(
            field_refused::<UsageQuery>("by=key").as_deref(),
            Some("since")
        );
        assert_eq!(field_refused::<Page>("limit=-1").as_deref(), Some("limit"));
    }
}
