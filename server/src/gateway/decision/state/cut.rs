//! Cutting texts at characters, so that what is left fits as a JSON string.

use crate::gateway::decision::render;

/// Stands where something was cut out; three bytes, also in JSON.
const GAP: &str = "…";

/// The start of a text as a JSON string of at most `most` bytes, quotes included.
pub(super) fn head(text: &str, most: usize) -> String {
    let start = start(text, most.saturating_sub(2 + GAP.len()));
    let mut cut = String::with_capacity(most);
    render::quoted(start, &mut |piece| cut.push_str(piece));
    if start.len() < text.len() {
        // Before the closing quote.
        cut.insert_str(cut.len() - 1, GAP);
    }
    cut
}

/// The start of a text that takes at most `room` bytes within a JSON string.
fn start(text: &str, room: usize) -> &str {
    let mut left = room;
    for (at, character) in text.char_indices() {
        match left.checked_sub(render::width(character)) {
            Some(rest) => left = rest,
            None => return text.get(..at).unwrap_or_default(),
        }
    }
    text
}

/// The end of a text that takes at most `room` bytes within a JSON string.
fn end(text: &str, room: usize) -> &str {
    let mut left = room;
    let mut from = text.len();
    for (at, character) in text.char_indices().rev() {
        match left.checked_sub(render::width(character)) {
            Some(rest) => left = rest,
            None => break,
        }
        from = at;
    }
    text.get(from..).unwrap_or_default()
}

/// The last of a text, at most so many bytes.
fn last(text: &str, bytes: usize) -> &str {
    let from = text.ceil_char_boundary(text.len().saturating_sub(bytes));
    text.get(from..).unwrap_or_default()
}

/// The start and the end of a text that comes in pieces and may be of any length.
#[derive(Debug)]
pub(super) struct Ends {
    /// Bytes of the whole as a JSON string, quotes included.
    most: usize,
    start: String,
    /// What came after the start, or the last of it.
    end: String,
    is_cut: bool,
}

impl Ends {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            start: String::new(),
            end: String::new(),
            is_cut: false,
        }
    }

    pub(super) fn push(&mut self, piece: &str) {
        let mut rest = piece;
        if self.end.is_empty() && self.start.len() < self.most {
            let fits = rest.floor_char_boundary(self.most - self.start.len());
            let (fitting, beyond) = rest.split_at(fits);
            self.start.push_str(fitting);
            rest = beyond;
        }
        if rest.len() > self.most {
            // Longer than all that is kept of an end.
            self.is_cut = true;
            self.end.clear();
            rest = last(rest, self.most);
        }
        self.end.push_str(rest);
        if self.end.len() > 2 * self.most {
            self.is_cut = true;
            self.end = last(&self.end, self.most).to_owned();
        }
    }

    /// As a JSON string.
    pub(super) fn quoted(self) -> String {
        let mut quoted = String::with_capacity(self.most);
        let mut write = |piece: &str| quoted.push_str(piece);
        let all = || self.start.chars().chain(self.end.chars());
        let room = self.most.saturating_sub(2);
        if !self.is_cut && all().map(render::width).sum::<usize>() <= room {
            render::quoted(&format!("{}{}", self.start, self.end), &mut write);
            return quoted;
        }
        let half = room.saturating_sub(GAP.len()) / 2;
        let first = start(&self.start, half);
        // A text of wide characters may be too long and still have all of it in its start.
        let last = match end(&self.end, half) {
            short if !self.is_cut && short.len() == self.end.len() => {
                let left = half - short.chars().map(render::width).sum::<usize>();
                let rest = self.start.get(first.len()..).unwrap_or_default();
                format!("{}{short}", end(rest, left))
            }
            enough => enough.to_owned(),
        };
        render::quoted(&format!("{first}{GAP}{last}"), &mut write);
        quoted
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ends(text: &str, most: usize, piece: usize) -> String {
        let mut ends = Ends::new(most);
        let characters: Vec<char> = text.chars().collect();
        for piece in characters.chunks(piece.max(1)) {
            ends.push(&piece.iter().collect::<String>());
        }
        ends.quoted()
    }

    #[test]
    fn a_start_is_cut_at_a_character() {
        assert_eq!(head("hello", 7), "\"hello\"".replace("hello", "he…"));
        assert_eq!(head("hello", 10), "\"hello\"");
        assert_eq!(head("日本語", 12), "\"日本…\"");
        assert_eq!(head("\n\n\n\n", 10), "\"\\n\\n…\"");
    }

    #[test]
    fn a_long_text_keeps_its_start_and_its_end() {
        assert_eq!(ends("abcdefghij", 9, 3), "\"ab…ij\"");
        assert_eq!(ends("abcdefghij", 12, 3), "\"abcdefghij\"");
        let long = format!("START{}END", "x".repeat(1_000_000));
        let cut = ends(&long, 101, 10_000);
        assert!(
            cut.starts_with("\"STARTx") && cut.ends_with("xEND\""),
            "{cut}"
        );
        assert!((97..=101).contains(&cut.len()));
    }

    proptest! {
        #[test]
        fn what_is_left_fits_and_is_of_the_text(
            text in "(\\PC|\n|\"|日){0,60}", most in 12_usize..120, piece in 1_usize..20,
        ) {
            let whole = serde_json::to_string(&text).unwrap();
            for cut in [head(&text, most), ends(&text, most, piece)] {
                prop_assert!(cut.len() <= most);
                let read: String = serde_json::from_str(&cut).unwrap();
                if whole.len() + 3 <= most {
                    prop_assert_eq!(&read, &text);
                } else if read != text {
                    let (start, end) = read.rsplit_once('…').unwrap();
                    prop_assert!(text.starts_with(start) && text.ends_with(end));
                }
            }
        }
    }
}
