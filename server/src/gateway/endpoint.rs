//! What `/v1` serves: each endpoint's address, its name in a provider's `speaks`, and what its body may be.

/// An endpoint that is asked with POST and names its route in `model`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    ChatCompletions,
    Completions,
    Responses,
    CompactResponse,
    InputTokens,
    Messages,
    CountTokens,
    Embeddings,
    Rerank,
    Score,
    Moderations,
    ImageGenerations,
    ImageEdits,
    ImageVariations,
    Transcriptions,
    Translations,
    Speech,
}

impl Endpoint {
    pub const ALL: [Self; 17] = [
        Self::ChatCompletions,
        Self::Completions,
        Self::Responses,
        Self::CompactResponse,
        Self::InputTokens,
        Self::Messages,
        Self::CountTokens,
        Self::Embeddings,
        Self::Rerank,
        Self::Score,
        Self::Moderations,
        Self::ImageGenerations,
        Self::ImageEdits,
        Self::ImageVariations,
        Self::Transcriptions,
        Self::Translations,
        Self::Speech,
    ];

    /// The path after `/v1`.
    pub fn path(self) -> &'static str {
        match self {
            Self::ChatCompletions => "/chat/completions",
            Self::Completions => "/completions",
            Self::Responses => "/responses",
            Self::CompactResponse => "/responses/compact",
            Self::InputTokens => "/responses/input_tokens",
            Self::Messages => "/messages",
            Self::CountTokens => "/messages/count_tokens",
            Self::Embeddings => "/embeddings",
            Self::Rerank => "/rerank",
            Self::Score => "/score",
            Self::Moderations => "/moderations",
            Self::ImageGenerations => "/images/generations",
            Self::ImageEdits => "/images/edits",
            Self::ImageVariations => "/images/variations",
            Self::Transcriptions => "/audio/transcriptions",
            Self::Translations => "/audio/translations",
            Self::Speech => "/audio/speech",
        }
    }

    /// Where clients ask for it: under `/v1`, and under `/v2` what clients of Cohere's interface expect
    /// there.
    pub fn addresses(self) -> Vec<String> {
        let versions = self.versions().iter();
        versions
            .map(|version| format!("{version}{}", self.path()))
            .collect()
    }

    fn versions(self) -> &'static [&'static str] {
        match self {
            Self::Rerank | Self::Score => &["/v1", "/v2"],
            _ => &["/v1"],
        }
    }

    /// Its name in a provider's `speaks`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat",
            Self::Completions => "completions",
            Self::Responses | Self::CompactResponse | Self::InputTokens => "responses",
            Self::Messages => "messages",
            Self::CountTokens => "count_tokens",
            Self::Embeddings => "embeddings",
            Self::Rerank => "rerank",
            Self::Score => "score",
            Self::Moderations => "moderations",
            Self::ImageGenerations | Self::ImageEdits | Self::ImageVariations => "images",
            Self::Transcriptions | Self::Translations | Self::Speech => "audio",
        }
    }

    /// Whether it may go on from a response that an upstream keeps.
    pub fn goes_on_from_responses(self) -> bool {
        matches!(
            self,
            Self::Responses | Self::CompactResponse | Self::InputTokens
        )
    }

    /// Whether a stream of it can be asked for usage by `stream_options`.
    pub fn has_stream_options(self) -> bool {
        matches!(self, Self::ChatCompletions | Self::Completions)
    }

    /// Whether files are sent to it, as parts of a form.
    pub fn takes_forms(self) -> bool {
        matches!(
            self,
            Self::ImageEdits | Self::ImageVariations | Self::Transcriptions | Self::Translations
        )
    }

    /// The one that a whole path names.
    pub fn of(path: &str) -> Option<Self> {
        let is_it = |endpoint: &Self| {
            let version = path.strip_suffix(endpoint.path());
            version.is_some_and(|version| endpoint.versions().contains(&version))
        };
        Self::ALL.into_iter().find(is_it)
    }

    /// All addresses, for a sentence that helps.
    pub fn list() -> String {
        let addresses = Self::ALL.iter().flat_map(|one| one.addresses());
        addresses.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_address_names_its_own_endpoint() {
        let mut seen = HashSet::new();
        for endpoint in Endpoint::ALL {
            for address in endpoint.addresses() {
                assert_eq!(Endpoint::of(&address), Some(endpoint));
                assert!(seen.insert(address), "{endpoint:?}");
            }
        }
        assert_eq!(Endpoint::of("/v2/rerank"), Some(Endpoint::Rerank));
        for other in [
            "/v1",
            "/v1/",
            "/v2/embeddings",
            "/v1/messages/",
            "/chat/completions",
        ] {
            assert_eq!(Endpoint::of(other), None, "{other}");
        }
    }
}
