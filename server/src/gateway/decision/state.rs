//! `state`: what of a request a decision service gets to see, as JSON of at most 65,536 bytes.
//!
//! ```text
//! {"system":"…","tools":["name",…],"messages":[turn,…]}
//! ```
//!
//! It is the same for every endpoint. Turns are as they were sent, but compact and with notes for
//! binary parts ([`render`]); system prompts are gathered from wherever they stand; tools are their
//! names. Where all of it is too long
//!
//! - the system text keeps what fits into a quarter of the budget,
//! - the oldest turns go first,
//! - the newest user turn always stays: if it alone is too long, it keeps its start and its end.
//!
//! A turn counts as the user's when it has words of its own. What a tool gave back does not, although
//! some clients send it under the user's role.
//!
//! All of it is cut from slices of the body: nothing here is larger than the budget but the body itself.

mod cut;

use std::collections::VecDeque;

use self::cut::{Ends, head};
use super::render;
use crate::gateway::json;

/// Bytes of a state.
pub const BUDGET: usize = 65_536;
/// Bytes that a system text keeps where not everything fits, quotes included.
const SYSTEM: usize = BUDGET / 4;
/// Bytes that names of tools take at most.
const TOOLS: usize = BUDGET / 8;
/// Bytes of one tool's name.
const LONGEST_NAME: usize = 256;

/// The state of a request, from its body: valid JSON of at most 128 levels.
pub fn of(body: &[u8]) -> String {
    let mut seen = Seen::default();
    for (key, value) in json::members(body) {
        if json::is(key, "messages") || json::is(key, "input") {
            seen.conversation(value);
        } else if json::is(key, "system") || json::is(key, "instructions") {
            seen.system(value);
        } else if json::is(key, "tools") || json::is(key, "functions") {
            seen.tools(value);
        }
    }
    seen.into_state()
}

/// A turn where it stands in the body.
#[derive(Clone, Copy, Debug)]
struct Turn<'a> {
    /// How many turns came before it.
    number: usize,
    slice: &'a [u8],
    /// Of its rendering.
    length: usize,
}

#[derive(Debug, Default)]
struct Seen<'a> {
    system: String,
    has_system: bool,
    /// Names as JSON strings, one after the other.
    tools: String,
    tools_left_out: usize,
    /// The newest turns, as many as the budget may hold.
    newest: VecDeque<Turn<'a>>,
    /// Of their renderings, with a comma each.
    length: usize,
    /// The newest that has words of the user.
    user: Option<Turn<'a>>,
    turns: usize,
}

impl<'a> Seen<'a> {
    fn conversation(&mut self, value: &'a [u8]) {
        if json::string(value).is_some() {
            self.turn(value, true);
        }
        for item in json::items(value) {
            match json::member(item, "role").and_then(json::string) {
                Some(b"system" | b"developer") => {
                    self.system(json::member(item, "content").unwrap_or_default());
                }
                Some(b"user") => {
                    let content = json::member(item, "content").unwrap_or_default();
                    self.turn(item, has_words(content));
                }
                _ => self.turn(item, json::string(item).is_some()),
            }
        }
    }

    fn turn(&mut self, slice: &'a [u8], is_users: bool) {
        let length = render::length(slice) + wrapping(slice).0.len() + wrapping(slice).1.len();
        let turn = Turn {
            number: self.turns,
            slice,
            length,
        };
        self.turns += 1;
        if is_users {
            self.user = Some(turn);
        }
        self.newest.push_back(turn);
        self.length += length + 1;
        while self.length > BUDGET
            && let Some(oldest) = self.newest.pop_front()
        {
            self.length -= oldest.length + 1;
        }
    }

    /// A system text, or the parts of one.
    fn system(&mut self, value: &[u8]) {
        let system = &mut self.system;
        let mut push = |piece: &str| {
            // What is beyond the budget is cut anyway.
            let room = (BUDGET + 1).saturating_sub(system.len());
            system.push_str(piece.get(..piece.ceil_char_boundary(room)).unwrap_or(piece));
        };
        if self.has_system {
            push("\n\n");
        }
        self.has_system = true;
        words(value, &mut push);
    }

    fn tools(&mut self, value: &[u8]) {
        for tool in json::items(value) {
            let function = json::member(tool, "function").unwrap_or(tool);
            let name = ["name", "server_label", "type"]
                .into_iter()
                .find_map(|key| json::member(function, key).and_then(json::string))
                .map(|name| json::unescaped(name.get(..LONGEST_NAME).unwrap_or(name)))
                .unwrap_or_default();
            let mut quoted = String::new();
            render::quoted(&name, &mut |piece| quoted.push_str(piece));
            if self.tools.len() + quoted.len() > TOOLS {
                self.tools_left_out += 1;
                continue;
            }
            if !self.tools.is_empty() {
                self.tools.push(',');
            }
            self.tools.push_str(&quoted);
        }
    }

    fn into_state(mut self) -> String {
        if self.tools_left_out > 0 {
            self.tools
                .push_str(&format!(",\"and {} more\"", self.tools_left_out));
        }
        let is_whole = self.newest.len() == self.turns;
        let mut system = String::new();
        if !self.system.is_empty() {
            render::quoted(&self.system, &mut |piece| system.push_str(piece));
        }
        let mut room = BUDGET.checked_sub(self.frame(&system));
        if room.is_none_or(|room| !is_whole || room < self.length) && system.len() > SYSTEM {
            system = head(&self.system, SYSTEM);
            room = BUDGET.checked_sub(self.frame(&system));
        }
        let mut room = room.unwrap_or_default();

        let mut state = String::with_capacity(BUDGET);
        state.push('{');
        if !system.is_empty() {
            state.push_str("\"system\":");
            state.push_str(&system);
            state.push(',');
        }
        if !self.tools.is_empty() {
            state.push_str("\"tools\":[");
            state.push_str(&self.tools);
            state.push_str("],");
        }
        state.push_str("\"messages\":[");
        // Where nobody said anything the last that happened stands in.
        let kept = self.user.or(self.newest.back().copied());
        let mut chosen: Vec<Turn<'_>> = Vec::new();
        if let Some(kept) = kept {
            match room.checked_sub(kept.length + 1) {
                Some(rest) => {
                    room = rest;
                    let others = self.newest.iter().rev();
                    for turn in others.filter(|turn| turn.number != kept.number) {
                        let Some(rest) = room.checked_sub(turn.length + 1) else {
                            break;
                        };
                        room = rest;
                        chosen.push(*turn);
                    }
                    chosen.push(kept);
                    chosen.sort_unstable_by_key(|turn| turn.number);
                }
                None => state.push_str(&shortened(kept.slice, room)),
            }
        }
        for (index, turn) in chosen.iter().enumerate() {
            if index > 0 {
                state.push(',');
            }
            let (before, after) = wrapping(turn.slice);
            state.push_str(before);
            render::value(turn.slice, &mut |piece| state.push_str(piece));
            state.push_str(after);
        }
        state.push_str("]}");
        state
    }

    /// Bytes of all but the turns.
    fn frame(&self, system: &str) -> usize {
        let member = |name: &str, value: usize| if value > 0 { name.len() + value } else { 0 };
        member("\"system\":,", system.len())
            + member("\"tools\":[],", self.tools.len())
            + "{\"messages\":[]}".len()
    }
}

/// What makes a turn of a bare text.
fn wrapping(slice: &[u8]) -> (&'static str, &'static str) {
    match json::string(slice) {
        Some(_) => ("{\"role\":\"user\",\"content\":", "}"),
        None => ("", ""),
    }
}

/// Whether a content holds more than what a tool gave back.
fn has_words(content: &[u8]) -> bool {
    if let Some(text) = json::string(content) {
        return !text.is_empty();
    }
    json::items(content).any(|part| {
        let kind = json::member(part, "type").and_then(json::string);
        kind.is_none_or(|kind| !kind.starts_with(b"tool_") && !kind.ends_with(b"_output"))
    })
}

/// The words of a content: of a string itself, of a list the text of each part, or what it says
/// otherwise.
fn words(content: &[u8], give: &mut dyn FnMut(&str)) {
    if let Some(text) = json::string(content) {
        return render::text(text, None, give);
    }
    if !content.trim_ascii_start().starts_with(b"[") {
        return render::value(content, give);
    }
    for (index, part) in json::items(content).enumerate() {
        if index > 0 {
            give("\n");
        }
        match json::string(part).or_else(|| json::member(part, "text").and_then(json::string)) {
            Some(text) => render::text(text, None, give),
            None => render::value(part, give),
        }
    }
}

/// A user turn that is too long: its words, their start and their end, in at most so many bytes.
fn shortened(turn: &[u8], room: usize) -> String {
    const BEFORE: &str = "{\"role\":\"user\",\"content\":";
    const AFTER: &str = "}";
    let content = match json::string(turn) {
        Some(_) => turn,
        None => json::member(turn, "content").unwrap_or(turn),
    };
    let room = room.saturating_sub(BEFORE.len() + AFTER.len());
    let mut ends = Ends::new(room);
    words(content, &mut |piece| ends.push(piece));
    format!("{BEFORE}{}{AFTER}", ends.quoted())
}

#[cfg(test)]
mod tests;
