//! The same request as a program sends it. Its texts are written as JSON, which Python and JavaScript
//! read alike.

use super::body::{Ask, quoted};
use super::dialect::{ANTHROPIC_VERSION, Dialect};

/// Where the reader puts a key.
const KEY: &str = "YOUR_API_KEY";

pub(super) struct Sample {
    /// Of this site.
    pub origin: String,
    pub ask: Ask,
    pub session: Option<String>,
}

impl Sample {
    pub(super) fn curl(&self) -> String {
        let mut headers = match self.ask.dialect {
            Dialect::Messages => vec![
                format!("x-api-key: {KEY}"),
                format!("anthropic-version: {ANTHROPIC_VERSION}"),
            ],
            _ => vec![format!("Authorization: Bearer {KEY}")],
        };
        headers.push("Content-Type: application/json".to_owned());
        headers.extend(self.session.iter().map(|key| format!("session-id: {key}")));
        let headers: String = headers
            .iter()
            .map(|header| format!("  -H {} \\\n", in_shell(header)))
            .collect();
        let fields: Vec<String> = self
            .ask
            .fields()
            .iter()
            .map(|field| format!("  {}: {}", quoted(field.name), field.spread(2)))
            .collect();
        let body = format!("{{\n{}\n}}", fields.join(",\n"));
        let Self { origin, ask, .. } = self;
        let path = ask.dialect.path();
        format!("curl {origin}{path} \\\n{headers}  -d {}", in_shell(&body))
    }

    pub(super) fn python(&self) -> String {
        let mut arguments: Vec<String> = self
            .ask
            .fields()
            .iter()
            .map(|field| format!("    {}={},\n", field.name, field.spread(4)))
            .collect();
        arguments.extend(self.session.iter().map(|key| {
            let key = quoted(key);
            format!("    extra_headers={{\"session-id\": {key}}},\n")
        }));
        let arguments = arguments.concat();
        let origin = &self.origin;
        let (class, base, function, print) = match self.ask.dialect {
            Dialect::Chat => (
                "OpenAI",
                format!("{origin}/v1"),
                "chat.completions.create",
                "print(answer.choices[0].message.content)",
            ),
            Dialect::Responses => (
                "OpenAI",
                format!("{origin}/v1"),
                "responses.create",
                "print(answer.output_text)",
            ),
            // Its library adds `/v1` itself.
            Dialect::Messages => (
                "Anthropic",
                origin.clone(),
                "messages.create",
                "for block in answer.content:\n    if block.type == \"text\":\n        print(block.text)",
            ),
        };
        let package = python_package(self.ask.dialect);
        format!(
            "from {package} import {class}\n\n\
             client = {class}(\n    base_url=\"{base}\",\n    api_key=\"{KEY}\",\n)\n\
             answer = client.{function}(\n{arguments})\n{print}"
        )
    }

    pub(super) fn node(&self) -> String {
        let arguments: String = self
            .ask
            .fields()
            .iter()
            .map(|field| format!("    {}: {},\n", field.name, field.spread(4)))
            .collect();
        let options = self.session.as_ref().map(|key| {
            let key = quoted(key);
            format!("  {{ headers: {{ \"session-id\": {key} }} }},\n")
        });
        let options = options.unwrap_or_default();
        let origin = &self.origin;
        let (class, base, function, print) = match self.ask.dialect {
            Dialect::Chat => (
                "OpenAI",
                format!("{origin}/v1"),
                "chat.completions.create",
                "console.log(answer.choices[0].message.content);",
            ),
            Dialect::Responses => (
                "OpenAI",
                format!("{origin}/v1"),
                "responses.create",
                "console.log(answer.output_text);",
            ),
            Dialect::Messages => (
                "Anthropic",
                origin.clone(),
                "messages.create",
                "for (const block of answer.content) {\n  if (block.type === \"text\") console.log(block.text);\n}",
            ),
        };
        let package = node_package(self.ask.dialect);
        format!(
            "import {class} from \"{package}\";\n\n\
             const client = new {class}({{\n  baseURL: \"{base}\",\n  apiKey: \"{KEY}\",\n}});\n\
             const answer = await client.{function}(\n  {{\n{arguments}  }},\n{options});\n{print}"
        )
    }
}

pub(super) fn python_package(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Messages => "anthropic",
        Dialect::Chat | Dialect::Responses => "openai",
    }
}

pub(super) fn node_package(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Messages => "@anthropic-ai/sdk",
        Dialect::Chat | Dialect::Responses => "openai",
    }
}

/// In quotes that a shell looks through for nothing but their end.
fn in_shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(dialect: Dialect) -> Sample {
        Sample {
            origin: "https://box.example".into(),
            ask: Ask {
                dialect,
                model: "Qwen/Qwen3-32B".into(),
                system: "Be short.".into(),
                max_tokens: 64,
                before: Vec::new(),
                text: "What's \"up\"?".into(),
            },
            session: Some("demo".into()),
        }
    }

    #[test]
    fn every_program_gets_what_it_needs() {
        for dialect in Dialect::ALL {
            let sample = sample(dialect);
            for code in [sample.curl(), sample.python(), sample.node()] {
                for part in [
                    "https://box.example",
                    KEY,
                    "\"Qwen/Qwen3-32B\"",
                    "session-id",
                    "demo",
                    "Be short.",
                    r#"\"up\""#,
                    "64",
                ] {
                    assert!(code.contains(part), "{part} in {code}");
                }
            }
            assert!(sample.curl().contains(dialect.path()));
        }
    }

    #[test]
    fn curl_is_a_line_that_a_shell_reads() {
        assert_eq!(
            sample(Dialect::Chat).curl(),
            r#"curl https://box.example/v1/chat/completions \
  -H 'Authorization: Bearer YOUR_API_KEY' \
  -H 'Content-Type: application/json' \
  -H 'session-id: demo' \
  -d '{
  "model": "Qwen/Qwen3-32B",
  "messages": [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "What'\''s \"up\"?"}
  ],
  "max_tokens": 64
}'"#
        );
    }

    #[test]
    fn anthropic_s_libraries_add_the_version_of_the_api_themselves() {
        assert_eq!(
            sample(Dialect::Messages).python(),
            r#"from anthropic import Anthropic

client = Anthropic(
    base_url="https://box.example",
    api_key="YOUR_API_KEY",
)
answer = client.messages.create(
    model="Qwen/Qwen3-32B",
    max_tokens=64,
    system="Be short.",
    messages=[
      {"role": "user", "content": "What's \"up\"?"}
    ],
    extra_headers={"session-id": "demo"},
)
for block in answer.content:
    if block.type == "text":
        print(block.text)"#
        );
    }

    #[test]
    fn node_passes_the_session_beside_the_body() {
        assert_eq!(
            sample(Dialect::Responses).node(),
            r#"import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "https://box.example/v1",
  apiKey: "YOUR_API_KEY",
});
const answer = await client.responses.create(
  {
    model: "Qwen/Qwen3-32B",
    instructions: "Be short.",
    input: "What's \"up\"?",
    max_output_tokens: 64,
  },
  { headers: { "session-id": "demo" } },
);
console.log(answer.output_text);"#
        );
    }
}
