//! `/traffic`

use std::convert::Infallible;
use std::time::Duration;

use app::api::traffic::Traffic;
use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::Event;
use futures_util::{Stream, StreamExt, stream};
use tokio::time::MissedTickBehavior;

use crate::server::AppState;

const EVERY: Duration = Duration::from_secs(2);
/// Then whoever looks asks again, and is looked at again: five minutes.
const MOST_EVENTS: usize = 150;

/// What goes through routes and targets just now, as server-sent events: one at once and one every two
/// seconds, each with all of it.
#[utoipa::path(
    get, path = "/traffic", tag = "requests", security(("api_key" = []), ("session" = [])),
    responses((
        status = 200, description = "Events whose data is JSON of this shape", body = Traffic,
        content_type = "text/event-stream",
    )),
)]
pub(super) async fn follow(
    State(state): State<AppState>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let stopping = state.stopping.clone();
    let events = stream::unfold((ticks, state), |(mut ticks, state)| async move {
        ticks.tick().await;
        let event = Event::default().json_data(state.inspector.traffic());
        // It fails for keys of maps that are no texts; there are none.
        Some((Ok(event.unwrap_or_default()), (ticks, state)))
    });
    // A stop does not wait for those who look on.
    Sse::new(
        events
            .take(MOST_EVENTS)
            .take_until(stopping.cancelled_owned()),
    )
}
