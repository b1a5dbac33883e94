//! What an upstream says, out of the words of its dialect: as events of a stream, or whole.

use serde_json::Value;

use super::dialect::Dialect;

/// A message of an error that is longer is no sentence.
const LONGEST: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// A piece of the answer.
    Said(String),
    /// A piece of the thoughts before it.
    Thought(String),
    /// That was all of it.
    Done,
    /// It went on, but its tokens were used up.
    Cut,
    /// Its own words for what went wrong; empty where it has none.
    Failed(String),
}

impl Dialect {
    /// What one event of a stream says.
    pub(super) fn hear(self, data: &str) -> Vec<Heard> {
        if data == "[DONE]" {
            return vec![Heard::Done];
        }
        let Ok(event) = serde_json::from_str::<Value>(data) else {
            return Vec::new();
        };
        match self {
            Self::Chat => of_chat(&event),
            Self::Responses => of_response(&event),
            Self::Messages => of_message(&event),
        }
    }

    /// What an answer says that did not come as a stream.
    pub(super) fn hear_whole(self, body: &str) -> Vec<Heard> {
        let Ok(answer) = serde_json::from_str::<Value>(body) else {
            return vec![Heard::Failed(String::new())];
        };
        if answer.get("error").is_some_and(|error| !error.is_null()) {
            return vec![Heard::Failed(reason(body))];
        }
        let mut heard = Vec::new();
        let cut = match self {
            Self::Chat => {
                let message = &answer["choices"][0]["message"];
                heard.extend(said_and_thought(message));
                answer["choices"][0]["finish_reason"] == "length"
            }
            Self::Responses => {
                for item in each(&answer["output"]) {
                    let thinks = item["type"] == "reasoning";
                    for part in each(&item["content"]).chain(each(&item["summary"])) {
                        let text = text_of(&part["text"]).or(text_of(&part["refusal"]));
                        let kind = if thinks { Heard::Thought } else { Heard::Said };
                        heard.extend(text.map(kind));
                    }
                }
                answer["status"] == "incomplete"
            }
            Self::Messages => {
                for block in each(&answer["content"]) {
                    heard.extend(text_of(&block["thinking"]).map(Heard::Thought));
                    heard.extend(text_of(&block["text"]).map(Heard::Said));
                }
                answer["stop_reason"] == "max_tokens"
            }
        };
        heard.push(if cut { Heard::Cut } else { Heard::Done });
        heard
    }
}

fn of_chat(event: &Value) -> Vec<Heard> {
    if let Some(failed) = failure(event) {
        return vec![failed];
    }
    let choice = &event["choices"][0];
    let mut heard = said_and_thought(&choice["delta"]);
    match choice["finish_reason"].as_str() {
        Some("length") => heard.push(Heard::Cut),
        Some(_) => heard.push(Heard::Done),
        None => {}
    }
    heard
}

/// The two names of thoughts are those of vLLM, DeepSeek and llama.cpp, and of Ollama and OpenRouter.
fn said_and_thought(message: &Value) -> Vec<Heard> {
    let thought = text_of(&message["reasoning_content"]).or(text_of(&message["reasoning"]));
    let said = text_of(&message["content"]).or(text_of(&message["refusal"]));
    let thought = thought.map(Heard::Thought);
    thought.into_iter().chain(said.map(Heard::Said)).collect()
}

fn of_response(event: &Value) -> Vec<Heard> {
    let delta = || text_of(&event["delta"]);
    let heard = match event["type"].as_str().unwrap_or_default() {
        "response.output_text.delta" | "response.refusal.delta" => delta().map(Heard::Said),
        "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
            delta().map(Heard::Thought)
        }
        "response.completed" => Some(Heard::Done),
        "response.incomplete" => Some(Heard::Cut),
        "response.failed" => {
            let message = &event["response"]["error"]["message"];
            Some(Heard::Failed(text_of(message).unwrap_or_default()))
        }
        "error" => {
            let message = text_of(&event["message"]).or(text_of(&event["error"]["message"]));
            Some(Heard::Failed(message.unwrap_or_default()))
        }
        _ => failure(event),
    };
    heard.into_iter().collect()
}

fn of_message(event: &Value) -> Vec<Heard> {
    let delta = &event["delta"];
    let heard = match event["type"].as_str().unwrap_or_default() {
        "content_block_delta" => {
            let thought = text_of(&delta["thinking"]).map(Heard::Thought);
            thought.or(text_of(&delta["text"]).map(Heard::Said))
        }
        "message_delta" if delta["stop_reason"] == "max_tokens" => Some(Heard::Cut),
        "message_stop" => Some(Heard::Done),
        _ => failure(event),
    };
    heard.into_iter().collect()
}

/// An error in the middle of a stream.
fn failure(event: &Value) -> Option<Heard> {
    let error = event.get("error").filter(|error| !error.is_null())?;
    let message = text_of(&error["message"]).or(text_of(error));
    Some(Heard::Failed(message.unwrap_or_default()))
}

/// Why it was refused, out of an error's body; empty where it does not say.
pub(super) fn reason(body: &str) -> String {
    let said = serde_json::from_str::<Value>(body).ok().and_then(|body| {
        let error = &body["error"];
        let message = text_of(&error["message"]).or(text_of(error));
        message
            .or(text_of(&body["message"]))
            .or(text_of(&body["detail"]))
    });
    let mut said = said.unwrap_or_else(|| body.trim().to_owned());
    if said.starts_with(['<', '{', '[']) {
        // A page or data, not a sentence.
        said.clear();
    }
    if let Some((end, _)) = said.char_indices().nth(LONGEST) {
        said.truncate(end);
        said.push('…');
    }
    said
}

fn text_of(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| !text.is_empty())?;
    Some(text.to_owned())
}

fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(text: &str) -> Heard {
        Heard::Said(text.to_owned())
    }

    fn thought(text: &str) -> Heard {
        Heard::Thought(text.to_owned())
    }

    fn failed(text: &str) -> Heard {
        Heard::Failed(text.to_owned())
    }

    #[test]
    fn deltas_of_chat() {
        for (event, heard) in [
            (
                json!({"choices": [{"delta": {"role": "assistant", "content": ""}}]}),
                vec![],
            ),
            (
                json!({"choices": [{"delta": {"content": "Hi"}, "finish_reason": null}]}),
                vec![said("Hi")],
            ),
            (
                json!({"choices": [{"delta": {"reasoning_content": "Hm"}}]}),
                vec![thought("Hm")],
            ),
            (
                json!({"choices": [{"delta": {"reasoning": "Hm", "content": "."}}]}),
                vec![thought("Hm"), said(".")],
            ),
            (
                json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
                vec![Heard::Done],
            ),
            (
                json!({"choices": [{"delta": {"content": "!"}, "finish_reason": "length"}]}),
                vec![said("!"), Heard::Cut],
            ),
            (
                json!({"choices": [], "usage": {"prompt_tokens": 1}}),
                vec![],
            ),
            (
                json!({"error": {"message": "Out of memory", "code": 500}}),
                vec![failed("Out of memory")],
            ),
            (
                json!({"error": "Out of memory"}),
                vec![failed("Out of memory")],
            ),
        ] {
            assert_eq!(Dialect::Chat.hear(&event.to_string()), heard, "{event}");
        }
        assert_eq!(Dialect::Chat.hear("[DONE]"), [Heard::Done]);
        assert_eq!(Dialect::Chat.hear("nonsense"), []);
    }

    #[test]
    fn deltas_of_responses() {
        for (event, heard) in [
            (
                json!({"type": "response.created", "response": {"error": null}}),
                vec![],
            ),
            (
                json!({"type": "response.output_text.delta", "delta": "Hi"}),
                vec![said("Hi")],
            ),
            (
                json!({"type": "response.refusal.delta", "delta": "No"}),
                vec![said("No")],
            ),
            (
                json!({"type": "response.reasoning_summary_text.delta", "delta": "Hm"}),
                vec![thought("Hm")],
            ),
            (
                json!({"type": "response.reasoning_text.delta", "delta": "Hm"}),
                vec![thought("Hm")],
            ),
            (
                json!({"type": "response.output_text.done", "text": "Hi"}),
                vec![],
            ),
            (
                json!({"type": "response.completed", "response": {}}),
                vec![Heard::Done],
            ),
            (
                json!({"type": "response.incomplete", "response": {}}),
                vec![Heard::Cut],
            ),
            (
                json!({"type": "response.failed", "response": {"error": {"message": "Down"}}}),
                vec![failed("Down")],
            ),
            (
                json!({"type": "error", "message": "Down"}),
                vec![failed("Down")],
            ),
        ] {
            assert_eq!(
                Dialect::Responses.hear(&event.to_string()),
                heard,
                "{event}"
            );
        }
    }

    #[test]
    fn deltas_of_messages() {
        for (event, heard) in [
            (
                json!({"type": "message_start", "message": {"content": []}}),
                vec![],
            ),
            (
                json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hi"}}),
                vec![said("Hi")],
            ),
            (
                json!({"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "Hm"}}),
                vec![thought("Hm")],
            ),
            (
                json!({"type": "content_block_delta", "delta": {"type": "signature_delta", "signature": "x"}}),
                vec![],
            ),
            (
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
                vec![],
            ),
            (
                json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}),
                vec![Heard::Cut],
            ),
            (json!({"type": "message_stop"}), vec![Heard::Done]),
            (
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}),
                vec![failed("Busy")],
            ),
            (json!({"type": "ping"}), vec![]),
        ] {
            assert_eq!(Dialect::Messages.hear(&event.to_string()), heard, "{event}");
        }
    }

    #[test]
    fn answers_that_are_no_streams_are_read_whole() {
        let chat = json!({"choices": [{"message": {"content": "Hi", "reasoning": "Hm"}, "finish_reason": "stop"}]});
        let response = json!({"status": "completed", "error": null, "output": [
            {"type": "reasoning", "summary": [{"text": "Hm"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]},
        ]});
        let message = json!({"stop_reason": "end_turn", "content": [
            {"type": "thinking", "thinking": "Hm"},
            {"type": "text", "text": "Hi"},
        ]});
        for (dialect, answer) in [
            (Dialect::Chat, chat),
            (Dialect::Responses, response),
            (Dialect::Messages, message),
        ] {
            let heard = dialect.hear_whole(&answer.to_string());
            assert_eq!(
                heard,
                [thought("Hm"), said("Hi"), Heard::Done],
                "{dialect:?}"
            );
        }
        let cut = json!({"choices": [{"message": {"content": "Hi"}, "finish_reason": "length"}]});
        assert_eq!(
            Dialect::Chat.hear_whole(&cut.to_string()),
            [said("Hi"), Heard::Cut]
        );
        let error = r#"{"error": {"message": "Down"}}"#;
        assert_eq!(Dialect::Chat.hear_whole(error), [failed("Down")]);
        assert_eq!(Dialect::Chat.hear_whole("<html>"), [failed("")]);
    }

    #[test]
    fn a_refusal_says_why() {
        for (body, why) in [
            (
                r#"{"error":{"message":"There is no route x.","type":"y"}}"#,
                "There is no route x.",
            ),
            (
                r#"{"type":"error","error":{"type":"api_error","message":"Busy."}}"#,
                "Busy.",
            ),
            (r#"{"error":"model not found"}"#, "model not found"),
            (r#"{"object":"error","message":"Too long."}"#, "Too long."),
            (r#"{"detail":"Not Found"}"#, "Not Found"),
            ("Bad Gateway\n", "Bad Gateway"),
            ("<html><body>502</body></html>", ""),
            (r#"{"status":502}"#, ""),
            ("", ""),
        ] {
            assert_eq!(reason(body), why, "{body}");
        }
        assert_eq!(reason(&"é".repeat(9000)).chars().count(), LONGEST + 1);
    }
}
