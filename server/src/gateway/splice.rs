//! A request body with another model's name in it, sent without being copied together.

use std::convert::Infallible;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Either};

use super::upstream::RequestBody;

/// Up to this size one copy is cheaper than three writes.
const COPIED: usize = 64 * 1024;

/// Something written into a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Before the byte at this place, which is outside of the model's value.
    pub at: usize,
    pub text: &'static str,
}

/// The body with `model` in place of the value at `span`, and perhaps something written into it.
pub fn splice_model(
    body: &Bytes,
    span: &Range<usize>,
    model: &str,
    edit: Option<Edit>,
) -> RequestBody {
    // It fails for what cannot be written at all; a text can.
    let name = serde_json::to_string(model).unwrap_or_default();
    // Where nothing is written in, it is nothing at the end.
    let edit = edit.unwrap_or(Edit {
        at: body.len(),
        text: "",
    });
    let mut edits = [(span.clone(), name.as_str()), (edit.at..edit.at, edit.text)];
    edits.sort_unstable_by_key(|(span, _)| span.start);
    let [(first, first_text), (second, second_text)] = edits;
    let kept = [
        0..first.start,
        first.end..second.start,
        second.end..body.len(),
    ];
    let length = body.len() - span.len() + name.len() + edit.text.len();
    if length > COPIED {
        let [before, between, after] = kept.map(|kept| body.slice(kept));
        let [first, second] =
            [first_text, second_text].map(|text| Bytes::copy_from_slice(text.as_bytes()));
        let pieces = Pieces([before, first, between, second, after]);
        return Either::Right(pieces.map_err(|never| match never {}).boxed_unsync());
    }
    let [before, between, after] = kept.map(|kept| body.get(kept).unwrap_or_default());
    let (first, second) = (first_text.as_bytes(), second_text.as_bytes());
    let copy = [before, first, between, second, after].concat();
    Either::Left(Bytes::from(copy).into())
}

/// Pieces of known length, one after the other. Those that are sent are empty.
struct Pieces([Bytes; 5]);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let mut pieces = self.0.iter_mut().map(std::mem::take);
        let next = pieces.find(|piece| !piece.is_empty());
        Poll::Ready(next.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.iter().all(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|piece| piece.len() as u64).sum())
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;
    use crate::gateway::peek::peek;

    async fn spliced(body: &str, model: &str) -> String {
        let bytes = Bytes::copy_from_slice(body.as_bytes());
        let body = splice_model(&bytes, &peek(&bytes).unwrap().model_span, model, None);
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
    async fn a_stream_is_asked_for_usage_where_it_does_not_say_itself() {
        const ASKED: &str = r#""stream_options":{"include_usage":true}"#;
        let table = [
            (
                r#"{"stream":true,"model":"a"}"#,
                format!(r#"{{"stream":true,"model":"b",{ASKED}}}"#),
            ),
            (
                r#"{"model" : "a" , "stream": true}"#,
                format!(r#"{{"model" : "b",{ASKED} , "stream": true}}"#),
            ),
            (
                r#"{"stream_options":{},"model":"a","stream":true}"#,
                format!(r#"{{{ASKED},"model":"b","stream":true}}"#),
            ),
            (
                r#"{"model":"a","stream":true,"stream_options":{ "x":1e400}}"#,
                r#"{"model":"b","stream":true,"stream_options":{"include_usage":true, "x":1e400}}"#
                    .to_owned(),
            ),
        ];
        for (body, expected) in table {
            let bytes = Bytes::copy_from_slice(body.as_bytes());
            let peek = peek(&bytes).unwrap();
            let body = splice_model(&bytes, &peek.model_span, "b", peek.ask_usage);
            let sent = body.collect().await.unwrap().to_bytes();
            assert_eq!(sent, expected.as_bytes());
        }
        for body in [
            r#"{"model":"a"}"#,
            r#"{"model":"a","stream":false}"#,
            r#"{"model":"a","stream":"true"}"#,
            r#"{"model":"a","stream":true,"stream_options":{"include_usage":false}}"#,
            r#"{"model":"a","stream":true,"stream_options":{"include_us\u0061ge":true}}"#,
            r#"{"model":"a","stream":true,"stream_options":null}"#,
            r#"{"model":"a","stream":true,"stream_options":{},"stream_options":{}}"#,
        ] {
            assert_eq!(peek(body.as_bytes()).unwrap().ask_usage, None, "{body}");
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
