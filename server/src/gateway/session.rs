//! Which session a request belongs to: a header or a string in its body, by the route's chain.

use std::borrow::Cow;

use http::HeaderMap;
use routing::SessionKeys;

use super::facts::Asked;
use super::{json, off_async_if_large};

/// A session key, and where in the route's chain it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub key: String,
    pub place: usize,
}

/// The session key, if the request shows one. A body is looked into only when no header before its keys
/// matches.
pub async fn find(keys: &SessionKeys, asked: Asked<'_>) -> Option<Session> {
    let header = |name: &str| text(asked.headers, name);
    let wanted = keys.wanted_of_body(asked.path, header);
    let mut found = Vec::new();
    if let Some(body) = asked.body.filter(|_| !wanted.is_empty()) {
        let paths: Vec<String> = wanted.iter().map(|path| (*path).to_owned()).collect();
        let look = move |body: &[u8]| look_up(body, paths);
        found = off_async_if_large(body, look).await.unwrap_or_default();
    }
    let in_body = |path: &str| {
        let (_, value) = found.iter().find(|(looked_up, _)| looked_up == path)?;
        value.as_deref().map(Cow::Borrowed)
    };
    let (place, key) = keys.find(asked.path, header, in_body)?;
    Some(Session {
        key: key.into_owned(),
        place,
    })
}

/// Each path with the string that stands there.
fn look_up(body: &[u8], paths: Vec<String>) -> Vec<(String, Option<String>)> {
    paths
        .into_iter()
        .map(|path| {
            let value = json::text_at(body, &path).map(bounded);
            (path, value)
        })
        .collect()
}

/// A key as long as a body would be hashed again and again: its digest tells sessions apart as well.
fn bounded(value: Cow<'_, str>) -> String {
    const LONGEST: usize = 1_024;
    let value = value.trim();
    if value.len() <= LONGEST {
        return value.to_owned();
    }
    blake3::hash(value.as_bytes()).to_string()
}

/// The first value of a header that is not blank.
fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<Cow<'h, str>> {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| std::str::from_utf8(value.as_bytes()).ok())
        .find(|value| !value.trim().is_empty())
        .map(Cow::Borrowed)
}
