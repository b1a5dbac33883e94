//! Responses that upstreams keep: asking for one again, and going on from one, where it was made.
//!
//! An instance knows only the responses that it made itself. So each response's id is remembered with the
//! instance that made it, and with the key it was made for: to every other key it is not there.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::request::Parts;
use http::{Method, StatusCode};

use super::attempt::{Destination, Outgoing};
use super::authenticate::Caller;
use super::body;
use super::dispatch::{Answer, Dispatch, Way};
use super::error::{Dialect, GatewayError};
use super::owners::Owner;
use super::payload::Payload;
use super::pipeline::Reply;
use super::record::Recording;
use super::response_watch::ResponseWatch;
use super::{Endpoint, Gateway, json, off_async_if_large};
use crate::snapshot::{Choice, CompiledKey, CompiledRoute};

/// What cancelling or deleting takes along.
const LARGEST_BODY: u64 = 64 * 1024;

/// `GET` and `DELETE /v1/responses/{id}`, `POST …/cancel`, `GET …/input_items`
pub async fn call(
    State(gateway): State<Arc<Gateway>>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let dialect = Dialect::of(parts.uri.path(), &parts.headers);
    let caller = match gateway.caller(&parts) {
        Ok(caller) => caller,
        Err(error) => {
            body::linger(&parts.method, &parts.headers, body);
            return error.into_response_in(dialect);
        }
    };
    let mut recording = gateway.begin(&parts, &caller.key);
    let pieces = body::decoded(&parts.headers, body);
    let expected = body::expected_length(&parts.headers);
    let reply = match body::read(pieces, expected, LARGEST_BODY, &gateway.budget).await {
        Ok(body) => reply(&gateway, caller, &parts, &id, body.bytes, &mut recording).await,
        Err(error) => Err(error),
    };
    gateway.respond(reply, recording, dialect)
}

async fn reply(
    gateway: &Gateway,
    caller: Caller,
    parts: &Parts,
    id: &str,
    body: Bytes,
    recording: &mut Recording,
) -> Result<Reply, GatewayError> {
    let owner = gateway.owners.find(id).await;
    let owner = owner.filter(|owner| owner.key == caller.key.id);
    let owner = owner.ok_or_else(|| no_such_response(id))?;
    let snapshot = gateway.snapshots.load();
    let key = caller.still(parts, &snapshot)?;
    let route = snapshot.routes.by_id(owner.route);
    let route = route.filter(|route| key.may_use(route.id) && route.enabled);
    let route = route.ok_or_else(|| no_such_response(id))?;
    let choice = find(route, &owner).ok_or_else(|| no_such_response(id))?;
    recording.note(|record| {
        record.route = Some(Arc::clone(route));
        record.is_bound = true;
    });
    // What follows the id is one of the paths that lead here.
    let after = parts.uri.path().rsplit('/').next().unwrap_or_default();
    let path = match after {
        "cancel" | "input_items" => format!("/responses/{id}/{after}"),
        _ => format!("/responses/{id}"),
    };
    let payload = Payload::Plain(body);
    let outgoing = Outgoing {
        client: parts,
        to: Destination::Path(&path),
        payload: &payload,
        has_stream_options: false,
    };
    let dispatch = Dispatch {
        gateway,
        endpoint: Endpoint::Responses,
        route,
        outgoing,
        recording,
    };
    let answer = dispatch.run(Way::Bound(choice)).await?;
    if parts.method == Method::DELETE && answer.status().is_success() {
        gateway.owners.forget(id).await;
    }
    Ok(Reply {
        answer,
        keep_alive: route.keep_alive,
        response: None,
    })
}

/// Where a request has to go because it goes on from an earlier response.
///
/// # Errors
/// 404 when that response is not there for this key and route.
pub async fn bound<'a>(
    gateway: &Gateway,
    endpoint: Endpoint,
    key: &CompiledKey,
    route: &'a CompiledRoute,
    payload: &Payload,
) -> Result<Option<Choice<'a>>, GatewayError> {
    let Some(body) = payload.json().filter(|_| endpoint.goes_on_from_responses()) else {
        return Ok(None);
    };
    let previous = |body: &[u8]| {
        let id = json::text_at(body, "previous_response_id");
        id.map(std::borrow::Cow::into_owned)
    };
    let previous = off_async_if_large(body, previous).await.unwrap_or_default();
    let Some(id) = previous else { return Ok(None) };
    let owner = gateway.owners.find(&id).await;
    let owner = owner.filter(|owner| owner.key == key.id && owner.route == route.id);
    let choice = owner.and_then(|owner| find(route, &owner));
    let choice = choice.ok_or_else(|| no_such_response(&id).about("previous_response_id"))?;
    Ok(Some(choice))
}

/// Remembers who made the response that an answer holds.
pub fn watch(
    gateway: &Gateway,
    key: &CompiledKey,
    route: &CompiledRoute,
    answer: &Answer,
) -> Option<ResponseWatch> {
    if !answer.status().is_success() {
        return None;
    }
    let owner = Owner {
        key: key.id,
        route: route.id,
        provider: answer.made_by.provider,
        instance: Arc::clone(&answer.made_by.instance),
        model: Arc::clone(&answer.made_by.model),
    };
    ResponseWatch::of(answer.headers(), &gateway.owners, owner)
}

fn find<'a>(route: &'a CompiledRoute, owner: &Owner) -> Option<Choice<'a>> {
    let choice = route.find(owner.provider, &owner.instance, &owner.model)?;
    choice.target.provider.enabled.then_some(choice)
}

fn no_such_response(id: &str) -> GatewayError {
    GatewayError::new(
        StatusCode::NOT_FOUND,
        "response_not_found",
        format!(
            "There is no response `{}` of this key, or the target that made it is gone.",
            super::error::shorten(id)
        ),
    )
}
