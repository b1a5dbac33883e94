//! Where a request says which session it belongs to: an ordered chain, of which the first match wins.
//!
//! A key is a request header, which counts on every path, or a string in the JSON body, which counts on
//! paths that end in one of `body_paths` (`*` means every path). Values are trimmed. One that is blank,
//! absent or no string is no match, and the next key is tried.

use std::borrow::Cow;

use crate::draft::SessionKeyDraft;
use crate::settings::SessionAffinity;

/// The chain of a route, ready to be asked once a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionKeys {
    keys: Vec<Source>,
    body_paths: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Header(String),
    /// A dotted path.
    Body(String),
}

impl From<&SessionAffinity> for SessionKeys {
    fn from(settings: &SessionAffinity) -> Self {
        let source = |key: &SessionKeyDraft| match (&key.header, &key.body) {
            (Some(header), _) => Some(Source::Header(header.clone())),
            (None, Some(path)) => Some(Source::Body(path.clone())),
            (None, None) => None,
        };
        Self {
            keys: settings.keys.iter().filter_map(source).collect(),
            body_paths: settings.body_paths.clone(),
        }
    }
}

impl SessionKeys {
    /// The body keys, as dotted paths, that have to be looked up before the session is known: those
    /// that count on this path and stand before the first header that matches.
    pub fn wanted_of_body<'h>(
        &self,
        path: &str,
        header: impl Fn(&str) -> Option<Cow<'h, str>>,
    ) -> Vec<&str> {
        if !self.body_counts_on(path) {
            return Vec::new();
        }
        let matches = |name: &str| header(name).and_then(trimmed).is_some();
        self.keys
            .iter()
            .take_while(|key| !matches!(key, Source::Header(name) if matches(name)))
            .filter_map(|key| match key {
                Source::Body(path) => Some(path.as_str()),
                Source::Header(_) => None,
            })
            .collect()
    }

    /// The session key of a request to `path`, and where in the chain it was found. `header` gives a header's value by its name in lower
    /// case, `body` the string at a dotted path of a JSON body.
    pub fn find<'r>(
        &self,
        path: &str,
        header: impl Fn(&str) -> Option<Cow<'r, str>>,
        body: impl Fn(&str) -> Option<Cow<'r, str>>,
    ) -> Option<(usize, Cow<'r, str>)> {
        let body_counts = self.body_counts_on(path);
        self.keys.iter().enumerate().find_map(|(place, key)| {
            let value = match key {
                Source::Header(name) => header(name),
                Source::Body(path) if body_counts => body(path),
                Source::Body(_) => None,
            };
            Some((place, value.and_then(trimmed)?))
        })
    }

    /// What stands at a place of the chain.
    pub fn source(&self, place: usize) -> Option<SessionKeyDraft> {
        let source = self.keys.get(place)?;
        Some(match source.clone() {
            Source::Header(name) => SessionKeyDraft {
                header: Some(name),
                body: None,
            },
            Source::Body(path) => SessionKeyDraft {
                header: None,
                body: Some(path),
            },
        })
    }

    fn body_counts_on(&self, path: &str) -> bool {
        self.body_paths
            .iter()
            .any(|end| end == "*" || path.ends_with(end.as_str()))
    }
}

/// The value without white space around it; nothing when that is all it has.
fn trimmed(value: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let value = match value {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) if text.trim().len() == text.len() => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// The session of a request with these headers and this body.
    fn session(keys: &SessionKeys, path: &str, headers: &Value, body: &Value) -> Option<String> {
        let header = |name: &str| headers[name].as_str().map(|text| text.to_owned().into());
        let at = |path: &str| {
            let value = path
                .split('.')
                .try_fold(body, |value, name| value.get(name))?;
            value.as_str().map(|text| text.to_owned().into())
        };
        let found = keys.find(path, header, at);
        // What is looked up beforehand is enough to come to the same answer.
        let wanted = keys.wanted_of_body(path, header);
        let only_wanted = |path: &str| wanted.contains(&path).then(|| at(path)).flatten();
        assert_eq!(keys.find(path, header, only_wanted), found);
        let (place, key) = found?;
        let source = keys.source(place).unwrap();
        let by_header = source.header.as_deref().and_then(header);
        let by_body = source.body.as_deref().and_then(at);
        let value = by_header.or(by_body).unwrap();
        assert_eq!(value.trim(), key, "the place is where it was found");
        Some(key.into_owned())
    }

    fn keys(chain: Value, body_paths: &[&str]) -> SessionKeys {
        SessionKeys::from(&SessionAffinity {
            keys: serde_json::from_value(chain).unwrap(),
            body_paths: body_paths.iter().map(|path| (*path).to_owned()).collect(),
            ..SessionAffinity::default()
        })
    }

    #[test]
    fn the_first_key_of_the_default_chain_that_is_present_wins() {
        let keys = SessionKeys::from(&SessionAffinity::default());
        let all = json!({"session-id": "a", "x-client-request-id": "b"});
        let second = json!({"x-client-request-id": "b"});
        let none = json!({});
        let body = json!({"prompt_cache_key": "c"});
        let table = [
            ("/v1/responses", &all, Some("a")),
            ("/v1/responses", &second, Some("b")),
            ("/v1/responses", &none, Some("c")),
            ("/v1/messages", &none, Some("c")),
            ("/v1/chat/completions", &none, None),
            ("/v1/chat/completions", &second, Some("b")),
            ("/v1/messages/count_tokens", &none, None),
        ];
        for (path, headers, expected) in table {
            assert_eq!(
                session(&keys, path, headers, &body).as_deref(),
                expected,
                "{path}"
            );
        }
    }

    #[test]
    fn what_is_blank_or_no_string_falls_through() {
        let keys = keys(
            json!([{"header": "h"}, {"body": "a"}, {"body": "metadata.user_id"}]),
            &["*"],
        );
        let table = [
            (json!({"h": " \t"}), json!({"a": " x "}), Some("x")),
            (
                json!({}),
                json!({"a": 7, "metadata": {"user_id": "u"}}),
                Some("u"),
            ),
            (
                json!({}),
                json!({"a": "\u{3000}", "metadata": {"user_id": "u"}}),
                Some("u"),
            ),
            (
                json!({}),
                json!({"a": null, "metadata": {"user_id": ["u"]}}),
                None,
            ),
            (
                json!({}),
                json!({"metadata": "u", "metadata.user_id": "u"}),
                None,
            ),
            (json!({}), json!([]), None),
            (json!({"h": " s "}), Value::Null, Some("s")),
        ];
        for (headers, body, expected) in table {
            let found = session(&keys, "/anything", &headers, &body);
            assert_eq!(found.as_deref(), expected, "{headers} {body}");
        }
    }

    #[test]
    fn a_body_key_may_stand_before_a_header() {
        let keys = keys(
            json!([{"body": "user"}, {"header": "session-id"}]),
            &["/chat/completions"],
        );
        let headers = json!({"session-id": "s"});
        let body = json!({"user": "u"});
        let at = |path| session(&keys, path, &headers, &body);
        assert_eq!(at("/v1/chat/completions").as_deref(), Some("u"));
        assert_eq!(at("/v1/responses").as_deref(), Some("s"));
    }

    #[test]
    fn a_body_is_not_looked_into_without_need() {
        let keys = SessionKeys::from(&SessionAffinity::default());
        let with_session = |name: &str| (name == "session-id").then_some(Cow::Borrowed("s"));
        assert!(
            keys.wanted_of_body("/v1/responses", with_session)
                .is_empty()
        );
        assert!(
            keys.wanted_of_body("/v1/chat/completions", |_| None)
                .is_empty()
        );
        assert_eq!(
            keys.wanted_of_body("/v1/responses", |_| None),
            ["prompt_cache_key"]
        );
    }

    proptest! {
        /// Against the rule word by word: the first of the chain that shows something counts.
        #[test]
        fn the_first_of_the_chain_that_matches_wins(
            chain in proptest::collection::vec((any::<bool>(), "[abc]"), 1..5),
            headers in proptest::collection::btree_map("[abc]", "[ x]{0,3}", 0..3),
            body in proptest::collection::btree_map("[abc]", "[ y]{0,3}", 0..3),
            body_counts in any::<bool>(),
        ) {
            let path = if body_counts { "/v1/responses" } else { "/v1/chat/completions" };
            let mut entries: Vec<Value> = Vec::new();
            for (is_header, name) in &chain {
                let entry = if *is_header { json!({"header": name}) } else { json!({"body": name}) };
                if !entries.contains(&entry) {
                    entries.push(entry);
                }
            }
            let shown = |entry: &Value| {
                let (of, name) = match (&entry["header"], &entry["body"]) {
                    (Value::String(name), _) => (&headers, name),
                    (_, Value::String(name)) if body_counts => (&body, name),
                    _ => return None,
                };
                let value = of.get(name)?.trim();
                (!value.is_empty()).then(|| value.to_owned())
            };
            let expected = entries.iter().find_map(shown);
            let keys = keys(Value::Array(entries), &["/responses"]);
            let found = session(&keys, path, &json!(headers), &json!(body));
            prop_assert_eq!(found, expected);
        }
    }
}
