//! Walking JSON by borrowed slices: what stands where, without a tree and without copies.
//!
//! All of it is for text that a parser has already found valid (see [`super::peek`]). On anything else
//! the walk ends early; it never panics and always goes forward.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// The members of an object, each key still escaped and without its quotes. Nothing for other values.
pub fn members(object: &[u8]) -> Members<'_> {
    let start = space(object, 0);
    let is_object = object.get(start) == Some(&b'{');
    Members {
        json: if is_object { object } else { &[] },
        at: start + 1,
    }
}

/// The items of an array. Nothing for other values.
pub fn items(array: &[u8]) -> Items<'_> {
    let start = space(array, 0);
    let is_array = array.get(start) == Some(&b'[');
    Items {
        json: if is_array { array } else { &[] },
        at: start + 1,
    }
}

/// The inside of a string, still escaped; `None` for other values.
pub fn string(value: &[u8]) -> Option<&[u8]> {
    let inside = value.trim_ascii().strip_prefix(b"\"")?;
    inside.strip_suffix(b"\"")
}

/// The value of the last member of this name, as parsers take it.
pub fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    members(object)
        .filter(|(key, _)| is(key, name))
        .map(|(_, value)| value)
        .last()
}

/// Whether an escaped text says this.
pub fn is(escaped: &[u8], text: &str) -> bool {
    escaped == text.as_bytes() || (memchr(b'\\', escaped).is_some() && unescaped(escaped) == text)
}

/// The text of an escaped one. What is no text, as half of a surrogate pair, becomes U+FFFD.
pub fn unescaped(escaped: &[u8]) -> Cow<'_, str> {
    if memchr(b'\\', escaped).is_none() {
        return String::from_utf8_lossy(escaped);
    }
    let mut text = String::with_capacity(escaped.len());
    unescape(escaped, &mut |piece| text.push_str(piece));
    Cow::Owned(text)
}

/// Gives the text of an escaped one piece by piece.
pub fn unescape(escaped: &[u8], give: &mut dyn FnMut(&str)) {
    let mut rest = escaped;
    while let Some(at) = memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at(at);
        if !plain.is_empty() {
            give(&String::from_utf8_lossy(plain));
        }
        let (character, length) = character(escape);
        give(character.encode_utf8(&mut [0; 4]));
        rest = escape.get(length..).unwrap_or_default();
    }
    if !rest.is_empty() {
        give(&String::from_utf8_lossy(rest));
    }
}

/// The string at a dotted path; nothing when there is none.
pub fn text_at<'a>(body: &'a [u8], path: &str) -> Option<Cow<'a, str>> {
    let value = path.split('.').try_fold(body, member)?;
    string(value).map(unescaped)
}

#[derive(Clone, Debug)]
pub struct Members<'a> {
    json: &'a [u8],
    at: usize,
}

#[derive(Clone, Debug)]
pub struct Items<'a> {
    json: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let start = next_entry(self.json, self.at)?;
        let end = value_end(self.json, start);
        let key = string(self.json.get(start..end)?)?;
        let colon = space(self.json, end);
        if self.json.get(colon) != Some(&b':') {
            self.json = &[];
            return None;
        }
        let value = space(self.json, colon + 1);
        self.at = value_end(self.json, value);
        Some((key, self.json.get(value..self.at)?))
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<Self::Item> {
        let start = next_entry(self.json, self.at)?;
        self.at = value_end(self.json, start);
        self.json.get(start..self.at)
    }
}

/// Where the next entry of a container begins; nothing at its end.
fn next_entry(json: &[u8], at: usize) -> Option<usize> {
    let mut start = space(json, at);
    if json.get(start) == Some(&b',') {
        start = space(json, start + 1);
    }
    match json.get(start)? {
        b'}' | b']' | b',' | b':' => None,
        _ => Some(start),
    }
}

/// The first place from `at` on that is no white space.
pub fn space(json: &[u8], at: usize) -> usize {
    let rest = json.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count()
}

/// Where the value that begins at `start` ends. Beyond `start` whatever stands there.
pub fn value_end(json: &[u8], start: usize) -> usize {
    match json.get(start) {
        Some(b'"') => string_end(json, start),
        Some(b'{' | b'[') => container_end(json, start),
        _ => {
            let rest = json.get(start..).unwrap_or_default();
            let ends = |byte: &u8| b",:]}".contains(byte) || byte.is_ascii_whitespace();
            start + rest.iter().position(ends).unwrap_or(rest.len()).max(1)
        }
    }
}

fn string_end(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = json.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if json.get(at) == Some(&b'"') {
            return at + 1;
        }
        at += 2;
    }
    json.len().max(start + 1)
}

fn container_end(json: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => {
                at = string_end(json, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    at
}

/// What an escape stands for, and its length in bytes.
fn character(escape: &[u8]) -> (char, usize) {
    let simple = |character| (character, 2);
    match escape.get(1) {
        Some(b'n') => simple('\n'),
        Some(b't') => simple('\t'),
        Some(b'r') => simple('\r'),
        Some(b'b') => simple('\u{8}'),
        Some(b'f') => simple('\u{c}'),
        Some(b'u') => match (unit(escape, 0), unit(escape, 6)) {
            (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
                let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                (
                    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
                    12,
                )
            }
            (Some(code), _) => (
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
                6,
            ),
            (None, _) => simple(char::REPLACEMENT_CHARACTER),
        },
        Some(itself) => simple(char::from(*itself)),
        None => (char::REPLACEMENT_CHARACTER, 1),
    }
}

/// The number of a `\uXXXX` at this place.
fn unit(escape: &[u8], at: usize) -> Option<u32> {
    let digits = escape.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn members_and_items_are_slices_of_the_text() {
        let body = br#" { "a" : [1, {"b":"]}\""} ,true ] ,"c":-1.5e3, "" : "" } "#;
        let found: Vec<_> = members(body)
            .map(|(key, value)| (unescaped(key), unescaped(value)))
            .collect();
        let expected = [
            ("a", r#"[1, {"b":"]}\""} ,true ]"#),
            ("c", "-1.5e3"),
            ("", "\"\""),
        ];
        assert_eq!(found.len(), 3);
        for ((key, value), (name, text)) in found.iter().zip(expected) {
            assert_eq!(key, name);
            assert_eq!(value, &unescaped(text.as_bytes()));
        }
        let array = member(body, "a").unwrap();
        let found: Vec<_> = items(array).collect();
        assert_eq!(found, [b"1".as_slice(), br#"{"b":"]}\""}"#, b"true"]);
        assert_eq!(
            items(b"[]").count() + members(b"{}").count() + items(b"{}").count(),
            0
        );
    }

    #[test]
    fn escapes_are_read_as_json_means_them() {
        let table = [
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r"A\u00e9 日 \ud83d\ude00", "Aé 日 😀"),
            (r"\ud83d x \ude00", "\u{fffd} x \u{fffd}"),
            (r"\ud83dA", "\u{fffd}A"),
            ("", ""),
        ];
        for (escaped, text) in table {
            assert_eq!(unescaped(escaped.as_bytes()), text);
        }
    }

    #[test]
    fn a_dotted_path_leads_to_a_string() {
        let body = br#"{"a":{"b":{"c":"x"}},"user":"u","n":3,"twice":"1","tw\u0069ce":"2"}"#;
        let table = [
            ("a.b.c", Some("x")),
            ("user", Some("u")),
            ("twice", Some("2")),
            ("n", None),
            ("a.b", None),
            ("a.x.c", None),
            ("user.c", None),
        ];
        for (path, expected) in table {
            assert_eq!(text_at(body, path).as_deref(), expected, "{path}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|map| json!(map)),
            ]
        })
    }

    fn rebuilt(text: &[u8]) -> Value {
        match text.first() {
            Some(b'{') => members(text)
                .map(|(key, value)| (unescaped(key).into_owned(), rebuilt(value)))
                .collect(),
            Some(b'[') => items(text).map(rebuilt).collect(),
            Some(b'"') => unescaped(string(text).unwrap()).into_owned().into(),
            _ => serde_json::from_slice(text).unwrap(),
        }
    }

    proptest! {
        #[test]
        fn a_walk_sees_what_a_parser_sees(value in any_json(), pretty in any::<bool>()) {
            let text = match pretty {
                true => serde_json::to_vec_pretty(&value).unwrap(),
                false => serde_json::to_vec(&value).unwrap(),
            };
            prop_assert_eq!(rebuilt(&text), value);
        }

        #[test]
        fn no_bytes_make_it_panic_or_stand_still(bytes in prop::collection::vec(
            prop_oneof![any::<u8>(), prop::sample::select(b"{}[]\",:\\u ".to_vec())], 0..200,
        )) {
            for (key, value) in members(&bytes) {
                let _ = (unescaped(key), items(value).count(), text_at(value, "a.b"));
            }
            prop_assert!(items(&bytes).count() <= bytes.len());
        }
    }
}
