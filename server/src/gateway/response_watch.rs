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
use super::sse::{self, Reader};

/// The id has to be within so many bytes, compressed or not.
const LOOKED_AT: usize = 64 * 1024;

#[derive(Debug)]
pub struct ResponseWatch {
    owners: Arc<Owners>,
    owner: Owner,
    is_stream: bool,
    encoding: Encoding,
    /// Of a stream that can be read as it passes.
    events: Reader,
    /// Of all others, what has passed so far.
    head: Vec<u8>,
    looked_at: usize,
    is_done: bool,
}

impl ResponseWatch {
    /// Watches an answer with these headers. Nothing when it could not be read.
    pub fn of(headers: &HeaderMap, owners: &Arc<Owners>, owner: Owner) -> Option<Self> {
        let encoding = Encoding::of(headers)?;
        headers.get(header::CONTENT_TYPE)?;
        Some(Self {
            owners: Arc::clone(owners),
            owner,
            is_stream: sse::is_event_stream(headers),
            encoding,
            events: Reader::new(LOOKED_AT),
            head: Vec::new(),
            looked_at: 0,
            is_done: false,
        })
    }

    pub fn push(&mut self, piece: &Bytes) {
        if self.is_done {
            return;
        }
        let room = LOOKED_AT.saturating_sub(self.looked_at).min(piece.len());
        let piece = piece.get(..room).unwrap_or_default();
        self.looked_at += room;
        let is_over = self.looked_at >= LOOKED_AT;
        // A stream goes on for long, and its id is wanted while it does.
        if self.is_stream && self.encoding == Encoding::Identity {
            let id = id_in_stream(&mut self.events, piece);
            self.found(id);
        } else {
            self.head.extend_from_slice(piece);
            if self.is_stream || is_over {
                self.look();
            }
        }
        self.is_done |= is_over;
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
            true => id_in_stream(&mut Reader::new(LOOKED_AT), &decoded),
            false => json::text_at(&decoded, "id").map(std::borrow::Cow::into_owned),
        };
        self.found(id);
    }

    fn found(&mut self, id: Option<String>) {
        if let Some(id) = id {
            self.owners.note(&id, self.owner.clone());
            self.is_done = true;
            self.head = Vec::new();
        }
    }
}

fn id_in_stream(events: &mut Reader, piece: &[u8]) -> Option<String> {
    let mut found = None;
    events.push(piece, |event| {
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
