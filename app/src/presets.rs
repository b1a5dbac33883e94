//! Upstreams that people commonly register, and what to fill in for each. Names are the makers' own.

use crate::api::provider::ProviderKind;

/// Where a new provider starts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Preset {
    /// In addresses, and the new provider's name until another is typed.
    pub id: &'static str,
    /// Nothing for whatever else is of its kind.
    pub name: &'static str,
    pub group: Group,
    pub kind: ProviderKind,
    /// The base URL of its instance. Nothing where only the operator knows.
    pub url: &'static str,
    /// Where the credential goes, if not where the kind has it.
    pub credential_header: &'static str,
    /// The endpoints it serves natively; none means all.
    pub speaks: &'static [&'static str],
    pub models: &'static [&'static str],
    /// Whether its streams are asked for usage: it is known to count when asked, and to keep to the shape.
    pub include_usage: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Servers that one runs.
    Own,
    Hosted,
    Decision,
}

/// The endpoints of `/v1`, by the names that `speaks` uses.
pub(crate) const ENDPOINTS: [&str; 11] = [
    "chat",
    "completions",
    "responses",
    "messages",
    "count_tokens",
    "embeddings",
    "rerank",
    "score",
    "moderations",
    "images",
    "audio",
];

const BLANK: Preset = Preset {
    id: "",
    name: "",
    group: Group::Hosted,
    kind: ProviderKind::Openai,
    url: "",
    credential_header: "",
    speaks: &[],
    models: &[],
    include_usage: false,
};

pub(crate) static PRESETS: [Preset; 17] = [
    Preset {
        id: "ollama",
        include_usage: true,
        name: "Ollama",
        group: Group::Own,
        url: "http://127.0.0.1:11434/v1",
        speaks: &["chat", "completions", "responses", "messages", "embeddings"],
        ..BLANK
    },
    Preset {
        id: "vllm",
        include_usage: true,
        name: "vLLM",
        group: Group::Own,
        url: "http://127.0.0.1:8000/v1",
        speaks: &[
            "chat",
            "completions",
            "responses",
            "messages",
            "embeddings",
            "rerank",
            "score",
            "audio",
        ],
        ..BLANK
    },
    Preset {
        id: "sglang",
        include_usage: true,
        name: "SGLang",
        group: Group::Own,
        url: "http://127.0.0.1:30000/v1",
        speaks: &[
            "chat",
            "completions",
            "responses",
            "embeddings",
            "rerank",
            "score",
        ],
        ..BLANK
    },
    Preset {
        id: "llama-cpp",
        include_usage: true,
        name: "llama.cpp",
        group: Group::Own,
        url: "http://127.0.0.1:8080/v1",
        speaks: &[
            "chat",
            "completions",
            "responses",
            "messages",
            "count_tokens",
            "embeddings",
            "rerank",
        ],
        ..BLANK
    },
    Preset {
        id: "lm-studio",
        name: "LM Studio",
        group: Group::Own,
        url: "http://127.0.0.1:1234/v1",
        speaks: &["chat", "completions", "responses", "messages", "embeddings"],
        ..BLANK
    },
    Preset {
        id: "openai-compatible",
        group: Group::Own,
        ..BLANK
    },
    Preset {
        id: "openai",
        name: "OpenAI",
        url: "https://api.openai.com/v1",
        speaks: &[
            "chat",
            "completions",
            "responses",
            "embeddings",
            "moderations",
            "images",
            "audio",
        ],
        ..BLANK
    },
    Preset {
        id: "anthropic",
        name: "Anthropic",
        kind: ProviderKind::Anthropic,
        url: "https://api.anthropic.com/v1",
        ..BLANK
    },
    Preset {
        id: "azure-openai",
        name: "Azure OpenAI",
        url: "https://YOUR-RESOURCE.openai.azure.com/openai/v1",
        credential_header: "api-key",
        speaks: &["chat", "completions", "responses", "embeddings"],
        ..BLANK
    },
    Preset {
        id: "gemini",
        name: "Gemini",
        url: "https://generativelanguage.googleapis.com/v1beta/openai",
        speaks: &["chat", "embeddings", "images"],
        ..BLANK
    },
    Preset {
        id: "mistral",
        name: "Mistral",
        url: "https://api.mistral.ai/v1",
        speaks: &["chat", "embeddings", "moderations", "audio"],
        ..BLANK
    },
    Preset {
        id: "deepseek",
        name: "DeepSeek",
        url: "https://api.deepseek.com/v1",
        speaks: &["chat"],
        ..BLANK
    },
    Preset {
        id: "groq",
        name: "Groq",
        url: "https://api.groq.com/openai/v1",
        speaks: &["chat", "responses", "audio"],
        ..BLANK
    },
    Preset {
        id: "openrouter",
        name: "OpenRouter",
        url: "https://openrouter.ai/api/v1",
        speaks: &["chat", "completions", "responses", "messages", "embeddings"],
        ..BLANK
    },
    Preset {
        id: "together",
        name: "Together",
        url: "https://api.together.ai/v1",
        speaks: &[
            "chat",
            "completions",
            "embeddings",
            "rerank",
            "images",
            "audio",
        ],
        ..BLANK
    },
    Preset {
        id: "xai",
        name: "xAI",
        url: "https://api.x.ai/v1",
        speaks: &["chat", "responses", "images"],
        ..BLANK
    },
    Preset {
        id: "jev",
        name: "TypeSafe Decision Service (Jev)",
        group: Group::Decision,
        kind: ProviderKind::Decision,
        url: "https://api.typesafe.ai/v1",
        models: &["jev-latest"],
        ..BLANK
    },
];

pub(crate) fn preset(id: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_whole_and_found_by_its_id() {
        for listed in &PRESETS {
            assert_eq!(preset(listed.id), Some(listed));
            assert!(!listed.id.contains('/'), "a provider's name holds none");
            for endpoint in listed.speaks {
                assert!(ENDPOINTS.contains(endpoint), "{}: {endpoint}", listed.id);
            }
            let blank = listed.id == "openai-compatible";
            assert_eq!(listed.name.is_empty(), blank, "{}", listed.id);
            assert_eq!(listed.url.is_empty(), blank, "{}", listed.id);
            assert!(blank || listed.url.starts_with("http"));
        }
        assert_eq!(preset("no-such"), None);
    }
}
