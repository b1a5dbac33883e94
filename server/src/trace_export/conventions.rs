//! Words of OpenTelemetry's semantic conventions for generative AI: what a request does, in which form,
//! and by whom.

use std::borrow::Cow;

use app::api::provider::ProviderKind;

use crate::gateway::Endpoint;

/// `gen_ai.operation.name`; where the conventions have none, a name of our own.
pub(super) fn operation(endpoint: Option<Endpoint>) -> &'static str {
    match endpoint {
        Some(Endpoint::ChatCompletions | Endpoint::Responses | Endpoint::Messages) => "chat",
        Some(Endpoint::Completions) => "text_completion",
        Some(Endpoint::Embeddings) => "embeddings",
        Some(
            Endpoint::ImageGenerations
            | Endpoint::ImageEdits
            | Endpoint::ImageVariations
            | Endpoint::Transcriptions
            | Endpoint::Translations
            | Endpoint::Speech,
        ) => "generate_content",
        Some(Endpoint::CompactResponse) => "compact",
        Some(Endpoint::InputTokens | Endpoint::CountTokens) => "count_tokens",
        Some(Endpoint::Rerank) => "rerank",
        Some(Endpoint::Score) => "score",
        Some(Endpoint::Moderations) => "moderation",
        None => "kept_response",
    }
}

/// `gen_ai.output.type`, where the endpoint says it.
pub(super) fn output(endpoint: Option<Endpoint>) -> Option<&'static str> {
    match endpoint? {
        Endpoint::ImageGenerations | Endpoint::ImageEdits | Endpoint::ImageVariations => {
            Some("image")
        }
        Endpoint::Speech => Some("speech"),
        Endpoint::Transcriptions | Endpoint::Translations => Some("text"),
        _ => None,
    }
}

/// `http.route`: a path without what is different each time.
pub(super) fn route_of(path: &str) -> Cow<'_, str> {
    if Endpoint::of(path).is_some() {
        return path.into();
    }
    let after_id = path
        .strip_prefix("/v1/responses/")
        .and_then(|rest| rest.split_once('/'));
    match after_id {
        Some((_, "cancel")) => "/v1/responses/{id}/cancel".into(),
        Some((_, "input_items")) => "/v1/responses/{id}/input_items".into(),
        _ => "/v1/responses/{id}".into(),
    }
}

/// `gen_ai.provider.name`: whose service it is, where the host tells, else whose dialect it speaks.
pub(super) fn provider(kind: ProviderKind, host: &str) -> &'static str {
    const KNOWN: [(&str, &str); 14] = [
        ("api.openai.com", "openai"),
        ("api.anthropic.com", "anthropic"),
        ("openai.azure.com", "azure.ai.openai"),
        ("services.ai.azure.com", "azure.ai.inference"),
        ("models.ai.azure.com", "azure.ai.inference"),
        ("generativelanguage.googleapis.com", "gcp.gemini"),
        ("aiplatform.googleapis.com", "gcp.vertex_ai"),
        ("api.cohere.com", "cohere"),
        ("api.perplexity.ai", "perplexity"),
        ("api.x.ai", "x_ai"),
        ("api.deepseek.com", "deepseek"),
        ("api.groq.com", "groq"),
        ("api.mistral.ai", "mistral_ai"),
        ("api.moonshot.ai", "moonshot_ai"),
    ];
    let is_at = |domain: &str| {
        host.strip_suffix(domain)
            // Google puts a region before, with a hyphen.
            .is_some_and(|before| before.is_empty() || before.ends_with(['.', '-']))
    };
    if host.starts_with("bedrock") && host.ends_with(".amazonaws.com") {
        return "aws.bedrock";
    }
    let known = KNOWN.iter().find(|(domain, _)| is_at(domain));
    known.map_or(dialect(kind), |(_, name)| name)
}

fn dialect(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Anthropic => "anthropic",
        ProviderKind::Openai | ProviderKind::Decision => "openai",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_few() {
        let table = [
            ("/v1/chat/completions", "/v1/chat/completions"),
            ("/v2/rerank", "/v2/rerank"),
            ("/v1/responses", "/v1/responses"),
            ("/v1/responses/compact", "/v1/responses/compact"),
            ("/v1/responses/resp_1", "/v1/responses/{id}"),
            ("/v1/responses/resp_1/cancel", "/v1/responses/{id}/cancel"),
            (
                "/v1/responses/cancel/input_items",
                "/v1/responses/{id}/input_items",
            ),
            ("/v1/responses/cancel", "/v1/responses/{id}"),
        ];
        for (path, route) in table {
            assert_eq!(route_of(path), route, "{path}");
        }
    }

    #[test]
    fn providers_are_known_by_their_hosts_and_else_by_their_dialect() {
        let table = [
            ("api.openai.com", "openai"),
            ("mine.openai.azure.com", "azure.ai.openai"),
            ("us-central1-aiplatform.googleapis.com", "gcp.vertex_ai"),
            ("bedrock-runtime.us-east-1.amazonaws.com", "aws.bedrock"),
            ("api.mistral.ai", "mistral_ai"),
            ("notapi.groq.com", "anthropic"),
            ("api.groq.com.example", "anthropic"),
            ("10.0.0.1", "anthropic"),
            ("", "anthropic"),
        ];
        for (host, name) in table {
            assert_eq!(provider(ProviderKind::Anthropic, host), name, "{host}");
        }
        assert_eq!(provider(ProviderKind::Openai, "h"), "openai");
    }

    #[test]
    fn operations_are_of_the_conventions_where_they_have_one() {
        assert_eq!(operation(Some(Endpoint::Messages)), "chat");
        assert_eq!(operation(Some(Endpoint::Completions)), "text_completion");
        assert_eq!(operation(Some(Endpoint::Speech)), "generate_content");
        assert_eq!(output(Some(Endpoint::Speech)), Some("speech"));
        assert_eq!(output(Some(Endpoint::ChatCompletions)), None);
    }
}
