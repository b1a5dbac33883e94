//! A refusal on `/v1`, told in the dialect that the caller speaks.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde_json::json;

/// What OpenAI's and Anthropic's SDKs go by before they look at the status.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// The two languages clients of `/v1` speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    OpenAi,
    Anthropic,
}

impl Dialect {
    /// Anthropic's is meant by a path under `/messages` or by its version header.
    pub fn of(path: &str, headers: &HeaderMap) -> Self {
        let under_messages = path
            .strip_prefix("/v1/messages")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if under_messages || headers.contains_key("anthropic-version") {
            Self::Anthropic
        } else {
            Self::OpenAi
        }
    }
}

/// What went wrong, with a sentence that helps. Holds no secret and no body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayError {
    pub status: StatusCode,
    /// Stable, for programs.
    pub code: &'static str,
    /// For people: what is wrong and what to do.
    pub message: String,
    /// The body's field that is meant, where there is one.
    pub param: Option<&'static str>,
    pub retry_after_s: Option<u64>,
}

impl GatewayError {
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            param: None,
            retry_after_s: None,
        }
    }

    pub fn bad_request(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    pub fn unauthenticated(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "invalid_api_key", message)
    }

    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "not_allowed", message)
    }

    pub fn no_such_route(name: &str) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "model_not_found",
            format!(
                "There is no route `{}`. GET /v1/models lists those that this key may use.",
                shorten(name)
            ),
        )
        .about("model")
    }

    pub fn about(mut self, param: &'static str) -> Self {
        self.param = Some(param);
        self
    }

    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    pub fn into_response_in(self, dialect: Dialect) -> Response {
        let body = match dialect {
            Dialect::OpenAi => json!({"error": {
                "message": self.message,
                "type": openai_type(self.status),
                "code": self.code,
                "param": self.param,
            }}),
            Dialect::Anthropic => json!({"type": "error", "error": {
                "type": anthropic_type(self.status),
                "message": self.message,
            }}),
        };
        let mut response = (self.status, Json(body)).into_response();
        // SDKs and agents would try again for minutes what cannot become right.
        let is_final = self.status.is_client_error()
            && !matches!(
                self.status,
                StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS
            );
        if is_final {
            let no = HeaderValue::from_static("false");
            response.headers_mut().insert(SHOULD_RETRY, no);
        }
        if let Some(seconds) = self.retry_after_s {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

fn openai_type(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "authentication_error",
        403 => "permission_error",
        429 => "rate_limit_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    }
}

fn anthropic_type(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        400..=499 => "invalid_request_error",
        503 => "overloaded_error",
        _ => "api_error",
    }
}

/// A client's own text in a sentence: never so long that it drowns the sentence.
pub(crate) fn shorten(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(LONGEST).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use serde_json::Value;

    use super::*;

    async fn body(response: Response) -> Value {
        serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap()
    }

    #[test]
    fn the_dialect_follows_the_path_or_the_version_header() {
        let none = HeaderMap::new();
        let versioned = HeaderMap::from_iter([(
            header::HeaderName::from_static("anthropic-version"),
            HeaderValue::from_static("2023-06-01"),
        )]);
        assert_eq!(Dialect::of("/v1/messages", &none), Dialect::Anthropic);
        assert_eq!(
            Dialect::of("/v1/messages/count_tokens", &none),
            Dialect::Anthropic
        );
        assert_eq!(Dialect::of("/v1/models", &versioned), Dialect::Anthropic);
        assert_eq!(Dialect::of("/v1/models", &none), Dialect::OpenAi);
        assert_eq!(Dialect::of("/v1/messagesque", &none), Dialect::OpenAi);
    }

    #[tokio::test]
    async fn each_dialect_has_its_own_shape() {
        let error = GatewayError::no_such_route("nowhere");
        let openai = error.clone().into_response_in(Dialect::OpenAi);
        assert_eq!(openai.status(), 404);
        let openai = body(openai).await;
        assert_eq!(openai["error"]["type"], "invalid_request_error");
        assert_eq!(openai["error"]["code"], "model_not_found");
        assert_eq!(openai["error"]["param"], "model");
        assert!(
            openai["error"]["message"]
                .as_str()
                .unwrap()
                .contains("`nowhere`")
        );

        let anthropic = body(error.into_response_in(Dialect::Anthropic)).await;
        assert_eq!(anthropic["type"], "error");
        assert_eq!(anthropic["error"]["type"], "not_found_error");
        assert!(
            anthropic["error"]["message"]
                .as_str()
                .unwrap()
                .contains("`nowhere`")
        );
    }

    #[test]
    fn clients_are_told_not_to_repeat_what_cannot_become_right() {
        for (status, told) in [
            (400, true),
            (401, true),
            (404, true),
            (413, true),
            (408, false),
            (429, false),
            (502, false),
            (503, false),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let response = GatewayError::new(status, "x", "x").into_response_in(Dialect::OpenAi);
            let header = response.headers().get(SHOULD_RETRY);
            assert_eq!(
                header.is_some_and(|value| value == "false"),
                told,
                "{status}"
            );
        }
    }

    #[test]
    fn a_clients_text_is_shortened_by_characters() {
        assert_eq!(shorten("é"), "é");
        assert_eq!(shorten(&"é".repeat(500)).chars().count(), 121);
    }
}
