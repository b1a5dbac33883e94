//! The three ways to ask for an answer, and where each is served.

/// Of Anthropic's dialect, which has to be named with each request.
pub(super) const ANTHROPIC_VERSION: &str = "2023-06-01";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dialect {
    #[default]
    Chat,
    Responses,
    Messages,
}

impl Dialect {
    pub(super) const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Messages];

    /// As applications call it.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Responses => "/v1/responses",
            Self::Messages => "/v1/messages",
        }
    }

    /// As this page calls it: by its session, without a key.
    pub(super) fn call_path(self) -> String {
        format!("/playground{}", self.path())
    }
}
