//! Server-sent events: the data of each, out of bytes that are split anywhere.

/// The byte order mark that a stream may begin with.
const MARK: &str = "\u{feff}";

#[derive(Default)]
pub(super) struct Events {
    /// A line as far as it has come.
    line: Vec<u8>,
    /// Of the event that has begun.
    data: Option<String>,
    began: bool,
    /// The last byte ended a line; a line feed now belongs to it.
    after_return: bool,
}

impl Events {
    /// The data of the events that these bytes complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut complete = Vec::new();
        for &byte in bytes {
            let after_return = std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    complete.extend(self.end_line());
                }
                _ => self.line.push(byte),
            }
        }
        complete
    }

    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let mut line = line.as_ref();
        if !std::mem::replace(&mut self.began, true) {
            line = line.strip_prefix(MARK).unwrap_or(line);
        }
        if line.is_empty() {
            return self.data.take();
        }
        // What begins with a colon is a comment.
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Events;

    const STREAM: &str = "\u{feff}: keep-alive\n\nevent: delta\ndata: {\"a\":\"zwölf\"}\n\n\
        data:two\ndata: lines\r\n\r\nid: 7\nretry\n\ndata\n\ndata: \u{1f600}\r\rdata: cut";

    const EXPECTED: [&str; 4] = ["{\"a\":\"zwölf\"}", "two\nlines", "", "\u{1f600}"];

    #[test]
    fn events_are_read_whole() {
        assert_eq!(Events::default().push(STREAM.as_bytes()), EXPECTED);
    }

    #[test]
    fn bytes_are_split_anywhere() {
        let bytes = STREAM.as_bytes();
        for at in 0..bytes.len() {
            let mut events = Events::default();
            let mut read = events.push(&bytes[..at]);
            read.extend(events.push(&bytes[at..]));
            assert_eq!(read, EXPECTED, "at {at}");
        }
        for size in 1..6 {
            let mut events = Events::default();
            let read = bytes.chunks(size).flat_map(|piece| events.push(piece));
            assert_eq!(read.collect::<Vec<_>>(), EXPECTED, "in pieces of {size}");
        }
    }

    #[test]
    fn an_event_without_its_end_is_none() {
        assert!(Events::default().push(b"data: half\n").is_empty());
    }
}
