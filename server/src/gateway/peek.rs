//! A look at the few top-level fields that routing needs, without building a tree of the body.
//!
//! The body is walked once by serde_json, which skips what nobody asked for without recursion and
//! without copying; the walk remembers where the value of `model` stands so that it alone can be
//! replaced ([`super::splice`]) and every other byte goes upstream as it came.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::{GatewayError, shorten};
use super::splice::Edit;

/// Deeper nesting is refused: no model API needs it, and parsers behind us would fall over it.
const DEEPEST: usize = 1_024;

/// What a JSON body says at its top level.
#[derive(Debug, PartialEq, Eq)]
pub struct Peek {
    /// The value of `model`, unescaped.
    pub model: String,
    /// Where that value stands in the body, quotes included.
    pub model_span: Range<usize>,
    /// How many levels the body is nested, itself included.
    pub depth: usize,
    /// How to ask a stream for its usage; nothing where it is no stream, or says itself whether it does.
    pub ask_usage: Option<Edit>,
}

/// Reads the top level of a JSON body.
///
/// Errors, all 400: no object, not JSON, nested too deep, no `model`, `model` not a string, or given
/// twice (keys are compared unescaped, so `"mod\u0065l"` counts), also in another case.
pub fn peek(body: &[u8]) -> Result<Peek, GatewayError> {
    let depth = refuse_deep_nesting(body)?;
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let top = deserializer
        .deserialize_map(TopLevel)
        .and_then(|top| deserializer.end().map(|()| top))
        .map_err(|error| not_an_object(body, &error))?;
    if top.has_look_alike {
        return Err(GatewayError::bad_request(
            "duplicate_model",
            "The body has a top-level key that differs from `model` by case only, which some servers \
             take for it. Write `model`, once.",
        )
        .about("model"));
    }
    let raw = match top.models.as_slice() {
        [] => {
            return Err(GatewayError::bad_request(
                "missing_model",
                "The body has no `model`. Name the route there, as in {\"model\": \"my-route\", …}.",
            )
            .about("model"));
        }
        [one] => one.get(),
        _ => {
            return Err(GatewayError::bad_request(
                "duplicate_model",
                "The body has more than one top-level `model`. Keep one.",
            )
            .about("model"));
        }
    };
    let model = serde_json::from_str::<Cow<'_, str>>(raw).map_err(|_| {
        GatewayError::bad_request(
            "invalid_model",
            format!(
                "`model` must be a string that names a route, not {}.",
                shorten(raw)
            ),
        )
        .about("model")
    })?;
    // `raw` is a slice of `body`, so the distance of their starts is its place.
    let start = raw.as_ptr() as usize - body.as_ptr() as usize;
    let model_span = start..start + raw.len();
    Ok(Peek {
        model: model.into_owned(),
        ask_usage: ask_usage(body, &top, model_span.end),
        model_span,
        depth,
    })
}

/// What is written to ask for usage: into the options that there are, or beside the model.
fn ask_usage(body: &[u8], top: &Seen<'_>, after_model: usize) -> Option<Edit> {
    if top.stream? != "true" {
        return None;
    }
    let Some(options) = top.stream_options else {
        return Some(Edit {
            at: after_model,
            text: r#","stream_options":{"include_usage":true}"#,
        });
    };
    // Anything but an object the upstream refuses, and says so.
    let inside = options.strip_prefix('{')?;
    let keys: BTreeMap<Cow<'_, str>, IgnoredAny> = serde_json::from_str(options).ok()?;
    if keys.contains_key("include_usage") || top.has_two_stream_options {
        return None;
    }
    Some(Edit {
        at: inside.as_ptr() as usize - body.as_ptr() as usize,
        text: match keys.is_empty() {
            true => r#""include_usage":true"#,
            false => r#""include_usage":true,"#,
        },
    })
}

struct TopLevel;

struct Seen<'a> {
    models: Vec<&'a RawValue>,
    stream: Option<&'a str>,
    stream_options: Option<&'a str>,
    has_two_stream_options: bool,
    /// There is a key that some parsers take for `model`.
    has_look_alike: bool,
}

impl<'de> Visitor<'de> for TopLevel {
    type Value = Seen<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut seen = Seen {
            models: Vec::new(),
            stream: None,
            stream_options: None,
            has_two_stream_options: false,
            has_look_alike: false,
        };
        while let Some(key) = map.next_key::<Key>()? {
            match key {
                Key::Model if seen.models.len() < 2 => seen.models.push(map.next_value()?),
                Key::Stream => seen.stream = Some(map.next_value::<&RawValue>()?.get()),
                Key::StreamOptions => {
                    let options = map.next_value::<&RawValue>()?.get();
                    seen.has_two_stream_options |= seen.stream_options.replace(options).is_some();
                }
                Key::Model | Key::LooksAlike | Key::Other => {
                    seen.has_look_alike |= key == Key::LooksAlike;
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(seen)
    }
}

/// A key, unescaped. Read as bytes because JSON allows escaped lone surrogates, which no `str` can hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Model,
    Stream,
    StreamOptions,
    /// `model` to parsers that ignore case, as those of Go and .NET do.
    LooksAlike,
    Other,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyBytes;
        impl Visitor<'_> for KeyBytes {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Key, E> {
                Ok(if bytes == b"model" {
                    Key::Model
                } else if bytes == b"stream" {
                    Key::Stream
                } else if bytes == b"stream_options" {
                    Key::StreamOptions
                } else if bytes.eq_ignore_ascii_case(b"model") {
                    Key::LooksAlike
                } else {
                    Key::Other
                })
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Key, E> {
                self.visit_bytes(text.as_bytes())
            }
        }
        deserializer.deserialize_bytes(KeyBytes)
    }
}

fn not_an_object(body: &[u8], error: &serde_json::Error) -> GatewayError {
    if body.trim_ascii().is_empty() {
        return GatewayError::bad_request(
            "invalid_json",
            "The body is empty. Send a JSON object with `model` and what the endpoint asks for.",
        );
    }
    if error.is_data() {
        return GatewayError::bad_request(
            "invalid_json",
            "The body must be a JSON object, as in {\"model\": \"my-route\", …}.",
        );
    }
    GatewayError::bad_request(
        "invalid_json",
        format!(
            "The body is not valid JSON at line {}, column {}.",
            error.line(),
            error.column()
        ),
    )
}

/// How many levels a JSON text is nested, as far as it is let in.
pub fn depth(body: &[u8]) -> usize {
    refuse_deep_nesting(body).unwrap_or(usize::MAX)
}

/// What follows the string whose first quote is behind; nothing when it does not end.
fn after_string(mut inside: &[u8]) -> &[u8] {
    // Most of a prompt is text, which memchr passes over many bytes at a time.
    while let Some(at) = memchr::memchr2(b'"', b'\\', inside) {
        let is_end = inside.get(at) == Some(&b'"');
        let next = if is_end { at + 1 } else { at + 2 };
        inside = inside.get(next..).unwrap_or_default();
        if is_end {
            return inside;
        }
    }
    &[]
}

/// Counts brackets outside strings; one pass, no allocation. Answers the deepest level.
fn refuse_deep_nesting(body: &[u8]) -> Result<usize, GatewayError> {
    let mut depth = 0_usize;
    let mut deepest = 0;
    let mut bytes = body.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
                if depth > DEEPEST {
                    return Err(GatewayError::bad_request(
                        "nested_too_deep",
                        format!("The body is nested deeper than {DEEPEST} levels."),
                    ));
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => bytes = after_string(bytes.as_slice()).iter(),
            _ => {}
        }
    }
    Ok(deepest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refusal(body: &str) -> &'static str {
        let error = peek(body.as_bytes()).unwrap_err();
        assert_eq!(error.status, 400);
        assert!(error.message.len() > 20, "{}", error.message);
        error.code
    }

    #[test]
    fn the_top_level_model_is_found_however_it_is_spelled() {
        let table = [
            (r#"{"model":"qwen3"}"#, r#""qwen3""#),
            ("{ \"n\":1e400,\t\"model\"\n:\t\"qwen3\" }", r#""qwen3""#),
            (
                r#"{"messages":[{"model":"a","content":"\"model\":\"b\""}],"model":"qwen3","model_x":"c"}"#,
                r#""qwen3""#,
            ),
            (
                r#"{"\ud800":1,"mod\u0065l":"q\u0077en3"}"#,
                r#""q\u0077en3""#,
            ),
        ];
        for (body, value) in table {
            let peek = peek(body.as_bytes()).unwrap();
            assert_eq!(peek.model, "qwen3", "{body}");
            assert_eq!(&body[peek.model_span], value, "{body}");
        }
    }

    #[test]
    fn bad_bodies_are_refused_with_their_own_code() {
        let deep = format!(
            "{{\"model\":\"a\",\"x\":{}{}}}",
            "[".repeat(20_000),
            "]".repeat(20_000)
        );
        let table = [
            ("", "invalid_json"),
            ("  \n", "invalid_json"),
            ("hello", "invalid_json"),
            ("[]", "invalid_json"),
            ("\"model\"", "invalid_json"),
            ("{\"model\":\"a\"} x", "invalid_json"),
            ("{\"model\":\"a\"", "invalid_json"),
            ("{\"model\":\"a\",}", "invalid_json"),
            ("{}", "missing_model"),
            ("{\"Model\":\"a\"}", "duplicate_model"),
            ("{\"model\":\"a\",\"MODE\\u004c\":\"b\"}", "duplicate_model"),
            ("{\"model\":null}", "invalid_model"),
            ("{\"model\":3}", "invalid_model"),
            ("{\"model\":{\"model\":\"a\"}}", "invalid_model"),
            ("{\"model\":\"\\ud800\"}", "invalid_model"),
            ("{\"model\":\"a\",\"model\":\"a\"}", "duplicate_model"),
            ("{\"model\":\"a\",\"mod\\u0065l\":\"b\"}", "duplicate_model"),
            (
                "{\"model\":\"a\",\"model\":1,\"model\":\"c\"}",
                "duplicate_model",
            ),
            (deep.as_str(), "nested_too_deep"),
        ];
        for (body, code) in table {
            assert_eq!(refusal(body), code, "{}", &body[..body.len().min(60)]);
        }
    }

    #[test]
    fn brackets_in_strings_are_not_nesting() {
        let body = format!(
            "{{\"model\":\"a\",\"x\":\"{}\\\"{}\"}}",
            "[".repeat(5_000),
            "{".repeat(5_000)
        );
        let peek = peek(body.as_bytes()).unwrap();
        assert_eq!((peek.model.as_str(), peek.depth), ("a", 1));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(body in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = peek(&body);
        }
    }
}
