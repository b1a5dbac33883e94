//! *Try it*: a sample prompt sent to the real decision service, with settings that are not saved yet.

use std::time::Instant;

use app::api::explain::{DecisionSaid, DecisionTrial, DecisionTried};
use app::api::provider::ProviderKind;
use app::error::ApiError;
use routing::{DecisionService, Route, RouteDraft, TargetDraft};
use serde_json::json;

use super::Inspector;
use crate::gateway::decision::ask::ask;
use crate::gateway::decision::question::Question;
use crate::gateway::decision::state;
use crate::snapshot::CompiledProvider;

const AT: &str = "policy.decision_service";

impl Inspector {
    /// What the service says of the prompt. A service that fails is an answer too, with its reason. It
    /// trips nothing.
    ///
    /// # Errors
    /// 422 by the fields that they have in a route, and at `prompt`.
    pub async fn try_decision(&self, trial: DecisionTrial) -> Result<DecisionTried, ApiError> {
        if trial.prompt.trim().is_empty() {
            return Err(ApiError::invalid_field(
                "prompt",
                "Write what a client might ask.",
            ));
        }
        let settings = checked(&trial)?;
        let snapshot = self.snapshots.load();
        let provider = service(&snapshot.providers, &settings)?;
        let body = json!({"messages": [{"role": "user", "content": trial.prompt}]}).to_string();
        let question = Question::new(&settings, settings.criteria.clone());
        let question = question.about(&state::of(body.as_bytes()));
        let options = settings.criteria.keys().map(String::as_str);
        let begun = Instant::now();
        let answer = ask(provider, settings.timeout_ms, question, options).await;
        let latency_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (decision, reason) = match answer {
            Ok(answer) => {
                let said = DecisionSaid {
                    probabilities: answer.decision.probabilities,
                    confidence: answer.decision.confidence,
                };
                (Some(said), None)
            }
            Err(reason) => (None, Some(reason)),
        };
        Ok(DecisionTried {
            decision,
            latency_ms,
            reason,
        })
    }
}

/// The settings as they would be in a route whose targets are just those that have a criterion.
fn checked(trial: &DecisionTrial) -> Result<DecisionService, ApiError> {
    let target = |model: &String| TargetDraft {
        provider: "any".to_owned(),
        model: model.clone(),
        ..TargetDraft::default()
    };
    let mut settings = trial.settings.clone();
    settings.enabled = true;
    let mut draft = RouteDraft {
        name: "trial".to_owned(),
        targets: settings.criteria.keys().map(target).collect(),
        ..RouteDraft::default()
    };
    draft.policy.decision_service = Some(settings);
    let errors = match Route::try_from(&draft) {
        Ok(route) => return Ok(route.policy().decision_service.clone()),
        Err(errors) => errors,
    };
    let mut fields = errors.into_messages();
    fields.retain(|field, _| field.starts_with(AT));
    if fields.is_empty() {
        fields.insert(format!("{AT}.criteria"), "Name each model once.".to_owned());
    }
    Err(ApiError::invalid(fields))
}

fn service<'a>(
    providers: &'a [std::sync::Arc<CompiledProvider>],
    settings: &DecisionService,
) -> Result<&'a CompiledProvider, ApiError> {
    let reference = settings.provider.as_deref().unwrap_or_default();
    let named = providers.iter().find(|provider| provider.name == reference);
    let found = named.or_else(|| {
        let id = uuid::Uuid::try_parse(reference).ok()?;
        providers.iter().find(|provider| provider.id == id)
    });
    match found {
        Some(provider) if provider.kind == ProviderKind::Decision => Ok(provider),
        Some(_) => Err(ApiError::invalid_field(
            format!("{AT}.provider"),
            format!(
                "The provider \"{reference}\" answers requests, it does not decide; choose one of kind decision."
            ),
        )),
        None => Err(ApiError::invalid_field(
            format!("{AT}.provider"),
            format!(
                "There is no provider \"{reference}\". Register it under Model Providers, or choose one that is there."
            ),
        )),
    }
}
