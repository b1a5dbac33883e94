//! What kinds and categories are called.

use crate::api::provider::{Category, ProviderKind};
use crate::i18n::{Locale, text};
use crate::presets::Preset;

pub(crate) fn kind_name(locale: Locale, kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Openai => text!(locale, kind.openai),
        ProviderKind::Anthropic => text!(locale, kind.anthropic),
        ProviderKind::Decision => text!(locale, kind.decision),
    }
}

pub(crate) fn kinds(locale: Locale) -> Vec<(ProviderKind, &'static str)> {
    [
        ProviderKind::Openai,
        ProviderKind::Anthropic,
        ProviderKind::Decision,
    ]
    .map(|kind| (kind, kind_name(locale, kind)))
    .to_vec()
}

pub(crate) fn categories(locale: Locale) -> Vec<(Category, &'static str)> {
    vec![
        (Category::Llm, text!(locale, category.llm)),
        (Category::Embedding, text!(locale, category.embedding)),
        (Category::Reranker, text!(locale, category.reranker)),
        (Category::Image, text!(locale, category.image)),
        (
            Category::SpeechToText,
            text!(locale, category.speech_to_text),
        ),
        (
            Category::TextToSpeech,
            text!(locale, category.text_to_speech),
        ),
        (Category::Decision, text!(locale, category.decision)),
        (Category::Unknown, text!(locale, category.unknown)),
    ]
}

/// The makers' own name; where anybody may be the maker, that of the kind.
pub(crate) fn preset_name(locale: Locale, preset: &Preset) -> &'static str {
    if preset.name.is_empty() {
        kind_name(locale, preset.kind)
    } else {
        preset.name
    }
}
