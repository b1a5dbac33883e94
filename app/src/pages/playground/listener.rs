//! Listens to one answer, from its first byte to its end.

use super::dialect::Dialect;
use super::heard::{Heard, reason};
use super::stream::Events;

/// An answer that does not come as a stream is read up to here.
const MOST: usize = 8 * 1024 * 1024;

/// How an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Done,
    /// Its tokens were used up.
    Cut,
    /// It stopped in the middle.
    BrokeOff,
    /// It was refused before it began.
    Refused {
        status: u16,
        message: String,
    },
    /// It failed after it had begun.
    Failed(String),
}

pub(super) struct Listener {
    dialect: Dialect,
    status: u16,
    is_stream: bool,
    events: Events,
    /// Of what is no stream.
    body: Vec<u8>,
    end: Option<End>,
}

impl Listener {
    pub(super) fn new(dialect: Dialect, status: u16, is_stream: bool) -> Self {
        Self {
            dialect,
            status,
            is_stream,
            events: Events::default(),
            body: Vec::new(),
            end: None,
        }
    }

    fn is_refused(&self) -> bool {
        !(200..300).contains(&self.status)
    }

    /// What these bytes add to the answer.
    pub(super) fn hear(&mut self, bytes: &[u8]) -> Vec<Heard> {
        if self.is_refused() || !self.is_stream {
            let room = MOST.saturating_sub(self.body.len()).min(bytes.len());
            self.body.extend_from_slice(&bytes[..room]);
            return Vec::new();
        }
        let events = self.events.push(bytes);
        let heard = events.iter().flat_map(|data| self.dialect.hear(data));
        let heard = heard.collect();
        self.without_end(heard)
    }

    /// After the last byte: what is still to be said, and how it ended.
    pub(super) fn finish(mut self) -> (Vec<Heard>, End) {
        let body = String::from_utf8_lossy(&self.body).into_owned();
        if self.is_refused() {
            let end = End::Refused {
                status: self.status,
                message: reason(&body),
            };
            return (Vec::new(), end);
        }
        let mut rest = Vec::new();
        if !self.is_stream {
            let heard = self.dialect.hear_whole(&body);
            rest = self.without_end(heard);
        }
        (rest, self.end.unwrap_or(End::BrokeOff))
    }

    /// Keeps the first word about the end: an end by the limit is followed by the end itself.
    fn without_end(&mut self, heard: Vec<Heard>) -> Vec<Heard> {
        let mut rest = Vec::new();
        for one in heard {
            let end = match one {
                Heard::Done => End::Done,
                Heard::Cut => End::Cut,
                Heard::Failed(message) => End::Failed(message),
                other => {
                    rest.push(other);
                    continue;
                }
            };
            self.end.get_or_insert(end);
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listen(dialect: Dialect, status: u16, is_stream: bool, body: &str) -> (String, End) {
        let mut listener = Listener::new(dialect, status, is_stream);
        let mut heard: Vec<Heard> = body
            .as_bytes()
            .chunks(3)
            .flat_map(|piece| listener.hear(piece))
            .collect();
        let (rest, end) = listener.finish();
        heard.extend(rest);
        let text = heard.into_iter().map(|one| match one {
            Heard::Said(text) => text,
            Heard::Thought(text) => format!("({text})"),
            other => format!("{other:?}"),
        });
        (text.collect(), end)
    }

    #[test]
    fn a_stream_is_heard_to_its_end() {
        let stream = "data: {\"choices\":[{\"delta\":{\"reasoning\":\"Hm\"}}]}\n\n\
            data: {\"choices\":[{\"delta\":{\"content\":\"zwölf\"}}]}\n\n\
            data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        let heard = listen(Dialect::Chat, 200, true, stream);
        assert_eq!(heard, ("(Hm)zwölf".to_owned(), End::Done));
    }

    #[test]
    fn a_stream_without_an_end_broke_off() {
        let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
        let heard = listen(Dialect::Chat, 200, true, stream);
        assert_eq!(heard, ("Hi".to_owned(), End::BrokeOff));
    }

    #[test]
    fn the_first_end_counts() {
        let stream = "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}\n\n\
            data: {\"type\":\"message_stop\"}\n\n";
        assert_eq!(listen(Dialect::Messages, 200, true, stream).1, End::Cut);
        let failed = "data: {\"type\":\"error\",\"message\":\"Down\"}\n\n";
        let end = End::Failed("Down".into());
        assert_eq!(listen(Dialect::Responses, 200, true, failed).1, end);
    }

    #[test]
    fn whole_answers_and_refusals_are_read_at_the_end() {
        let answer = r#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}"#;
        let heard = listen(Dialect::Chat, 200, false, answer);
        assert_eq!(heard, ("Hi".to_owned(), End::Done));
        let refusal = r#"{"error":{"message":"There is no route x."}}"#;
        for is_stream in [false, true] {
            let heard = listen(Dialect::Chat, 404, is_stream, refusal);
            let message = "There is no route x.".to_owned();
            let end = End::Refused {
                status: 404,
                message,
            };
            assert_eq!(heard, (String::new(), end));
        }
    }
}
