//! JSON bodies: what cannot be read is 400, what has a wrong type is 422 at its field.

use app::error::{ApiError, ErrorCode};
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use http::StatusCode;
use serde::de::DeserializeOwned;

use super::refused::Refused;

/// A body of type `T`.
pub(super) struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refused> {
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|rejection| unread(&rejection))?;
        Ok(Self(parse(&bytes)?))
    }
}

fn unread(rejection: &BytesRejection) -> ApiError {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return ApiError::new(ErrorCode::TooLarge, "The body is larger than 8 MiB.");
    }
    ApiError::new(
        ErrorCode::Malformed,
        "The body broke off before it was complete.",
    )
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    // serde would also take an array for a struct, field by field.
    if bytes
        .trim_ascii_start()
        .first()
        .is_some_and(|first| *first != b'{')
    {
        return Err(ApiError::new(
            ErrorCode::Malformed,
            "The body must be a JSON object.",
        ));
    }
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let cause = error.into_inner();
        if !cause.is_data() {
            return malformed(&cause);
        }
        let problem = without_position(&cause);
        let path = field(&path, &problem);
        if path.is_empty() {
            return ApiError::new(
                ErrorCode::Malformed,
                format!("The body must be a JSON object: {problem}."),
            );
        }
        ApiError::invalid_field(path, sentence(&problem))
    })?;
    json.end().map_err(|error| malformed(&error))?;
    Ok(value)
}

fn malformed(error: &serde_json::Error) -> ApiError {
    ApiError::new(
        ErrorCode::Malformed,
        format!("The body is not valid JSON: {error}."),
    )
}

/// serde_json ends its messages with the place, which the field's path says better.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// The field that is meant: for a missing one the path leads only to what should hold it.
fn field(path: &str, problem: &str) -> String {
    let parent = if path == "." { "" } else { path };
    match problem
        .strip_prefix("missing field `")
        .and_then(|rest| rest.strip_suffix('`'))
    {
        Some(name) if parent.is_empty() => name.to_owned(),
        Some(name) => format!("{parent}.{name}"),
        None => parent.to_owned(),
    }
}

fn sentence(problem: &str) -> String {
    if problem.starts_with("missing field") {
        return "Is required.".to_owned();
    }
    let mut letters = problem.chars();
    match letters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use app::api::provider::ProviderDraft;
    use routing::RouteDraft;

    use super::*;

    fn refused(body: &str) -> ApiError {
        parse::<RouteDraft>(body.as_bytes()).unwrap_err()
    }

    #[test]
    fn what_cannot_be_read_is_malformed() {
        for body in ["", "{", "nonsense", "[]", "3", "{\"name\":\"a\"} {}"] {
            assert_eq!(refused(body).code, ErrorCode::Malformed, "{body}");
        }
    }

    #[test]
    fn a_wrong_type_is_named_by_its_field() {
        let table = [
            (r#"{"name":3}"#, "name"),
            (
                r#"{"name":"a","targets":[{"provider":"p","weight":"heavy"}]}"#,
                "targets[0].weight",
            ),
            (r#"{"name":"a","targets":[{"model":"m"},7]}"#, "targets[1]"),
            (
                r#"{"name":"a","policy":{"least_inflight":{"weight":"x"}}}"#,
                "policy.least_inflight.weight",
            ),
        ];
        for (body, path) in table {
            let error = refused(body);
            assert_eq!(error.code, ErrorCode::Invalid, "{body}");
            assert!(
                error.fields.contains_key(path),
                "{body}: {:?}",
                error.fields
            );
        }
    }

    #[test]
    fn a_missing_field_is_named() {
        let table = [
            (r#"{"kind":"openai"}"#, "name"),
            (
                r#"{"name":"p","kind":"openai","instances":[{"max_inflight":1}]}"#,
                "instances[0].url",
            ),
        ];
        for (body, path) in table {
            let error = parse::<ProviderDraft>(body.as_bytes()).unwrap_err();
            assert_eq!(
                error.fields.get(path).map(String::as_str),
                Some("Is required."),
                "{body}: {error:?}"
            );
        }
    }
}
