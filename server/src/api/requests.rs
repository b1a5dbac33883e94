//! `/requests`

use app::api::list::List;
use app::api::request::{Bodies, RequestFilter, RequestRecord};
use app::error::ApiError;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde::Deserialize;

use super::download::{Format, csv, download, json_lines};
use super::input::{Fields, Id};
use super::refused::{ErrorBody, Refused};
use crate::inspector::Requests;
use crate::server::AppState;

/// Rows of an export that are read at once.
const PAGE: u32 = 1_000;

/// Requests, newest first: where each went and why.
#[utoipa::path(
    get, path = "/requests", tag = "requests", params(RequestFilter),
    security(("api_key" = []), ("session" = [])),
    responses(
        (status = 200, body = List<RequestRecord>),
        (status = 422, description = "Fields need attention", body = ErrorBody),
    ),
)]
pub(super) async fn list(
    State(state): State<AppState>,
    Fields(filter): Fields<RequestFilter>,
) -> Result<Json<List<RequestRecord>>, Refused> {
    Ok(Json(state.inspector.requests(&filter).await?))
}

/// One request.
#[utoipa::path(
    get, path = "/requests/{id}", tag = "requests", params(("id" = Uuid, Path)),
    security(("api_key" = []), ("session" = [])),
    responses((status = 200, body = RequestRecord), (status = 404, body = ErrorBody)),
)]
pub(super) async fn get(
    State(state): State<AppState>,
    Id(id): Id,
) -> Result<Json<RequestRecord>, Refused> {
    Ok(Json(state.inspector.request(id).await?))
}

/// What was asked and answered, where the route keeps it.
#[utoipa::path(
    get, path = "/requests/{id}/bodies", tag = "requests", params(("id" = Uuid, Path)),
    security(("api_key" = []), ("session" = [])),
    responses(
        (status = 200, body = Bodies),
        (status = 404, description = "It was not kept, or is no more", body = ErrorBody),
    ),
)]
pub(super) async fn bodies(
    State(state): State<AppState>,
    Id(id): Id,
) -> Result<Json<Bodies>, Refused> {
    Ok(Json(state.inspector.request_bodies(id).await?))
}

#[derive(Deserialize, utoipa::IntoParams)]
pub(super) struct ExportFormat {
    /// `csv`, or `jsonl` for a JSON object a line.
    #[serde(default)]
    format: Format,
}

/// All requests that fit, as a file; `limit` and `before` do not count.
#[utoipa::path(
    get, path = "/requests/export", tag = "requests", params(ExportFormat, RequestFilter),
    security(("api_key" = []), ("session" = [])),
    responses(
        (status = 200, description = "CSV or JSON lines", body = String, content_type = "text/csv"),
        (status = 422, description = "Fields need attention", body = ErrorBody),
    ),
)]
pub(super) async fn export(
    State(state): State<AppState>,
    Fields(ExportFormat { format }): Fields<ExportFormat>,
    Fields(filter): Fields<RequestFilter>,
) -> Result<Response, Refused> {
    let filter = RequestFilter {
        limit: None,
        before: None,
        ..filter
    };
    let requests = state.inspector.all_requests(&filter).await?;
    let head = match format {
        Format::Csv => Bytes::from(csv(std::iter::once(COLUMNS.map(str::to_owned)))?),
        Format::Jsonl => Bytes::new(),
    };
    let pages = stream::try_unfold(requests, move |requests| next_page(requests, format));
    let pieces = stream::iter([Ok(head)]).chain(pages);
    Ok(download("requests", format, Body::from_stream(pieces)))
}

async fn next_page(
    mut requests: Requests,
    format: Format,
) -> Result<Option<(Bytes, Requests)>, ApiError> {
    let page = requests.next(PAGE).await?;
    if page.is_empty() {
        return Ok(None);
    }
    let text = match format {
        Format::Csv => csv(page.iter().map(cells))?,
        Format::Jsonl => json_lines(&page)?,
    };
    Ok(Some((text.into(), requests)))
}

const COLUMNS: [&str; 26] = [
    "id",
    "at",
    "route",
    "path",
    "key",
    "key_id",
    "status",
    "target",
    "instance",
    "attempts",
    "fallback",
    "decided_by",
    "tied",
    "session",
    "streaming",
    "read_ms",
    "decide_ms",
    "ttfb_ms",
    "duration_ms",
    "bytes",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "cost",
    "error",
    "why",
];

fn cells(record: &RequestRecord) -> [String; 26] {
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let tokens = record.tokens;
    let session = record.session.clone().unwrap_or_default();
    let session = match (session.header, session.body) {
        (Some(header), _) => format!("header {header}"),
        (None, Some(body)) => format!("body {body}"),
        (None, None) => String::new(),
    };
    let decided_by = record.decided_by.map(|by| serde_json::to_value(by).ok());
    let decided_by = decided_by.flatten();
    [
        record.id.to_string(),
        record
            .at
            .to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
        record.route.clone().unwrap_or_default(),
        record.path.clone(),
        record.key.name.clone(),
        record.key.id.to_string(),
        record.status.to_string(),
        record.target.clone().unwrap_or_default(),
        record.instance.clone().unwrap_or_default(),
        record.attempts.len().to_string(),
        record.attempts.iter().any(|one| one.fallback).to_string(),
        decided_by
            .as_ref()
            .and_then(|by| by.as_str())
            .unwrap_or_default()
            .to_owned(),
        record.tied.to_string(),
        session,
        record.streaming.to_string(),
        record.read_ms.to_string(),
        record.decide_ms.to_string(),
        number(record.ttfb_ms),
        record.duration_ms.to_string(),
        record.bytes.to_string(),
        number(tokens.map(|tokens| tokens.input)),
        number(tokens.map(|tokens| tokens.output)),
        number(tokens.and_then(|tokens| tokens.cached)),
        record
            .cost
            .map(|cost| cost.to_number().to_string())
            .unwrap_or_default(),
        record.error.clone().unwrap_or_default(),
        record.why.clone(),
    ]
}
