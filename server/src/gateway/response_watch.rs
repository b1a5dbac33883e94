//! Finding the id of a response of the Responses API as it passes, so that whoever made it can be asked
//! for it again.
//!
//! The id stands at the beginning: of the JSON object, or of the first event's `response`. Only so much is
//! looked at, and of a compressed answer a decoded copy.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, header};

use super::encoding::Encoding;
use super::json;
use super::owners::{Owner, Owners};
use super::sse::Reader;

/// The id has to be within so many bytes, compressed or not.
const LOOKED_AT: usize = 64 * 1024;

#[derive(Debug)]
pub struct ResponseWatch {
    owners: Arc<Owners>,
    owner: Owner,
    is_stream: bool,
    encoding: Encoding,
    head: Vec<u8>,
    is_done: bool,
}

impl ResponseWatch {
    /// Watches an answer with these headers. Nothing when it could not be read.
    pub fn of(headers: &HeaderMap, owners: &Arc<Owners>, owner: Owner) -> Option<Self> {
        let encoding = Encoding::of(headers)?;
        let content_type = headers.get(header::CONTENT_TYPE)?.as_bytes();
        Some(Self {
            owners: Arc::clone(owners),
            owner,
            is_stream: content_type.starts_with(b"text/event-stream"),
            encoding,
            head: Vec::new(),
            is_done: false,
        })
    }

    pub fn push(&mut self, piece: &Bytes) {
        if self.is_done {
            return;
        }
        let room = LOOKED_AT.saturating_sub(self.head.len());
        self.head.extend(piece.iter().take(room));
        // A stream goes on for long, and its id is wanted while it does.
        if self.is_stream || self.head.len() >= LOOKED_AT {
            self.look();
        }
        self.is_done |= self.head.len() >= LOOKED_AT;
    }

    /// All of it has passed.
    pub fn finish(mut self) {
        if !self.is_done {
            self.look();
        }
    }

    fn look(&mut self) {
        let decoded = self.encoding.decode(&self.head, LOOKED_AT);
        let id = match self.is_stream {
            true => id_in_stream(&decoded),
            false => json::text_at(&decoded, "id").map(std::borrow::Cow::into_owned),
        };
        if let Some(id) = id {
            self.owners.note(&id, self.owner.clone());
            self.is_done = true;
            self.head = Vec::new();
        }
    }
}

fn id_in_stream(stream: &[u8]) -> Option<String> {
    let mut found = None;
    Reader::new(LOOKED_AT).push(stream, |event| {
        if found.is_none() {
            found = json::text_at(event.data, "response.id").map(std::borrow::Cow::into_owned);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use http::HeaderValue;
    use uuid::Uuid;

    use super::*;
    use crate::gateway::encoding::tests::encoded;
    use crate::gateway::owners::Archive;

    #[derive(Debug)]
    struct NoArchive;

    #[async_trait]
    impl Archive for NoArchive {
        async fn note(&self, _: &[(String, Owner)]) -> bool {
            true
        }
        async fn find(&self, _: &str) -> Option<Owner> {
            None
        }
        async fn forget(&self, _: &str) {}
        async fn prune(&self) {}
    }

    #[tokio::test]
    async fn the_id_is_found_in_every_encoding_and_however_it_is_cut() {
        let long = "x".repeat(3 * LOOKED_AT);
        let json = format!(r#"{{"id":"resp_1","object":"response","output":["{long}"]}}"#);
        let stream = format!(
            ": hello\n\nevent: response.created\ndata: {{\"type\":\"response.created\",\"response\":{{\"id\":\"resp_1\"}}}}\n\ndata: {{\"id\":\"other\",\"x\":\"{long}\"}}\n\n"
        );
        for (content_type, body) in [("application/json", json), ("text/event-stream", stream)] {
            for encoding in ["identity", "gzip", "deflate", "br", "zstd"] {
                for cut in [7, 10_000, usize::MAX] {
                    let headers = HeaderMap::from_iter([
                        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
                        (header::CONTENT_ENCODING, HeaderValue::from_static(encoding)),
                    ]);
                    let owner = Owner {
                        key: Uuid::nil(),
                        route: Uuid::nil(),
                        provider: Uuid::nil(),
                        instance: "http://h/v1".into(),
                        model: "m".into(),
                    };
                    let (owners, _backlog) = Owners::new(Arc::new(NoArchive));
                    let owners = Arc::new(owners);
                    let mut watch = ResponseWatch::of(&headers, &owners, owner.clone()).unwrap();
                    let bytes = encoded(body.as_bytes(), encoding);
                    for piece in bytes.chunks(cut) {
                        watch.push(&Bytes::copy_from_slice(piece));
                        assert!(watch.head.len() <= LOOKED_AT);
                    }
                    watch.finish();
                    let found = owners.find("resp_1").await;
                    assert_eq!(found, Some(owner), "{content_type} {encoding} {cut}");
                }
            }
        }
    }
}
