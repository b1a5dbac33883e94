//! `/usage`

use app::api::usage::{Counts, Usage, UsageQuery};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, SecondsFormat, Utc};

use super::download::{Format, csv, download};
use super::input::Fields;
use super::refused::{ErrorBody, Refused};
use crate::server::AppState;

/// Requests, errors and tokens over time, by route, target or key.
#[utoipa::path(
    get, path = "/usage", tag = "requests", params(UsageQuery),
    security(("api_key" = []), ("session" = [])),
    responses(
        (status = 200, body = Usage),
        (status = 422, description = "Fields need attention", body = ErrorBody),
    ),
)]
pub(super) async fn get(
    State(state): State<AppState>,
    Fields(query): Fields<UsageQuery>,
) -> Result<Json<Usage>, Refused> {
    Ok(Json(state.inspector.usage(&query).await?))
}

/// The same as a file, a row for each step and name that has any.
#[utoipa::path(
    get, path = "/usage/export", tag = "requests", params(UsageQuery),
    security(("api_key" = []), ("session" = [])),
    responses(
        (status = 200, description = "CSV", body = String, content_type = "text/csv"),
        (status = 422, description = "Fields need attention", body = ErrorBody),
    ),
)]
pub(super) async fn export(
    State(state): State<AppState>,
    Fields(query): Fields<UsageQuery>,
) -> Result<Response, Refused> {
    let usage = state.inspector.usage(&query).await?;
    let head = [
        "since",
        "name",
        "requests",
        "errors",
        "input_tokens",
        "output_tokens",
        "cached_tokens",
        "reasoning_tokens",
        "uncounted_requests",
        "cost",
    ]
    .map(str::to_owned);
    let rows = usage.rows.iter().flat_map(|row| {
        let steps = usage.steps.iter().zip(&row.steps);
        let some = steps.filter(|(_, counts)| counts.requests > 0);
        some.map(|(begin, counts)| cells(*begin, &row.name, counts))
    });
    let text = csv(std::iter::once(head).chain(rows))?;
    Ok(download("usage", Format::Csv, Body::from(text)))
}

fn cells(begin: DateTime<Utc>, name: &str, counts: &Counts) -> [String; 10] {
    [
        begin.to_rfc3339_opts(SecondsFormat::Secs, true),
        name.to_owned(),
        counts.requests.to_string(),
        counts.errors.to_string(),
        counts.input.to_string(),
        counts.output.to_string(),
        counts.cached.to_string(),
        counts.reasoning.to_string(),
        counts.uncounted.to_string(),
        counts.cost.to_number().to_string(),
    ]
}
