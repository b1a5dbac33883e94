//! What is sent: a conversation in the words of a dialect. The page's own requests and the code that it
//! shows are written from the same fields.

use super::dialect::Dialect;

/// One request for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    pub dialect: Dialect,
    /// The route.
    pub model: String,
    /// None when empty.
    pub system: String,
    pub max_tokens: u32,
    /// What was said so far, the oldest first.
    pub before: Vec<Exchange>,
    /// What is said now.
    pub text: String,
}

/// What was asked and what was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exchange {
    pub asked: String,
    pub answered: String,
}

/// A field of the body, or an argument of a library's function.
pub(super) struct Field {
    pub name: &'static str,
    value: Value,
}

enum Value {
    Text(String),
    Number(u32),
    Turns(Vec<(&'static str, String)>),
}

impl Ask {
    /// What says the same in JSON, Python and JavaScript.
    pub(super) fn fields(&self) -> Vec<Field> {
        let model = Field::text("model", &self.model);
        let system = (!self.system.is_empty()).then_some(self.system.as_str());
        match self.dialect {
            Dialect::Chat => {
                let mut turns = self.turns();
                if let Some(system) = system {
                    turns.insert(0, ("system", system.to_owned()));
                }
                vec![
                    model,
                    Field::turns("messages", turns),
                    Field::number("max_tokens", self.max_tokens),
                ]
            }
            Dialect::Responses => {
                let mut fields = vec![model];
                fields.extend(system.map(|system| Field::text("instructions", system)));
                fields.push(if self.before.is_empty() {
                    Field::text("input", &self.text)
                } else {
                    Field::turns("input", self.turns())
                });
                fields.push(Field::number("max_output_tokens", self.max_tokens));
                fields
            }
            Dialect::Messages => {
                let mut fields = vec![model, Field::number("max_tokens", self.max_tokens)];
                fields.extend(system.map(|system| Field::text("system", system)));
                fields.push(Field::turns("messages", self.turns()));
                fields
            }
        }
    }

    fn turns(&self) -> Vec<(&'static str, String)> {
        let before = self.before.iter().flat_map(|exchange| {
            [
                ("user", exchange.asked.clone()),
                ("assistant", exchange.answered.clone()),
            ]
        });
        let now = ("user", self.text.clone());
        before.chain([now]).collect()
    }

    /// The body of this page's request: streamed, and nothing of it kept upstream.
    pub(super) fn body(&self) -> String {
        let mut fields: Vec<String> = self
            .fields()
            .iter()
            .map(|field| format!("{}:{}", quoted(field.name), field.on_one_line()))
            .collect();
        fields.push("\"stream\":true".to_owned());
        if self.dialect == Dialect::Responses {
            fields.push("\"store\":false".to_owned());
        }
        format!("{{{}}}", fields.join(","))
    }
}

impl Field {
    fn text(name: &'static str, text: &str) -> Self {
        let value = Value::Text(text.to_owned());
        Self { name, value }
    }

    fn number(name: &'static str, number: u32) -> Self {
        let value = Value::Number(number);
        Self { name, value }
    }

    fn turns(name: &'static str, turns: Vec<(&'static str, String)>) -> Self {
        let value = Value::Turns(turns);
        Self { name, value }
    }

    fn on_one_line(&self) -> String {
        match &self.value {
            Value::Text(text) => quoted(text),
            Value::Number(number) => number.to_string(),
            Value::Turns(turns) => {
                let turns = turns.iter().map(|(role, text)| {
                    format!("{{\"role\":\"{role}\",\"content\":{}}}", quoted(text))
                });
                format!("[{}]", turns.collect::<Vec<_>>().join(","))
            }
        }
    }

    /// To be read: a turn on each line, after as many blanks as stand before the field.
    pub(super) fn spread(&self, indent: usize) -> String {
        let Value::Turns(turns) = &self.value else {
            return self.on_one_line();
        };
        let (inner, outer) = (" ".repeat(indent + 2), " ".repeat(indent));
        let turns = turns.iter().map(|(role, text)| {
            format!(
                "{inner}{{\"role\": \"{role}\", \"content\": {}}}",
                quoted(text)
            )
        });
        format!("[\n{}\n{outer}]", turns.collect::<Vec<_>>().join(",\n"))
    }
}

/// As JSON, Python and JavaScript all write a text.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn ask(dialect: Dialect, system: &str, before: &[(&str, &str)]) -> Value {
        let before = before.iter().map(|(asked, answered)| Exchange {
            asked: (*asked).to_owned(),
            answered: (*answered).to_owned(),
        });
        let ask = Ask {
            dialect,
            model: "Qwen/Qwen3-32B".into(),
            system: system.into(),
            max_tokens: 512,
            before: before.collect(),
            text: "Say \"hi\"\n\u{1f600}".into(),
        };
        serde_json::from_str(&ask.body()).unwrap()
    }

    #[test]
    fn a_conversation_is_written_in_each_dialect() {
        let said = "Say \"hi\"\n\u{1f600}";
        let before = [("a", "b")];
        assert_eq!(
            ask(Dialect::Chat, "Be short.", &before),
            json!({
                "model": "Qwen/Qwen3-32B", "max_tokens": 512, "stream": true,
                "messages": [
                    {"role": "system", "content": "Be short."},
                    {"role": "user", "content": "a"},
                    {"role": "assistant", "content": "b"},
                    {"role": "user", "content": said},
                ],
            })
        );
        assert_eq!(
            ask(Dialect::Responses, "Be short.", &before),
            json!({
                "model": "Qwen/Qwen3-32B", "max_output_tokens": 512, "stream": true,
                "store": false, "instructions": "Be short.",
                "input": [
                    {"role": "user", "content": "a"},
                    {"role": "assistant", "content": "b"},
                    {"role": "user", "content": said},
                ],
            })
        );
        assert_eq!(
            ask(Dialect::Messages, "Be short.", &before),
            json!({
                "model": "Qwen/Qwen3-32B", "max_tokens": 512, "stream": true,
                "system": "Be short.",
                "messages": [
                    {"role": "user", "content": "a"},
                    {"role": "assistant", "content": "b"},
                    {"role": "user", "content": said},
                ],
            })
        );
    }

    #[test]
    fn what_is_not_there_is_not_sent() {
        let first = ask(Dialect::Responses, "", &[]);
        assert_eq!(first["input"], "Say \"hi\"\n\u{1f600}");
        assert!(first.get("instructions").is_none());
        assert!(ask(Dialect::Messages, "", &[]).get("system").is_none());
        let chat = ask(Dialect::Chat, "", &[]);
        assert_eq!(chat["messages"].as_array().unwrap().len(), 1);
    }
}
