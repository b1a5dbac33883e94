//! What an upstream says it counted: the tokens of a request, read from its answer.
//!
//! Of an answer only its beginning and its end are copied as they pass, of a compressed one all up to a
//! bound; it is read when the answer is over, off the request's path. What the upstream does not say is
//! unknown, never guessed.

use std::collections::VecDeque;

use app::api::request::Tokens;
use bytes::Bytes;
use http::HeaderMap;
use memchr::memmem;
use serde::Deserialize;
use serde_json::Deserializer;

use super::encoding::Encoding;

/// Anthropic's streams count the input in their first event.
const HEAD: usize = 2 * 1024;
/// All others count at the end.
const TAIL: usize = 8 * 1024;
/// Of a compressed answer, which cannot be read from the middle.
const COMPRESSED: usize = 512 * 1024;
/// What that may grow to.
const DECODED: usize = 8 * 1024 * 1024;

/// Tokens of one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    /// Of the input, what was read from a cache.
    pub cached: Option<u64>,
    /// Of the output, what was thought and not said.
    pub reasoning: Option<u64>,
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Self {
        Self {
            input: usage.input,
            output: usage.output,
            cached: usage.cached,
            reasoning: usage.reasoning,
        }
    }
}

/// As much of an answer as it takes to read its usage.
#[derive(Debug)]
pub struct Copied {
    encoding: Encoding,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// A compressed answer grew beyond its bound.
    is_cut: bool,
}

impl Copied {
    /// Of an answer with these headers. Nothing when it could not be read.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        Some(Self {
            encoding: Encoding::of(headers)?,
            head: Vec::new(),
            tail: VecDeque::new(),
            is_cut: false,
        })
    }

    pub fn push(&mut self, piece: &Bytes) {
        let most = match self.encoding {
            Encoding::Identity => HEAD,
            _ => COMPRESSED,
        };
        let room = most.saturating_sub(self.head.len()).min(piece.len());
        let (head, rest) = piece.split_at(room);
        self.head.extend_from_slice(head);
        if self.encoding != Encoding::Identity {
            self.is_cut |= !rest.is_empty();
            return;
        }
        let rest = rest
            .get(rest.len().saturating_sub(TAIL)..)
            .unwrap_or_default();
        let surplus = (self.tail.len() + rest.len()).saturating_sub(TAIL);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    /// Whether reading it takes more than a moment.
    pub fn is_work(&self) -> bool {
        self.encoding != Encoding::Identity
    }

    /// What was counted, if the answer says so.
    pub fn usage(mut self) -> Option<Usage> {
        if self.is_cut {
            return None;
        }
        if self.encoding == Encoding::Identity {
            self.head.extend(self.tail);
            return read(&self.head);
        }
        read(&self.encoding.decode(&self.head, DECODED))
    }
}

/// Every count in an answer, as each dialect calls it. Later ones are more complete.
fn read(answer: &[u8]) -> Option<Usage> {
    let mut said = Said::default();
    // Inside a string the quotes would be escaped, so this is always a key.
    for at in memmem::find_iter(answer, b"\"usage\"") {
        let after = answer.get(at + 7..).unwrap_or_default().trim_ascii_start();
        let Some(value) = after.strip_prefix(b":") else {
            continue;
        };
        let mut values = Deserializer::from_slice(value).into_iter::<Said>();
        if let Some(Ok(later)) = values.next() {
            said.complete(later);
        }
    }
    said.into_usage()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    #[serde(alias = "prompt_tokens")]
    input_tokens: Option<u64>,
    #[serde(alias = "completion_tokens")]
    output_tokens: Option<u64>,
    /// All that embeddings and rerankers of some servers say.
    total_tokens: Option<u64>,
    #[serde(alias = "prompt_tokens_details")]
    input_tokens_details: Option<InputDetails>,
    #[serde(alias = "completion_tokens_details")]
    output_tokens_details: Option<OutputDetails>,
    /// Anthropic counts these beside its `input_tokens`.
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct InputDetails {
    cached_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct OutputDetails {
    reasoning_tokens: Option<u64>,
}

impl Said {
    fn complete(&mut self, later: Self) {
        let Self {
            input_tokens,
            output_tokens,
            total_tokens,
            input_tokens_details,
            output_tokens_details,
            cache_read_input_tokens,
            cache_creation_input_tokens,
        } = later;
        self.input_tokens = input_tokens.or(self.input_tokens);
        self.output_tokens = output_tokens.or(self.output_tokens);
        self.total_tokens = total_tokens.or(self.total_tokens);
        self.input_tokens_details = input_tokens_details.or(self.input_tokens_details);
        self.output_tokens_details = output_tokens_details.or(self.output_tokens_details);
        self.cache_read_input_tokens = cache_read_input_tokens.or(self.cache_read_input_tokens);
        self.cache_creation_input_tokens =
            cache_creation_input_tokens.or(self.cache_creation_input_tokens);
    }

    fn into_usage(self) -> Option<Usage> {
        let input = self.input_tokens.or(self.total_tokens)?;
        let beside = self.cache_read_input_tokens.unwrap_or_default()
            + self.cache_creation_input_tokens.unwrap_or_default();
        let details = self.input_tokens_details.unwrap_or_default();
        let output_details = self.output_tokens_details.unwrap_or_default();
        Some(Usage {
            input: input.saturating_add(beside),
            output: self.output_tokens.unwrap_or_default(),
            cached: self.cache_read_input_tokens.or(details.cached_tokens),
            reasoning: output_details.reasoning_tokens,
        })
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, header};

    use super::*;

    fn usage(answer: &str, encoding: &'static str) -> Option<Usage> {
        let headers =
            HeaderMap::from_iter([(header::CONTENT_ENCODING, HeaderValue::from_static(encoding))]);
        let mut copied = Copied::of(&headers)?;
        let bytes = crate::gateway::encoding::tests::encoded(answer.as_bytes(), encoding);
        for piece in bytes.chunks(700) {
            copied.push(&Bytes::copy_from_slice(piece));
            assert!(copied.head.len() + copied.tail.len() <= COMPRESSED + TAIL);
        }
        copied.usage()
    }

    fn of(input: u64, output: u64, cached: Option<u64>, reasoning: Option<u64>) -> Option<Usage> {
        Some(Usage {
            input,
            output,
            cached,
            reasoning,
        })
    }

    #[test]
    fn each_dialect_is_read_streamed_and_whole_in_every_encoding() {
        let long = "x".repeat(20_000);
        let chat = format!(
            r#"{{"choices":[{{"message":{{"content":"{long}"}}}}],"usage":{{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,"prompt_tokens_details":{{"cached_tokens":3}},"completion_tokens_details":{{"reasoning_tokens":2}}}},"system_fingerprint":null}}"#
        );
        let chat_stream = format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{long}\"}}}}],\"usage\":null}}\n\ndata: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":7,\"completion_tokens\":5}}}}\n\ndata: [DONE]\n\n"
        );
        let responses = format!(
            "event: response.completed\ndata: {{\"response\":{{\"output\":\"{long}\",\"usage\":{{\"input_tokens\":7,\"input_tokens_details\":{{\"cached_tokens\":0}},\"output_tokens\":5,\"output_tokens_details\":{{\"reasoning_tokens\":4}}}}}}}}\n\n"
        );
        let messages = format!(
            "event: message_start\ndata: {{\"message\":{{\"usage\":{{\"input_tokens\":4,\"cache_read_input_tokens\":2,\"cache_creation_input_tokens\":1,\"output_tokens\":1}}}}}}\n\ndata: {{\"delta\":\"{long}\"}}\n\nevent: message_delta\ndata: {{\"usage\":{{\"output_tokens\":5}}}}\n\n"
        );
        let embeddings = format!(r#"{{"data":"{long}","usage":{{"total_tokens":9}}}}"#);
        let table = [
            (chat, of(7, 5, Some(3), Some(2))),
            (chat_stream, of(7, 5, None, None)),
            (responses, of(7, 5, Some(0), Some(4))),
            (messages, of(7, 5, Some(2), None)),
            (embeddings, of(9, 0, None, None)),
        ];
        for (answer, expected) in table {
            for encoding in ["identity", "gzip", "deflate", "br", "zstd"] {
                assert_eq!(
                    usage(&answer, encoding),
                    expected,
                    "{encoding} {}",
                    &answer[..40]
                );
            }
        }
    }

    #[test]
    fn what_is_not_said_is_not_known() {
        for answer in [
            "",
            "{}",
            r#"{"usage":null}"#,
            r#"{"usage":{}}"#,
            r#"{"usage":{"input_tokens":-1}}"#,
            r#"{"usage":{"input_tokens":"#,
            // What a model says is no count.
            r#"{"content":"\"usage\":{\"input_tokens\":1}"}"#,
        ] {
            assert_eq!(usage(answer, "identity"), None, "{answer}");
        }
    }
}
