//! One conversation with one route: what was said, and saying more.

use std::time::Duration;

use futures_util::future::{AbortHandle, abortable};
use leptos::prelude::*;
use leptos::task::spawn_local;
use uuid::Uuid;

use crate::api::request::RequestRecord;
use crate::components::rows::Rows;
use crate::server_fns;

use super::body::{Ask, Exchange};
use super::call::{Call, Came, call};
use super::dialect::{ANTHROPIC_VERSION, Dialect};
use super::heard::Heard;
use super::listener::{End, Listener};
use super::setup::Setup;

/// Records are written in batches, so that of a request that has just ended may take a moment.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
const LOOKS: u32 = 6;

/// Its signals live as long as it is on the page.
#[derive(Clone, Copy)]
pub(super) struct Conversation {
    pub route: RwSignal<String>,
    pub turns: RwSignal<Vec<Turn>>,
    next_key: StoredValue<u32>,
    /// Gives up what is under way.
    stop: StoredValue<Option<AbortHandle>>,
}

/// Something asked, and its answer as far as it has come.
#[derive(Clone)]
pub(super) struct Turn {
    /// Its identity among the turns.
    pub key: u32,
    pub asked: String,
    /// Outlives the page while its answer is still coming.
    pub answer: ArcRwSignal<Answer>,
}

#[derive(Clone, Default)]
pub(super) struct Answer {
    /// The route that was asked.
    pub route: String,
    pub thoughts: String,
    pub text: String,
    pub state: State,
    /// As the request is named in its record.
    pub request: Option<Uuid>,
    pub record: Found,
}

#[derive(Clone, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Coming,
    Ended(End),
    /// By hand.
    Stopped,
    Unreachable,
}

/// What the record says of the request.
#[derive(Clone, Default)]
pub(super) enum Found {
    #[default]
    NotLooked,
    Looking,
    There(Box<RequestRecord>),
    Missing,
}

impl Answer {
    /// Whether it is something to go on from.
    fn is_said(&self) -> bool {
        !self.text.is_empty() && !matches!(self.state, State::Coming | State::Unreachable)
    }

    pub(super) fn has_failed(&self) -> bool {
        match &self.state {
            State::Unreachable => true,
            State::Ended(end) => !matches!(end, End::Done | End::Cut),
            State::Coming | State::Stopped => false,
        }
    }
}

impl Conversation {
    pub(super) fn new(route: String) -> Self {
        Self {
            route: RwSignal::new(route),
            turns: RwSignal::new(Vec::new()),
            next_key: StoredValue::new(0),
            stop: StoredValue::new(None),
        }
    }

    /// Whether an answer is on its way.
    pub(super) fn is_busy(self) -> bool {
        let turns = self.turns.read();
        turns
            .last()
            .is_some_and(|turn| turn.answer.read().state == State::Coming)
    }

    /// Whether its last question got no answer.
    pub(super) fn has_failed(self) -> bool {
        let turns = self.turns.read();
        turns
            .last()
            .is_some_and(|turn| turn.answer.read().has_failed())
    }

    /// Asks the route, after all that was said before.
    pub(super) fn say(self, setup: Setup, text: String) {
        let route = self.route.get_untracked().trim().to_owned();
        if route.is_empty() || untrack(|| self.is_busy()) {
            return;
        }
        let before = self.said();
        let answer = ArcRwSignal::new(Answer {
            route: route.clone(),
            ..Default::default()
        });
        let turn = Turn {
            key: self.next_key.get_value(),
            asked: text.clone(),
            answer: answer.clone(),
        };
        self.next_key.set_value(turn.key.wrapping_add(1));
        self.turns.update(|turns| turns.push(turn));
        let asked = setup.asked();
        let ask = Ask {
            dialect: asked.dialect,
            model: route,
            system: asked.system,
            max_tokens: asked.max_tokens,
            before,
            text,
        };
        let (work, stop) = abortable(listen(ask, asked.session, answer.clone()));
        self.stop.set_value(Some(stop));
        spawn_local(async move {
            let state = match work.await {
                Ok(state) => state,
                Err(_) => State::Stopped,
            };
            answer.update(|answer| answer.state = state);
            // Nobody reads on once the page is left.
            if !self.turns.is_disposed() {
                look_up(answer, LOOKS);
            }
        });
    }

    /// The last question once more, in the place of its answer.
    pub(super) fn again(self, setup: Setup) {
        if self.route.read_untracked().trim().is_empty() || untrack(|| self.is_busy()) {
            return;
        }
        let last = self.turns.try_update(Vec::pop).flatten();
        if let Some(Turn { asked, .. }) = last {
            self.say(setup, asked);
        }
    }

    pub(super) fn stop(self) {
        self.stop.try_with_value(|stop| {
            if let Some(stop) = stop {
                stop.abort();
            }
        });
    }

    pub(super) fn clear(self) {
        self.stop();
        self.turns.set(Vec::new());
    }

    /// What a model has to know. What got no answer was never said.
    fn said(self) -> Vec<Exchange> {
        let turns = self.turns.read_untracked();
        let said = turns.iter().filter_map(|turn| {
            let answer = turn.answer.read_untracked();
            answer.is_said().then(|| Exchange {
                asked: turn.asked.clone(),
                answered: answer.text.clone(),
            })
        });
        said.collect()
    }
}

/// All that are on the page.
pub(super) fn all(columns: Rows<Conversation>) -> Vec<Conversation> {
    columns.list.read().iter().map(|row| row.of).collect()
}

/// Sends it, and writes down what comes.
async fn listen(ask: Ask, session: Option<String>, answer: ArcRwSignal<Answer>) -> State {
    let mut headers = vec![("content-type", "application/json".to_owned())];
    if ask.dialect == Dialect::Messages {
        headers.push(("anthropic-version", ANTHROPIC_VERSION.to_owned()));
    }
    headers.extend(session.map(|session| ("session-id", session)));
    let request = Call {
        path: ask.dialect.call_path(),
        headers,
        body: ask.body(),
    };
    let mut listener = None::<Listener>;
    let came = |came: Came| match came {
        Came::Head(head) => {
            listener = Some(Listener::new(ask.dialect, head.status, head.is_stream));
            answer.update(|answer| answer.request = head.request);
        }
        Came::Bytes(bytes) => {
            if let Some(listener) = &mut listener {
                write_down(&answer, listener.hear(&bytes));
            }
        }
    };
    let ended = call(request, came).await;
    let Some(listener) = listener else {
        return State::Unreachable;
    };
    let (rest, end) = listener.finish();
    write_down(&answer, rest);
    State::Ended(match (ended, end) {
        (Err(_), End::Done | End::Cut) => End::BrokeOff,
        (_, end) => end,
    })
}

fn write_down(answer: &ArcRwSignal<Answer>, heard: Vec<Heard>) {
    if heard.is_empty() {
        return;
    }
    answer.update(|answer| {
        for one in heard {
            match one {
                Heard::Said(text) => answer.text.push_str(&text),
                Heard::Thought(text) => answer.thoughts.push_str(&text),
                // The listener keeps what it hears of the end.
                Heard::Done | Heard::Cut | Heard::Failed(_) => {}
            }
        }
    });
}

/// Asks for the record until it is there.
fn look_up(answer: ArcRwSignal<Answer>, looks: u32) {
    let Some(request) = answer.read_untracked().request else {
        return;
    };
    answer.update(|answer| answer.record = Found::Looking);
    set_timeout(
        move || {
            spawn_local(async move {
                match server_fns::get_request(request).await {
                    Ok(record) => {
                        let record = Found::There(Box::new(record));
                        answer.update(|answer| answer.record = record);
                    }
                    Err(_) if looks > 1 => look_up(answer, looks - 1),
                    Err(_) => answer.update(|answer| answer.record = Found::Missing),
                }
            });
        },
        LOOK_AGAIN,
    );
}
