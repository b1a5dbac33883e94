//! What was asked and answered, for routes whose records keep it: the beginning of each, in memory until
//! it is written down.

use bytes::Bytes;
use http::HeaderMap;

use super::budget::{BufferBudget, BufferLease};
use super::encoding::Encoding;

/// Of each of the two.
pub const MOST: usize = 256 * 1024;

#[derive(Debug)]
pub struct Bodies {
    asked: Part,
    answered: Part,
    /// Nothing for an answer that cannot be read.
    encoding: Option<Encoding>,
    lease: BufferLease,
}

#[derive(Debug, Default)]
struct Part {
    bytes: Vec<u8>,
    is_cut: bool,
}

/// One of the two, as text.
#[derive(Debug, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// There was more.
    pub is_cut: bool,
}

impl Bodies {
    /// `asked` where it is text.
    pub fn begin(asked: Option<&Bytes>, budget: &BufferBudget) -> Self {
        let mut bodies = Self {
            asked: Part::default(),
            answered: Part::default(),
            encoding: None,
            lease: budget.lease(),
        };
        if let Some(asked) = asked {
            bodies.asked.push(asked, &mut bodies.lease);
        }
        bodies
    }

    /// The head of the answer is there.
    pub fn head(&mut self, headers: &HeaderMap) {
        self.encoding = Encoding::of(headers);
    }

    /// The next piece of the answer.
    pub fn hear(&mut self, piece: &[u8]) {
        self.answered.push(piece, &mut self.lease);
    }

    pub fn asked(&self) -> Text {
        Text::of(&self.asked.bytes, self.asked.is_cut)
    }

    pub fn answered(&self) -> Text {
        let Part { bytes, is_cut } = &self.answered;
        match self.encoding {
            Some(Encoding::Identity) => Text::of(bytes, *is_cut),
            Some(encoding) => {
                let decoded = encoding.decode(bytes, MOST);
                Text::of(&decoded, *is_cut || decoded.len() == MOST)
            }
            None => Text::of(&[], !bytes.is_empty()),
        }
    }
}

impl Part {
    /// Keeps as much of it as there is room for, here and in the budget.
    fn push(&mut self, piece: &[u8], lease: &mut BufferLease) {
        let room = MOST.saturating_sub(self.bytes.len());
        let kept = piece.get(..room).unwrap_or(piece);
        if self.is_cut || !lease.grow(kept.len() as u64) {
            self.is_cut = true;
            return;
        }
        self.bytes.extend_from_slice(kept);
        self.is_cut = kept.len() < piece.len();
    }
}

impl Text {
    fn of(bytes: &[u8], is_cut: bool) -> Self {
        Self {
            text: String::from_utf8_lossy(bytes).into_owned(),
            is_cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, header};

    use super::*;
    use crate::gateway::encoding::tests::encoded;

    fn headers(encoding: &'static str) -> HeaderMap {
        let encoding = HeaderValue::from_static(encoding);
        HeaderMap::from_iter([(header::CONTENT_ENCODING, encoding)])
    }

    #[test]
    fn compressed_answers_are_kept_as_text() {
        for encoding in ["identity", "gzip", "br", "zstd"] {
            let asked = Bytes::from_static(b"{\"model\":\"a\"}");
            let mut bodies = Bodies::begin(Some(&asked), &BufferBudget::new(1 << 20));
            bodies.head(&headers(encoding));
            for piece in encoded("für alle".as_bytes(), encoding).chunks(3) {
                bodies.hear(piece);
            }
            let whole = |text: &str| Text {
                text: text.to_owned(),
                is_cut: false,
            };
            assert_eq!(bodies.asked(), whole("{\"model\":\"a\"}"));
            assert_eq!(bodies.answered(), whole("für alle"), "{encoding}");
        }
    }

    #[test]
    fn only_the_beginning_is_kept_and_never_more_than_the_budget() {
        let budget = BufferBudget::new(MOST as u64 + 10);
        let long = Bytes::from(vec![b'x'; MOST + 1]);
        let mut bodies = Bodies::begin(Some(&long), &budget);
        bodies.head(&HeaderMap::new());
        assert_eq!(
            (bodies.asked().text.len(), bodies.asked().is_cut),
            (MOST, true)
        );
        bodies.hear(b"12345");
        bodies.hear(b"1234567");
        bodies.hear(b"1");
        let answered = Text {
            text: "12345".to_owned(),
            is_cut: true,
        };
        assert_eq!(bodies.answered(), answered);
        drop(bodies);
        assert!(
            budget.lease().grow(MOST as u64 + 10),
            "it is all given back"
        );
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let mut bodies = Bodies::begin(None, &BufferBudget::new(100));
        bodies.head(&headers("x-own"));
        bodies.hear(b"abc");
        let nothing = Text {
            text: String::new(),
            is_cut: true,
        };
        assert_eq!(bodies.answered(), nothing);
    }
}
