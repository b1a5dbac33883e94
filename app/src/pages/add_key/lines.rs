//! Lines that put a key to use. Names of routes and keys hold nothing that a shell, Python or TOML
//! would read as more than text.

/// What a program needs to know.
pub(crate) struct Use {
    pub origin: String,
    pub key: String,
    pub model: String,
}

impl Use {
    pub(crate) fn curl(&self) -> String {
        let Self { origin, key, model } = self;
        format!(
            r#"curl {origin}/v1/chat/completions \
  -H 'Authorization: Bearer {key}' \
  -H 'Content-Type: application/json' \
  -d '{{"model": "{model}",
       "messages": [{{"role": "user", "content": "Hello"}}]}}'"#
        )
    }

    pub(super) fn python(&self) -> String {
        let Self { origin, key, model } = self;
        format!(
            r#"from openai import OpenAI

client = OpenAI(
    base_url="{origin}/v1",
    api_key="{key}",
)
answer = client.chat.completions.create(
    model="{model}",
    messages=[{{"role": "user", "content": "Hello"}}],
)
print(answer.choices[0].message.content)"#
        )
    }

    pub(super) fn codex_config(&self) -> String {
        let Self { origin, model, .. } = self;
        format!(
            r#"model = "{model}"
model_provider = "signalbox"

[model_providers.signalbox]
name = "Signalbox"
base_url = "{origin}/v1"
env_key = "SIGNALBOX_API_KEY"
wire_api = "responses""#
        )
    }

    pub(super) fn codex(&self) -> String {
        let key = &self.key;
        format!("export SIGNALBOX_API_KEY='{key}'\ncodex")
    }

    pub(super) fn claude_code(&self) -> String {
        let Self { origin, key, model } = self;
        format!(
            r#"export ANTHROPIC_BASE_URL='{origin}'
export ANTHROPIC_AUTH_TOKEN='{key}'
export ANTHROPIC_MODEL='{model}'
claude"#
        )
    }

    pub(super) fn management(&self) -> String {
        let Self { origin, key, .. } = self;
        format!("curl {origin}/api/v1/routes \\\n  -H 'Authorization: Bearer {key}'")
    }
}

#[cfg(test)]
mod tests {
    use super::Use;

    #[test]
    fn every_program_gets_what_it_needs() {
        let lines = Use {
            origin: "https://box.example".into(),
            key: "sb_ab12cd34_secret".into(),
            model: "Qwen/Qwen3-32B".into(),
        };
        let codex = [lines.codex_config(), lines.codex()].concat();
        for text in [lines.curl(), lines.python(), codex] {
            assert!(text.contains("https://box.example/v1"), "{text}");
            assert!(text.contains("sb_ab12cd34_secret"), "{text}");
            assert!(text.contains("\"Qwen/Qwen3-32B\""), "{text}");
        }
        // Its library adds `/v1` itself.
        let claude = lines.claude_code();
        assert!(claude.contains("ANTHROPIC_BASE_URL='https://box.example'\n"));
        assert!(claude.contains("sb_ab12cd34_secret") && claude.contains("Qwen/Qwen3-32B"));
        assert!(lines.management().contains("/api/v1/routes"));
    }
}
