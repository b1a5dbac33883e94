//! `GET /v1/models` and `GET /v1/models/{id}`: the routes that a key may use, in the dialect asked for.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use chrono::SecondsFormat;
use http::request::Parts;
use serde_json::{Value, json};

use super::Gateway;
use super::authenticate::Caller;
use super::error::{Dialect, GatewayError};
use crate::snapshot::{CompiledKey, CompiledRoute};

/// `GET /v1/models`
pub async fn list(State(gateway): State<Arc<Gateway>>, parts: Parts) -> Response {
    let dialect = Dialect::of(parts.uri.path(), &parts.headers);
    let snapshot = gateway.snapshots.load();
    let key = match Caller::of(&parts, &snapshot) {
        Ok(caller) => caller.key,
        Err(error) => return error.into_response_in(dialect),
    };
    let data: Vec<Value> = snapshot
        .routes
        .iter()
        .filter(|route| is_shown(route, &key))
        .map(|route| describe(route, dialect))
        .collect();
    let body = match dialect {
        Dialect::OpenAi => json!({"object": "list", "data": data}),
        Dialect::Anthropic => json!({
            "first_id": data.first().map(|model| &model["id"]),
            "last_id": data.last().map(|model| &model["id"]),
            "has_more": false,
            "data": data,
        }),
    };
    Json(body).into_response()
}

/// `GET /v1/models/{id}`; the name may hold slashes, raw or percent-encoded.
pub async fn retrieve(
    State(gateway): State<Arc<Gateway>>,
    Path(id): Path<String>,
    parts: Parts,
) -> Response {
    let dialect = Dialect::of(parts.uri.path(), &parts.headers);
    let snapshot = gateway.snapshots.load();
    let found = Caller::of(&parts, &snapshot).and_then(|Caller { key, .. }| {
        // A key learns nothing of routes that it may not use, not even that they are there.
        let route = snapshot
            .routes
            .get(&id)
            .filter(|route| is_shown(route, &key));
        route.ok_or_else(|| GatewayError::no_such_route(&id))
    });
    match found {
        Ok(route) => Json(describe(route, dialect)).into_response(),
        Err(error) => error.into_response_in(dialect),
    }
}

fn is_shown(route: &CompiledRoute, key: &CompiledKey) -> bool {
    route.enabled && key.may_use(route.id)
}

fn describe(route: &CompiledRoute, dialect: Dialect) -> Value {
    match dialect {
        Dialect::OpenAi => json!({
            "id": route.name,
            "object": "model",
            "created": route.created_at.timestamp(),
            "owned_by": "signalbox",
        }),
        Dialect::Anthropic => json!({
            "type": "model",
            "id": route.name,
            "display_name": route.name,
            "created_at": route.created_at.to_rfc3339_opts(SecondsFormat::Secs, true),
        }),
    }
}
