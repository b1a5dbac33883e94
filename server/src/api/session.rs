//! `POST /login` and `POST /logout`.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, State};
use axum::response::{AppendHeaders, IntoResponse};
use http::{HeaderMap, StatusCode, header};
use serde::Deserialize;
use utoipa::ToSchema;

use super::body::JsonBody;
use super::refused::{ErrorBody, Refused};
use crate::server::AppState;

#[derive(Deserialize, ToSchema)]
pub(super) struct Login {
    username: String,
    password: String,
}

/// Sign in; the answer sets the session cookie.
#[utoipa::path(
    post, path = "/login", tag = "session", request_body = Login,
    responses(
        (status = 204, description = "Signed in"),
        (status = 401, description = "Wrong user name or password", body = ErrorBody),
        (status = 429, description = "Too many failed tries; see Retry-After", body = ErrorBody),
    ),
)]
pub(super) async fn login(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    JsonBody(login): JsonBody<Login>,
) -> Result<impl IntoResponse, Refused> {
    let cookie = state
        .sessions
        .sign_in(login.username, login.password, peer, &headers)
        .await?;
    Ok((
        StatusCode::NO_CONTENT,
        AppendHeaders([(header::SET_COOKIE, cookie)]),
    ))
}

/// Sign out: the session ends and its cookie is cleared.
#[utoipa::path(
    post, path = "/logout", tag = "session", security(("session" = [])),
    responses((status = 204, description = "Signed out")),
)]
pub(super) async fn logout(
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Refused> {
    let cookie = state.sessions.sign_out(&headers).await?;
    Ok((
        StatusCode::NO_CONTENT,
        AppendHeaders([(header::SET_COOKIE, cookie)]),
    ))
}
