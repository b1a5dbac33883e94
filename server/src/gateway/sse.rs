//! Server-sent events as they pass, by the rules of the WHATWG HTML standard ("event stream
//! interpretation"): lines end with LF, CR or CRLF, and a blank line ends an event.

use std::borrow::Cow;

use http::{HeaderMap, header};
use memchr::{memchr, memchr2};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

const CONTENT_TYPE: &[u8] = b"text/event-stream";

/// Whether an answer with these headers is one.
pub fn is_event_stream(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE);
    let start = content_type.and_then(|value| value.as_bytes().get(..CONTENT_TYPE.len()));
    start.is_some_and(|start| start.eq_ignore_ascii_case(CONTENT_TYPE))
}

/// Whether a stream stands between two events, where a comment changes none of them.
///
/// That is before its first byte and after a blank line that LF ends. After a CR it is not known yet
/// whether an LF follows that belongs to it. At the start it holds for streams without a byte order
/// mark, which a comment would make a part of the first line; no model server sends one.
#[derive(Debug)]
pub struct Boundary {
    /// The last three bytes, which are enough to see a blank line.
    tail: [u8; 3],
}

impl Default for Boundary {
    /// The start, which is like the place after a blank line.
    fn default() -> Self {
        Self { tail: *b"\n\n\n" }
    }
}

impl Boundary {
    /// Notes that these bytes have passed; only the last three are looked at.
    pub fn push(&mut self, bytes: &[u8]) {
        if let Some(tail) = bytes.last_chunk() {
            self.tail = *tail;
        } else {
            for byte in bytes {
                self.tail = [self.tail[1], self.tail[2], *byte];
            }
        }
    }

    pub fn is_between_events(&self) -> bool {
        matches!(self.tail, [_, b'\n', b'\n'] | [b'\n' | b'\r', b'\r', b'\n'])
    }
}

/// An event that has data; those without are not events to the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its type, empty when it names none.
    pub event: &'a [u8],
    /// Its lines of data, with LF between them.
    pub data: &'a [u8],
}

/// Reads the events of a stream that comes in pieces, cut anywhere.
#[derive(Debug)]
pub struct Reader {
    longest: usize,
    /// The lines of the event under way, each ended by LF.
    lines: Vec<u8>,
    is_too_long: bool,
    /// Whether the line under way has no bytes so far.
    is_blank: bool,
    /// Whether the last byte was a CR, so that an LF would belong to it.
    after_cr: bool,
    /// Whether the first blank line is still to come.
    is_first: bool,
}

impl Reader {
    /// An event whose lines, comments and line ends included, have more than `longest` bytes is left out.
    pub fn new(longest: usize) -> Self {
        Self {
            longest,
            lines: Vec::new(),
            is_too_long: false,
            is_blank: true,
            after_cr: false,
            is_first: true,
        }
    }

    /// Reads the next piece and gives each event that it completes.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(Event<'_>)) {
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.after_cr) && *first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = memchr2(b'\r', b'\n', rest) else {
                self.keep(rest);
                return;
            };
            self.keep(&rest[..end]);
            self.end_line(&mut each);
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
        }
    }

    /// Keeps a piece of a line.
    fn keep(&mut self, piece: &[u8]) {
        self.is_blank &= piece.is_empty();
        self.is_too_long |= self.lines.len() + piece.len() > self.longest;
        if !self.is_too_long {
            self.lines.extend_from_slice(piece);
        }
    }

    fn end_line(&mut self, each: &mut impl FnMut(Event<'_>)) {
        let is_blank = std::mem::replace(&mut self.is_blank, true);
        if !is_blank {
            if !self.is_too_long {
                self.lines.push(b'\n');
            }
            return;
        }
        let is_first = std::mem::take(&mut self.is_first);
        if !std::mem::take(&mut self.is_too_long) {
            let marked = self.lines.strip_prefix(BYTE_ORDER_MARK);
            let lines = marked.filter(|_| is_first).unwrap_or(&self.lines);
            if let Some((event, data)) = read(lines) {
                each(Event { event, data: &data });
            }
        }
        self.lines.clear();
    }
}

/// Type and data of an event with these lines; nothing when it has no data.
fn read(lines: &[u8]) -> Option<(&[u8], Cow<'_, [u8]>)> {
    let mut event: &[u8] = &[];
    let mut data: Option<Cow<'_, [u8]>> = None;
    for line in lines.split(|byte| *byte == b'\n') {
        // A comment is a line without a name before its colon.
        let (name, value) = field(line);
        match (name, &mut data) {
            (b"event", _) => event = value,
            (b"data", None) => data = Some(Cow::Borrowed(value)),
            (b"data", Some(data)) => {
                let data = data.to_mut();
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            _ => {}
        }
    }
    data.map(|data| (event, data))
}

/// The name of a line's field, and its value without the one space that may stand before it.
fn field(line: &[u8]) -> (&[u8], &[u8]) {
    let Some(colon) = memchr(b':', line) else {
        return (line, &[]);
    };
    let value = &line[colon + 1..];
    (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
}

#[cfg(test)]
mod tests;
