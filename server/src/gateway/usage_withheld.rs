//! Takes the event with usage out of a stream whose client did not ask for it.
//!
//! Events are held back until they are whole, as only then it is known which one it is; all but that one
//! pass as they came.

use bytes::{Bytes, BytesMut};
use memchr::memmem;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::sse::{self, Boundary};

/// A longer event is none that only counts.
const LONGEST: usize = 64 * 1024;

#[derive(Debug, Default)]
pub struct UsageWithheld {
    event: BytesMut,
    boundary: Boundary,
}

impl UsageWithheld {
    /// What passes now that this came.
    pub fn push(&mut self, piece: &[u8]) -> Bytes {
        let mut passing = BytesMut::new();
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.event.extend_from_slice(part);
            self.boundary.push(part);
            if self.boundary.is_between_events() {
                let event = self.event.split();
                if !only_counts(&event) {
                    passing.unsplit(event);
                }
            } else if self.event.len() > LONGEST {
                passing.unsplit(self.event.split());
            }
        }
        passing.freeze()
    }

    /// What is left when the stream is over.
    pub fn rest(&mut self) -> Bytes {
        self.event.split().freeze()
    }
}

/// Whether an event says nothing but usage.
fn only_counts(event: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Chunk {
        choices: Vec<IgnoredAny>,
        usage: Option<IgnoredAny>,
    }
    if memmem::find(event, b"\"usage\"").is_none() {
        return false;
    }
    let mut counts = false;
    sse::Reader::new(LONGEST).push(event, |event| {
        let chunk: Result<Chunk, _> = serde_json::from_slice(event.data);
        counts |= chunk.is_ok_and(|chunk| chunk.choices.is_empty() && chunk.usage.is_some());
    });
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"\\\"usage\\\"\"}}],\"usage\":null}\n\n\
        : a comment\n\n\
        data: {\"choices\":[],\"prompt_filter_results\":[],\"usage\":null}\r\n\r\n\
        data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n\
        data: [DONE]\n\n";

    fn passed(stream: &str, size: usize) -> String {
        let mut withheld = UsageWithheld::default();
        let mut passed = Vec::new();
        for piece in stream.as_bytes().chunks(size) {
            passed.extend_from_slice(&withheld.push(piece));
        }
        passed.extend_from_slice(&withheld.rest());
        String::from_utf8(passed).unwrap()
    }

    #[test]
    fn only_the_event_that_counts_is_taken_out() {
        let count =
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n";
        let expected = STREAM.replace(count, "");
        assert_ne!(expected, STREAM);
        for size in [1, 2, 3, 7, 64, 10_000] {
            assert_eq!(passed(STREAM, size), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn whole_events_pass_at_once() {
        let mut withheld = UsageWithheld::default();
        assert_eq!(withheld.push(b"data: a\n"), "");
        assert_eq!(withheld.push(b"\ndata: b"), "data: a\n\n");
        assert_eq!(withheld.push(b"\n\n"), "data: b\n\n");
    }

    #[test]
    fn what_breaks_off_and_what_is_endless_passes() {
        assert_eq!(passed("data: {\"usage\"", 4), "data: {\"usage\"");
        let long = format!("data: {}\n", "x\n".repeat(LONGEST));
        let mut withheld = UsageWithheld::default();
        assert!(!withheld.push(long.as_bytes()).is_empty());
    }
}
