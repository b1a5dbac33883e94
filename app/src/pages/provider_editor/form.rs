//! What is typed into the editor, and the draft it amounts to.

use std::collections::BTreeMap;

use leptos::prelude::*;
use uuid::Uuid;

use crate::api::price::Price;
use crate::api::provider::{
    Category, Credential, CredentialDraft, HealthCheck, Instance, Model, Provider, ProviderDraft,
    ProviderKind, Timeouts,
};
use crate::components::rows::Rows;
use crate::i18n::{Locale, text};
use crate::presets::Preset;

use super::Start;
use super::price::TypedPrice;

/// The editor's state. Its signals live as long as the page.
#[derive(Clone, Copy)]
pub(super) struct ProviderForm {
    /// The provider that is edited.
    pub stored: Option<Uuid>,
    /// What this edit started from.
    pub revision: RwSignal<Option<i64>>,
    pub name: RwSignal<String>,
    pub kind: RwSignal<ProviderKind>,
    pub enabled: RwSignal<bool>,
    pub instances: Rows<InstanceRow>,
    /// Stored credentials that stay.
    pub kept: RwSignal<Vec<Credential>>,
    /// New secrets.
    pub secrets: Rows<RwSignal<String>>,
    pub credential_header: RwSignal<String>,
    pub models: Rows<ModelRow>,
    pub headers: Rows<HeaderRow>,
    /// None chosen means all.
    pub speaks: RwSignal<Vec<String>>,
    pub connect_ms: RwSignal<String>,
    pub first_byte_ms: RwSignal<String>,
    pub idle_ms: RwSignal<String>,
    /// Blank for no health check.
    pub health_path: RwSignal<String>,
    pub health_interval_s: RwSignal<String>,
    pub include_usage: RwSignal<bool>,
}

#[derive(Clone, Copy)]
pub(super) struct InstanceRow {
    pub url: RwSignal<String>,
    pub max_inflight: RwSignal<String>,
}

#[derive(Clone)]
pub(super) struct ModelRow {
    pub name: String,
    pub category: RwSignal<Category>,
    pub price: TypedPrice,
}

#[derive(Clone, Copy)]
pub(super) struct HeaderRow {
    pub name: RwSignal<String>,
    pub value: RwSignal<String>,
    /// Its value is stored, and stays if no new one is typed.
    pub stored: bool,
}

/// A draft, and what cannot be one: field path to sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Typed {
    pub draft: ProviderDraft,
    pub problems: BTreeMap<String, String>,
}

impl ProviderForm {
    pub(super) fn new(start: Start) -> Self {
        match start {
            Start::Preset(preset) => Self::from_preset(preset),
            Start::Copy(provider) => {
                // Secrets are never handed out, so a copy starts without them.
                let form = Self::from_provider(&provider);
                form.name.set(format!("{}-copy", provider.name));
                if !provider.credentials.is_empty() {
                    form.add_secret();
                }
                form
            }
            Start::Stored(provider) => {
                let form = Self::from_provider(&provider);
                form.kept.set(provider.credentials);
                form.revision.set(Some(provider.revision));
                Self {
                    stored: Some(provider.id),
                    ..form
                }
            }
        }
    }

    fn blank(kind: ProviderKind, timeouts: Timeouts) -> Self {
        Self {
            stored: None,
            revision: RwSignal::new(None),
            name: RwSignal::new(String::new()),
            kind: RwSignal::new(kind),
            enabled: RwSignal::new(true),
            instances: Rows::new(),
            kept: RwSignal::new(Vec::new()),
            secrets: Rows::new(),
            credential_header: RwSignal::new(String::new()),
            models: Rows::new(),
            headers: Rows::new(),
            speaks: RwSignal::new(Vec::new()),
            connect_ms: RwSignal::new(timeouts.connect_ms.to_string()),
            first_byte_ms: RwSignal::new(timeouts.first_byte_ms.to_string()),
            idle_ms: RwSignal::new(timeouts.idle_ms.to_string()),
            health_path: RwSignal::new(String::new()),
            health_interval_s: RwSignal::new("10".to_owned()),
            include_usage: RwSignal::new(false),
        }
    }

    fn from_preset(preset: &Preset) -> Self {
        let form = Self::blank(preset.kind, Timeouts::default());
        form.name.set(preset.id.to_owned());
        form.add_instance(preset.url, None);
        form.add_secret();
        form.credential_header
            .set(preset.credential_header.to_owned());
        form.speaks
            .set(preset.speaks.iter().map(|&name| name.to_owned()).collect());
        for name in preset.models {
            form.add_model(name, None);
        }
        form.include_usage.set(preset.include_usage);
        form
    }

    fn from_provider(provider: &Provider) -> Self {
        let form = Self::blank(provider.kind, provider.timeouts);
        form.name.set(provider.name.clone());
        form.enabled.set(provider.enabled);
        for instance in &provider.instances {
            form.add_instance(&instance.url, instance.max_inflight);
        }
        form.credential_header
            .set(provider.credential_header.clone().unwrap_or_default());
        form.add_models(
            provider
                .models
                .iter()
                .map(|model| (model.name.clone(), model.category, model.price)),
        );
        for name in provider.headers.keys() {
            form.add_header(name, true);
        }
        form.speaks.set(provider.speaks.clone().unwrap_or_default());
        if let Some(check) = &provider.health_check {
            form.health_path.set(check.path.clone());
            form.health_interval_s.set(check.interval_s.to_string());
        }
        form.include_usage.set(provider.include_usage);
        form
    }

    /// Answers with the new row's key, as do its siblings.
    pub(super) fn add_instance(self, url: &str, max_inflight: Option<u32>) -> u32 {
        self.instances.add(|| InstanceRow {
            url: RwSignal::new(url.to_owned()),
            max_inflight: RwSignal::new(
                max_inflight.map_or_else(String::new, |most| most.to_string()),
            ),
        })
    }

    pub(super) fn add_secret(self) -> u32 {
        self.secrets.add(|| RwSignal::new(String::new()))
    }

    pub(super) fn add_header(self, name: &str, stored: bool) -> u32 {
        self.headers.add(|| HeaderRow {
            name: RwSignal::new(name.to_owned()),
            value: RwSignal::new(String::new()),
            stored,
        })
    }

    /// Guesses the category where none is given. What is there already is left alone.
    pub(super) fn add_model(self, name: &str, category: Option<Category>) {
        let category = category.unwrap_or_else(|| self.guess(name));
        self.add_models([(name.to_owned(), category, None)]);
    }

    pub(super) fn add_models(
        self,
        models: impl IntoIterator<Item = (String, Category, Option<Price>)>,
    ) {
        self.models
            .extend(models.into_iter().map(|(name, category, price)| {
                move || ModelRow {
                    name,
                    category: RwSignal::new(category),
                    price: TypedPrice::new(price),
                }
            }));
    }

    pub(super) fn guess(self, model: &str) -> Category {
        if self.kind.get_untracked() == ProviderKind::Decision {
            Category::Decision
        } else {
            guess_category(model)
        }
    }

    /// What would be saved now.
    pub(super) fn read(self, locale: Locale) -> Typed {
        let mut problems = BTreeMap::new();
        let mut number = |path: String, typed: &str| {
            let typed = typed.trim();
            let number = typed.parse::<u64>().ok();
            if number.is_none() && !typed.is_empty() {
                problems.insert(path, text!(locale, provider.no_number).to_owned());
            }
            number
        };
        let instances = self.instances.list.read();
        let instances = instances.iter().enumerate().map(|(index, row)| Instance {
            url: row.of.url.get(),
            max_inflight: number(
                format!("instances[{index}].max_inflight"),
                &row.of.max_inflight.read(),
            )
            .map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
        });
        let instances = instances.collect();
        // Nothing typed is no time at all, which the server refuses.
        let timeouts = Timeouts {
            connect_ms: number("timeouts.connect_ms".into(), &self.connect_ms.read())
                .unwrap_or_default(),
            first_byte_ms: number("timeouts.first_byte_ms".into(), &self.first_byte_ms.read())
                .unwrap_or_default(),
            idle_ms: number("timeouts.idle_ms".into(), &self.idle_ms.read()).unwrap_or_default(),
        };
        let path = self.health_path.get();
        let health_check = (!path.trim().is_empty()).then(|| {
            let typed = self.health_interval_s.read();
            let interval_s = number("health_check.interval_s".into(), &typed).unwrap_or_default();
            HealthCheck {
                path,
                interval_s: u32::try_from(interval_s).unwrap_or(u32::MAX),
            }
        });

        let mut headers = BTreeMap::new();
        for row in self.headers.list.read().iter() {
            let (name, value) = (row.of.name.get(), row.of.value.get());
            if name.trim().is_empty() && value.is_empty() {
                continue;
            }
            let value = (!row.of.stored || !value.is_empty()).then_some(value);
            if headers.insert(name.clone(), value).is_some() {
                problems.insert(
                    format!("headers.{name}"),
                    text!(locale, provider.header_twice).to_owned(),
                );
            }
        }

        let kept = self.kept.read();
        let kept = kept.iter().map(|credential| CredentialDraft {
            id: Some(credential.id),
            secret: None,
        });
        let secrets = self.secrets.list.read();
        let new = secrets
            .iter()
            .map(|row| row.of.get())
            .filter(|secret| !secret.is_empty())
            .map(|secret| CredentialDraft {
                id: None,
                secret: Some(secret),
            });
        let credentials = kept.chain(new).collect();

        let header = self.credential_header.get();
        let speaks = self.speaks.get();
        let models = self.models.list.read();
        let models = models.iter().enumerate().map(|(index, row)| Model {
            name: row.of.name.clone(),
            category: row.of.category.get(),
            price: row.of.price.read().unwrap_or_else(|_| {
                problems.insert(
                    format!("models[{index}].price"),
                    text!(locale, provider.no_price).to_owned(),
                );
                None
            }),
        });
        let models = models.collect();
        let draft = ProviderDraft {
            revision: self.revision.get(),
            name: self.name.get(),
            kind: self.kind.get(),
            enabled: self.enabled.get(),
            instances,
            credentials: Some(credentials),
            credential_header: (!header.trim().is_empty()).then_some(header),
            models,
            headers: Some(headers),
            timeouts,
            speaks: (!speaks.is_empty()).then_some(speaks),
            health_check,
            include_usage: self.include_usage.get(),
        };
        Typed { draft, problems }
    }

    /// The place of a new secret among all credentials of the draft; nothing while it is empty.
    pub(super) fn secret_index(self, key: u32) -> Option<usize> {
        let secrets = self.secrets.list.read();
        let typed = secrets.iter().filter(|row| !row.of.read().is_empty());
        let at = typed.map(|row| row.key).position(|other| other == key)?;
        Some(self.kept.read().len() + at)
    }
}

/// From what models of a kind usually have in their names.
fn guess_category(model: &str) -> Category {
    let name = model.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["rerank"]) {
        Category::Reranker
    } else if has(&["embed", "bge-", "gte-", "e5-"]) {
        Category::Embedding
    } else if has(&["whisper", "transcribe", "-stt", "parakeet"]) {
        Category::SpeechToText
    } else if has(&["tts", "kokoro", "orpheus"]) {
        Category::TextToSpeech
    } else if has(&[
        "dall-e",
        "-image",
        "imagen",
        "flux",
        "stable-diffusion",
        "sdxl",
    ]) {
        Category::Image
    } else {
        Category::Llm
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::use_locale;
    use crate::presets::preset;

    fn provider() -> Provider {
        serde_json::from_value(serde_json::json!({
            "id": "0190a6f2-4e1b-7c3a-9d2e-000000000001", "revision": 3,
            "name": "local", "kind": "openai", "enabled": true,
            "instances": [{"url": "http://h:8000", "max_inflight": 4}],
            "credentials": [{"id": "0190a6f2-4e1b-7c3a-9d2e-000000000002", "hint": "abcd"}],
            "credential_header": null,
            "models": [{"name": "m", "category": "llm", "price": {"input": 1, "output": 2.5}}],
            "headers": {"x-org": null},
            "timeouts": {"connect_ms": 1, "first_byte_ms": 2, "idle_ms": 3},
            "speaks": null, "health_check": {"path": "/health", "interval_s": 10}, "include_usage": true,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        }))
        .unwrap()
    }

    #[test]
    fn what_is_not_touched_is_kept() {
        Owner::new().with(|| {
            let stored = provider();
            let form = ProviderForm::new(Start::Stored(stored.clone()));
            let Typed { draft, problems } = form.read(use_locale());
            assert!(problems.is_empty());
            assert_eq!(draft.revision, Some(3));
            assert_eq!(draft.instances, stored.instances);
            assert_eq!(draft.models, stored.models);
            assert_eq!(draft.timeouts, stored.timeouts);
            assert_eq!(draft.speaks, None);
            assert_eq!(draft.health_check, stored.health_check);
            assert!(draft.include_usage);
            assert_eq!(draft.headers, Some(stored.headers));
            assert_eq!(
                draft.credentials,
                Some(vec![CredentialDraft {
                    id: Some(stored.credentials[0].id),
                    secret: None
                }])
            );
        });
    }

    #[test]
    fn a_copy_holds_no_secret_and_is_new() {
        Owner::new().with(|| {
            let form = ProviderForm::new(Start::Copy(provider()));
            let draft = form.read(use_locale()).draft;
            assert_eq!((draft.revision, &*draft.name), (None, "local-copy"));
            assert_eq!(draft.credentials, Some(Vec::new()));
        });
    }

    #[test]
    fn secrets_have_their_place_behind_those_kept() {
        Owner::new().with(|| {
            let form = ProviderForm::new(Start::Stored(provider()));
            let (empty, typed) = (form.add_secret(), form.add_secret());
            form.secrets.list.get_untracked()[1].of.set("s".into());
            assert_eq!(form.secret_index(empty), None);
            assert_eq!(form.secret_index(typed), Some(1));
            assert_eq!(form.read(use_locale()).draft.credentials.unwrap().len(), 2);
        });
    }

    #[test]
    fn what_is_no_number_is_a_problem_at_its_field() {
        Owner::new().with(|| {
            let form = ProviderForm::new(Start::Preset(preset("groq").unwrap()));
            assert!(form.read(use_locale()).problems.is_empty());
            form.idle_ms.set("long".into());
            form.instances.list.get_untracked()[0]
                .of
                .max_inflight
                .set("-1".into());
            form.health_interval_s.set("often".into());
            let paths = || {
                let problems = form.read(use_locale()).problems;
                problems.into_keys().collect::<Vec<_>>()
            };
            // Without a path there is no health check that an interval could be wrong of.
            assert_eq!(paths(), ["instances[0].max_inflight", "timeouts.idle_ms"]);
            form.health_path.set("/health".into());
            assert_eq!(paths()[0], "health_check.interval_s");
        });
    }

    #[test]
    fn categories_are_guessed_by_name() {
        for (model, category) in [
            ("qwen3-32b", Category::Llm),
            ("text-embedding-3-small", Category::Embedding),
            ("BAAI/bge-reranker-v2-m3", Category::Reranker),
            ("whisper-large-v3", Category::SpeechToText),
            ("gpt-4o-mini-tts", Category::TextToSpeech),
            ("gpt-image-1", Category::Image),
        ] {
            assert_eq!(guess_category(model), category, "{model}");
        }
    }
}
