//! Lists by name, page after page.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use super::is_text;

/// Where a page ended: the name and id of its last item. Before everything by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    pub(super) name: String,
    pub(super) id: Uuid,
}

impl Cursor {
    pub fn new(name: impl Into<String>, id: Uuid) -> Self {
        Self {
            name: name.into(),
            id,
        }
    }

    /// Reads what `to_text` wrote; none for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (id, name) = bytes.split_first_chunk::<16>()?;
        let name = std::str::from_utf8(name).ok()?;
        is_text(name).then(|| Self::new(name, Uuid::from_bytes(*id)))
    }

    pub fn to_text(&self) -> String {
        URL_SAFE_NO_PAD.encode([self.id.as_bytes(), self.name.as_bytes()].concat())
    }
}

/// A part of a list: at most `limit` items after `after`.
#[derive(Clone, Debug)]
pub struct Slice {
    pub after: Cursor,
    pub limit: u32,
}

impl Slice {
    /// The whole list, for the gateway.
    pub(super) fn all() -> Self {
        Self {
            after: Cursor::default(),
            limit: u32::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_nothing_else_is_one() {
        let cursor = Cursor::new("Qwen/Qwen3-32B ü", Uuid::from_u128(7));
        assert_eq!(Cursor::parse(&cursor.to_text()), Some(cursor));
        for text in [
            "",
            "x",
            "%%%",
            "AAAA",
            "0123456789abcdef0123456789abcdef0\0",
        ] {
            assert_eq!(Cursor::parse(text), None, "{text:?}");
        }
        let zero = URL_SAFE_NO_PAD.encode([&[0_u8; 16][..], b"a\0b"].concat());
        assert_eq!(Cursor::parse(&zero), None);
    }
}
