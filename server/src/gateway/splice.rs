//! A request body with another model's name in it, sent without being copied together.

use std::convert::Infallible;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};

/// Up to this size one copy is cheaper than three writes.
const COPIED: usize = 64 * 1024;

/// The body with `model` in place of the value at `span`.
pub fn splice_model(body: &Bytes, span: &Range<usize>, model: &str) -> reqwest::Body {
    let name = serde_json::Value::from(model).to_string();
    let length = body.len() - span.len() + name.len();
    if length <= COPIED {
        let mut copy = BytesMut::with_capacity(length);
        copy.extend_from_slice(&body[..span.start]);
        copy.extend_from_slice(name.as_bytes());
        copy.extend_from_slice(&body[span.end..]);
        return copy.freeze().into();
    }
    reqwest::Body::wrap(Pieces {
        pieces: [
            body.slice(..span.start),
            name.into(),
            body.slice(span.end..),
        ],
        next: 0,
    })
}

/// Pieces of known length, one after the other.
struct Pieces {
    pieces: [Bytes; 3],
    next: usize,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = self.next;
        self.next += 1;
        Poll::Ready(
            self.pieces
                .get_mut(next)
                .map(|piece| Ok(Frame::data(std::mem::take(piece)))),
        )
    }

    fn is_end_stream(&self) -> bool {
        self.next >= self.pieces.len()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.pieces.iter().map(|piece| piece.len() as u64).sum())
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;
    use crate::gateway::peek::peek;

    async fn spliced(body: &str, model: &str) -> String {
        let bytes = Bytes::copy_from_slice(body.as_bytes());
        let body = splice_model(&bytes, &peek(&bytes).unwrap().model_span, model);
        let length = body.size_hint().exact();
        let sent = body.collect().await.unwrap().to_bytes();
        assert_eq!(
            length,
            Some(sent.len() as u64),
            "the length is known before"
        );
        String::from_utf8(sent.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn only_the_models_value_changes() {
        let table = [
            (r#"{"model":"qwen3"}"#, r#"{"model":"small"}"#),
            (
                "{ \"n\" : 1e400,\t\"model\"\n:\t\"qwen3\" , \"s\":\"\\ud800 \\u0041\" }",
                "{ \"n\" : 1e400,\t\"model\"\n:\t\"small\" , \"s\":\"\\ud800 \\u0041\" }",
            ),
            (
                r#"{"messages":[{"model":"qwen3","content":"\"model\":\"qwen3\""}],"model":"qwen3","model_x":"qwen3"}"#,
                r#"{"messages":[{"model":"qwen3","content":"\"model\":\"qwen3\""}],"model":"small","model_x":"qwen3"}"#,
            ),
            (
                r#"{"\ud800":1,"mod\u0065l":"q\u0077en3","zz":-0.0}"#,
                r#"{"\ud800":1,"mod\u0065l":"small","zz":-0.0}"#,
            ),
        ];
        for (body, expected) in table {
            assert_eq!(spliced(body, "small").await, expected);
        }
    }

    #[tokio::test]
    async fn a_large_body_is_the_same_but_for_the_model() {
        let filler = "x".repeat(2 * COPIED);
        let body = format!(r#"{{"a":"{filler}","model":"qwen3","b":"{filler}"}}"#);
        assert_eq!(
            spliced(&body, "small").await,
            body.replace("qwen3", "small")
        );
    }

    #[tokio::test]
    async fn the_new_name_is_escaped() {
        assert_eq!(
            spliced(r#"{"model":"a"}"#, "Qwen/\"x\"\u{1}é").await,
            "{\"model\":\"Qwen/\\\"x\\\"\\u0001é\"}"
        );
    }

    proptest::proptest! {
        #[test]
        fn a_spliced_body_is_the_same_json_with_another_model(
            before in "[a-z]{0,5}", text in "\\PC{0,30}", model in "\\PC{0,20}",
        ) {
            let body = serde_json::json!({ format!("a{before}"): text, "model": "old", "zz": [text, {"model": text}] });
            let mut expected = body.clone();
            expected["model"] = model.clone().into();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let changed: serde_json::Value =
                serde_json::from_str(&runtime.block_on(spliced(&body.to_string(), &model))).unwrap();
            proptest::prop_assert_eq!(changed, expected);
        }
    }
}
