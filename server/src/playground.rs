//! `/playground/v1`: the very pipeline of `/v1` for signed-in people, under a key that is built in, so that
//! no secret has to be in the browser.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use uuid::{Uuid, uuid};

use crate::gateway::authenticate::LetIn;
use crate::gateway::error::{Dialect, GatewayError};
use crate::server::AppState;
use crate::snapshot::CompiledKey;
use crate::{api, gateway};

/// By which requests from there are found among all.
const KEY: Uuid = uuid!("00000000-0000-8000-8000-706c61796772");
const NAME: &str = "Playground";

/// What is under `/playground`.
pub fn router(state: AppState) -> Router {
    let door = Door {
        key: Arc::new(CompiledKey::built_in(KEY, NAME)),
        state: state.clone(),
    };
    gateway::router(state.gateway).layer(middleware::from_fn_with_state(door, let_in))
}

#[derive(Clone)]
struct Door {
    key: Arc<CompiledKey>,
    state: AppState,
}

async fn let_in(State(door): State<Door>, mut request: Request, next: Next) -> Response {
    let refused = match door.state.sessions.signed_in(request.headers()).await {
        Ok(Some(_)) => {
            request.extensions_mut().insert(LetIn(door.key));
            return next.run(request).await;
        }
        Ok(None) => {
            GatewayError::unauthenticated("Your session has ended. Sign in and send again.")
        }
        Err(error) => {
            let status = api::status(error.code);
            GatewayError::new(status, "session_unknown", error.message)
        }
    };
    refused.into_response_in(Dialect::of(request.uri().path(), request.headers()))
}
