//! JSON for a reader who decides by words: compact, in plain UTF-8, and with a short note in place of
//! what is no words.
//!
//! Notes say type and size: `[image/png, 3145728 bytes]` for a data URI, wherever it stands in a text,
//! and `[binary, 3145728 bytes]` for Base64 under a key that holds such (its type stands beside it).
//! All of it reads borrowed slices once and keeps nothing.

use memchr::memmem;

use crate::gateway::json;

/// Keys whose values clients fill with Base64.
const BINARY_KEYS: [&[u8]; 6] = [
    b"data",
    b"file_data",
    b"b64_json",
    b"image_url",
    b"encrypted_content",
    b"signature",
];

/// Shorter values are left as they are: they may be words, and cost nothing.
const SHORTEST_BINARY: usize = 64;

/// The longest type of a data URI that is read as one, parameters included.
const LONGEST_TYPE: usize = 256;

/// Writes a value as compact JSON.
pub fn value(value: &[u8], write: &mut dyn FnMut(&str)) {
    tokens(value, 0, None, write);
}

/// How many bytes [`value`] writes.
pub fn length(of: &[u8]) -> usize {
    let mut length = 0;
    value(of, &mut |piece| length += piece.len());
    length
}

/// Writes a text as a JSON string.
pub fn quoted(text: &str, write: &mut dyn FnMut(&str)) {
    write("\"");
    escaped(text, write);
    write("\"");
}

/// How many bytes a character has within a JSON string.
pub fn width(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        '\0'..='\u{1f}' => 6,
        other => other.len_utf8(),
    }
}

/// Gives the text of a string (the inside of its quotes), with notes for what is no words.
pub fn text(inside: &[u8], key: Option<&[u8]>, give: &mut dyn FnMut(&str)) {
    if key.is_some_and(|key| BINARY_KEYS.contains(&key))
        && let Some(size) = base64_only(inside)
    {
        return give(&format!("[binary, {size} bytes]"));
    }
    let mut rest = inside;
    let mut from = 0;
    while let Some(found) = rest
        .get(from..)
        .and_then(|rest| memmem::find(rest, b"data:"))
    {
        let at = from + found;
        let is_whole = rest.len() == inside.len() && at == 0;
        let uri = rest.get(at..).unwrap_or_default();
        match data_uri(uri, is_whole) {
            Some((note, length)) => {
                json::unescape(rest.get(..at).unwrap_or_default(), give);
                give(&note);
                rest = rest.get(at + length..).unwrap_or_default();
                from = 0;
            }
            None => from = at + b"data:".len(),
        }
    }
    json::unescape(rest, give);
}

/// One value, token by token; answers where it ends. `key` is the member that it belongs to. The depth
/// of what comes here is bounded by the caller.
fn tokens(json: &[u8], start: usize, key: Option<&[u8]>, write: &mut dyn FnMut(&str)) -> usize {
    let mut at = json::space(json, start);
    let close = match json.get(at) {
        Some(b'{') => b'}',
        Some(b'[') => b']',
        Some(b'"') => {
            let end = json::value_end(json, at);
            let inside = json.get(at..end).and_then(json::string).unwrap_or_default();
            write("\"");
            text(inside, key, &mut |piece| escaped(piece, write));
            write("\"");
            return end;
        }
        _ => {
            let end = json::value_end(json, at).min(json.len());
            write(&String::from_utf8_lossy(
                json.get(at..end).unwrap_or_default(),
            ));
            return end.max(start + 1);
        }
    };
    let is_object = close == b'}';
    write(if is_object { "{" } else { "[" });
    at += 1;
    let mut is_first = true;
    loop {
        at = json::space(json, at);
        match json.get(at) {
            Some(b',') => {
                at += 1;
                continue;
            }
            Some(byte) if *byte == close => {
                at += 1;
                break;
            }
            Some(b'}' | b']' | b':') | None => break,
            Some(_) => {}
        }
        if !is_first {
            write(",");
        }
        is_first = false;
        if is_object {
            let end = json::value_end(json, at);
            let name = json.get(at..end).and_then(json::string).unwrap_or_default();
            write("\"");
            json::unescape(name, &mut |piece| escaped(piece, write));
            write("\":");
            at = json::space(json, end);
            if json.get(at) == Some(&b':') {
                at += 1;
            }
            at = tokens(json, at, Some(name), write);
        } else {
            at = tokens(json, at, key, write);
        }
    }
    write(if is_object { "}" } else { "]" });
    at
}

fn escaped(text: &str, write: &mut dyn FnMut(&str)) {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..=0x1f => "",
            _ => continue,
        };
        write(text.get(plain..at).unwrap_or_default());
        match escape {
            "" => write(&format!("\\u{byte:04x}")),
            short => write(short),
        }
        plain = at + 1;
    }
    write(text.get(plain..).unwrap_or_default());
}

/// A note for the data URI at the start, and how long that is. One that is not in Base64 ends where its
/// string ends, and so is only seen where it is all of that.
fn data_uri(text: &[u8], is_whole: bool) -> Option<(String, usize)> {
    let head = text.get(..text.len().min(LONGEST_TYPE)).unwrap_or_default();
    let comma = head.iter().position(|byte| *byte == b',')?;
    let kind = head.get(b"data:".len()..comma)?;
    let is_type = |byte: &u8| byte.is_ascii_graphic() && !b"\"'()<>[]{}".contains(byte);
    if !kind.iter().all(is_type) {
        return None;
    }
    let kind = json::unescaped(kind).into_owned();
    let data = text.get(comma + 1..).unwrap_or_default();
    let (encoded, size, length) = match kind.strip_suffix(";base64") {
        Some(kind) => {
            let (length, digits) = base64_run(data);
            (kind, digits / 4 * 3 + digits % 4 * 3 / 4, length)
        }
        None if is_whole && kind.contains('/') => (kind.as_str(), data.len(), data.len()),
        None => return None,
    };
    let name = match encoded.split(';').next() {
        Some("") | None => "data",
        Some(name) => name,
    };
    Some((format!("[{name}, {size} bytes]"), comma + 1 + length))
}

/// The size of what a string holds in Base64, if it holds nothing else.
fn base64_only(inside: &[u8]) -> Option<usize> {
    let (length, digits) = base64_run(inside);
    (length == inside.len() && digits >= SHORTEST_BINARY).then_some(digits * 3 / 4)
}

/// How far Base64 goes on, and how many digits it has. Some writers escape the slash.
fn base64_run(text: &[u8]) -> (usize, usize) {
    let (mut at, mut digits) = (0, 0);
    loop {
        match text.get(at) {
            Some(b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'-' | b'_') => {
                at += 1;
                digits += 1;
            }
            Some(b'=') => at += 1,
            Some(b'\\') => match text.get(at + 1) {
                Some(b'/') => {
                    at += 2;
                    digits += 1;
                }
                Some(b'n' | b'r') => at += 2,
                _ => return (at, digits),
            },
            _ => return (at, digits),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn rendered(json: &str) -> String {
        let mut written = String::new();
        value(json.as_bytes(), &mut |piece| written.push_str(piece));
        assert_eq!(length(json.as_bytes()), written.len());
        written
    }

    #[test]
    fn json_comes_out_compact_and_readable() {
        let table = [
            (
                " { \"a\" : [ 1 , true ,null ] , \"b\":{} } ",
                r#"{"a":[1,true,null],"b":{}}"#,
            ),
            (
                r#"["\u65e5\u672c \ud83d\ude00","a\/b","\u0001\n\"\\"]"#,
                r#"["日本 😀","a/b","\u0001\n\"\\"]"#,
            ),
            ("[]", "[]"),
            ("1e400", "1e400"),
        ];
        for (json, expected) in table {
            assert_eq!(rendered(json), expected);
        }
    }

    #[test]
    fn what_is_no_words_becomes_a_note() {
        let digits = "QUJD".repeat(100);
        let table = [
            (
                format!(r#""data:image/png;base64,{digits}""#),
                r#""[image/png, 300 bytes]""#,
            ),
            (
                format!(r#""data:image\/png;base64,{}""#, "ab\\/c".repeat(100)),
                r#""[image/png, 300 bytes]""#,
            ),
            (
                format!(
                    r#""See ![x](data:image/jpeg;base64,{digits}==) and data:;base64,QQ== too""#
                ),
                r#""See ![x]([image/jpeg, 300 bytes]) and [data, 1 bytes] too""#,
            ),
            (
                r#""data:text/plain;charset=utf-8,hello%20there""#.to_owned(),
                r#""[text/plain, 13 bytes]""#,
            ),
            (
                format!(r#"{{"type":"base64","media_type":"image/png","data":"{digits}"}}"#),
                r#"{"type":"base64","media_type":"image/png","data":"[binary, 300 bytes]"}"#,
            ),
            (format!(r#"{{"content":"{digits}"}}"#), ""),
            (r#"{"data":"short"}"#.to_owned(), ""),
            (r#""data: my notes, all of them""#.to_owned(), ""),
            (r#""metadata:a/b,c data:text/plain,x""#.to_owned(), ""),
        ];
        for (json, expected) in table {
            let expected = if expected.is_empty() {
                json.as_str()
            } else {
                expected
            };
            assert_eq!(rendered(&json), expected);
        }
    }

    proptest! {
        #[test]
        fn it_means_what_it_meant(text in any::<String>(), key in any::<String>()) {
            prop_assume!(!text.contains("data:"));
            let value = serde_json::json!({ key: [text, {"x": [[]]}], "n": -1.5 });
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            let back: Value = serde_json::from_str(&rendered(&pretty)).unwrap();
            prop_assert_eq!(back, value);
        }

        #[test]
        fn the_width_of_characters_is_known(text in any::<String>()) {
            let mut written = 0;
            quoted(&text, &mut |piece| written += piece.len());
            prop_assert_eq!(written, 2 + text.chars().map(width).sum::<usize>());
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(
            prop_oneof![any::<u8>(), prop::sample::select(b"{}[]\",:\\u data:/;base64,".to_vec())], 0..120,
        )) {
            length(&bytes);
        }
    }
}
