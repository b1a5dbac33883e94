//! What is typed into the Policy side of the editor, and the draft it amounts to.

use leptos::prelude::*;
use routing::{
    DecisionServiceDraft, LeastInflightDraft, PolicyDraft, PolicySettings, SessionAffinityDraft,
    SessionKeyDraft,
};

use crate::components::rows::Rows;

use super::form::parse_number;

/// The two ways to make a route decide otherwise than by round-robin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    TargetWeight,
    Policy,
}

#[derive(Clone, Copy)]
pub(super) struct PolicyForm {
    pub by: RwSignal<By>,
    pub affinity: AffinityForm,
    pub inflight: InflightForm,
    pub decision: DecisionForm,
}

#[derive(Clone, Copy)]
pub(super) struct AffinityForm {
    pub on: RwSignal<bool>,
    pub weight: RwSignal<String>,
    pub keys: Rows<KeyRow>,
    /// Separated by commas.
    pub body_paths: RwSignal<String>,
}

/// Where a session key is looked for.
#[derive(Clone, Copy)]
pub(super) struct KeyRow {
    pub place: RwSignal<KeyPlace>,
    pub name: RwSignal<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyPlace {
    Header,
    Body,
}

#[derive(Clone, Copy)]
pub(super) struct InflightForm {
    pub on: RwSignal<bool>,
    pub weight: RwSignal<String>,
}

#[derive(Clone, Copy)]
pub(super) struct DecisionForm {
    pub on: RwSignal<bool>,
    pub weight: RwSignal<String>,
    pub provider: RwSignal<String>,
    pub model: RwSignal<String>,
    pub instructions: RwSignal<String>,
    pub criteria: Rows<CriterionRow>,
    pub timeout_ms: RwSignal<String>,
}

/// What a model is good at.
#[derive(Clone)]
pub(super) struct CriterionRow {
    pub model: String,
    pub text: RwSignal<String>,
}

impl PolicyForm {
    pub(super) fn of(draft: PolicyDraft) -> Self {
        let defaults = PolicyDraft::from(PolicySettings::default());
        let affinity = draft.session_affinity.or(defaults.session_affinity);
        let inflight = draft.least_inflight.or(defaults.least_inflight);
        let decision = draft.decision_service.or(defaults.decision_service);
        let form = Self {
            by: RwSignal::new(By::TargetWeight),
            affinity: AffinityForm::of(affinity.unwrap_or_default()),
            inflight: InflightForm::of(inflight.unwrap_or_default()),
            decision: DecisionForm::of(decision.unwrap_or_default()),
        };
        let scorers = [form.affinity.on, form.inflight.on, form.decision.on];
        if scorers.iter().any(|on| on.get_untracked()) {
            form.by.set(By::Policy);
        }
        form
    }

    /// Scorers keep what was typed while Target Weight is chosen, but are off.
    pub(super) fn draft(self) -> PolicyDraft {
        let count = self.by.get() == By::Policy;
        PolicyDraft {
            session_affinity: Some(self.affinity.draft(count)),
            least_inflight: Some(self.inflight.draft(count)),
            decision_service: Some(self.decision.draft(count)),
        }
    }
}

impl AffinityForm {
    fn of(draft: SessionAffinityDraft) -> Self {
        let form = Self {
            on: RwSignal::new(draft.enabled),
            weight: RwSignal::new(typed(draft.weight)),
            keys: Rows::new(),
            body_paths: RwSignal::new(draft.body_paths.unwrap_or_default().join(", ")),
        };
        for key in draft.keys.unwrap_or_default() {
            match (key.header, key.body) {
                (Some(header), _) => form.add_key(KeyPlace::Header, &header),
                (None, body) => form.add_key(KeyPlace::Body, &body.unwrap_or_default()),
            };
        }
        form
    }

    /// Answers with the new row's key.
    pub(super) fn add_key(self, place: KeyPlace, name: &str) -> u32 {
        self.keys.add(|| KeyRow {
            place: RwSignal::new(place),
            name: RwSignal::new(name.to_owned()),
        })
    }

    /// What a well-known client sends goes first: the first key that is present wins.
    pub(super) fn put_header_first(self, name: &str) {
        let is_it = |row: &KeyRow| {
            row.place.get_untracked() == KeyPlace::Header
                && row.name.with_untracked(|known| known.trim() == name)
        };
        let known = self
            .keys
            .list
            .with_untracked(|list| list.iter().find(|row| is_it(&row.of)).map(|row| row.key));
        let key = known.unwrap_or_else(|| self.add_key(KeyPlace::Header, name));
        while self.keys.index(key).get_untracked() > 0 {
            self.keys.step(key, false);
        }
    }

    fn draft(self, counts: bool) -> SessionAffinityDraft {
        let keys = self.keys.list.read();
        let keys = keys.iter().map(|row| {
            let name = Some(row.of.name.get());
            match row.of.place.get() {
                KeyPlace::Header => SessionKeyDraft {
                    header: name,
                    body: None,
                },
                KeyPlace::Body => SessionKeyDraft {
                    header: None,
                    body: name,
                },
            }
        });
        let body_paths = self.body_paths.read();
        let paths = body_paths.split(',').map(str::trim);
        let paths = paths.filter(|path| !path.is_empty()).map(str::to_owned);
        let enabled = counts && self.on.get();
        SessionAffinityDraft {
            enabled,
            weight: weight(&self.weight.read(), enabled),
            body_paths: Some(paths.collect()),
            keys: Some(keys.collect()),
        }
    }
}

impl InflightForm {
    fn of(draft: LeastInflightDraft) -> Self {
        Self {
            on: RwSignal::new(draft.enabled),
            weight: RwSignal::new(typed(draft.weight)),
        }
    }

    fn draft(self, counts: bool) -> LeastInflightDraft {
        let enabled = counts && self.on.get();
        LeastInflightDraft {
            enabled,
            weight: weight(&self.weight.read(), enabled),
        }
    }
}

impl DecisionForm {
    fn of(draft: DecisionServiceDraft) -> Self {
        let form = Self {
            on: RwSignal::new(draft.enabled),
            weight: RwSignal::new(typed(draft.weight)),
            provider: RwSignal::new(draft.provider.unwrap_or_default()),
            model: RwSignal::new(draft.model.unwrap_or_default()),
            instructions: RwSignal::new(draft.instructions),
            criteria: Rows::new(),
            timeout_ms: RwSignal::new(
                draft
                    .timeout_ms
                    .map_or_else(String::new, |timeout| timeout.to_string()),
            ),
        };
        for (model, text) in draft.criteria {
            form.add_criterion(model, text);
        }
        form
    }

    fn add_criterion(self, model: String, text: String) -> u32 {
        self.criteria.add(|| CriterionRow {
            model,
            text: RwSignal::new(text),
        })
    }

    /// One row for each distinct model; what is described already stays.
    pub(super) fn generate(self, models: &[String], starter: impl Fn(&str) -> String) {
        for model in models {
            let known = self
                .criteria
                .list
                .with_untracked(|list| list.iter().any(|row| row.of.model == *model));
            if !known {
                self.add_criterion(model.clone(), starter(model));
            }
        }
    }

    pub(super) fn draft(self, counts: bool) -> DecisionServiceDraft {
        let some = |text: String| Some(text).filter(|text| !text.trim().is_empty());
        let criteria = self.criteria.list.read();
        let criteria = criteria
            .iter()
            .map(|row| (row.of.model.clone(), row.of.text.get()));
        let enabled = counts && self.on.get();
        // What is no number is no time at all, which the check refuses.
        let timeout_ms =
            some(self.timeout_ms.get()).map(|typed| typed.trim().parse().unwrap_or_default());
        DecisionServiceDraft {
            enabled,
            weight: weight(&self.weight.read(), enabled),
            provider: some(self.provider.get()),
            model: some(self.model.get()),
            instructions: self.instructions.get(),
            criteria: criteria.collect(),
            timeout_ms: timeout_ms.filter(|timeout| enabled || (100..=30_000).contains(timeout)),
        }
    }
}

/// Nobody sees the fields of a scorer that is off, so what is no weight there is left out.
fn weight(typed: &str, enabled: bool) -> Option<f64> {
    parse_number(typed).filter(|weight| enabled || weight.is_finite() && *weight > 0.0)
}

fn typed(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switching_to_weights_and_back_loses_nothing() {
        Owner::new().with(|| {
            let form = PolicyForm::of(PolicyDraft {
                session_affinity: Some(SessionAffinityDraft {
                    weight: Some(2.5),
                    keys: Some(vec![SessionKeyDraft {
                        header: None,
                        body: Some("metadata.user_id".into()),
                    }]),
                    ..SessionAffinityDraft::default()
                }),
                ..PolicyDraft::default()
            });
            assert_eq!(form.by.get_untracked(), By::Policy);
            let policy = form.draft();
            form.by.set(By::TargetWeight);
            let affinity = form.draft().session_affinity.unwrap();
            assert!(!affinity.enabled);
            assert_eq!(affinity.weight, Some(2.5));
            form.by.set(By::Policy);
            assert_eq!(form.draft(), policy);
        });
    }

    #[test]
    fn a_preset_puts_its_header_first_once() {
        Owner::new().with(|| {
            let form = PolicyForm::of(PolicyDraft::default()).affinity;
            form.put_header_first("x-session-id");
            form.put_header_first("session-id");
            form.put_header_first("x-session-id");
            let keys = form.draft(true).keys.unwrap();
            let names = keys
                .iter()
                .map(|key| key.header.clone().or(key.body.clone()));
            assert_eq!(
                names.flatten().collect::<Vec<_>>(),
                [
                    "x-session-id",
                    "session-id",
                    "x-client-request-id",
                    "prompt_cache_key"
                ]
            );
        });
    }

    #[test]
    fn generating_criteria_keeps_what_is_written() {
        Owner::new().with(|| {
            let form = PolicyForm::of(PolicyDraft::default()).decision;
            form.generate(&["a".into()], |_| "written".to_owned());
            form.generate(&["a".into(), "b".into(), "b".into()], |model| {
                format!("{model} is good at …")
            });
            let criteria = form.draft(true).criteria;
            assert_eq!(criteria["a"], "written");
            assert_eq!(criteria["b"], "b is good at …");
            assert_eq!(criteria.len(), 2);
        });
    }
}
