//! What is typed into the editor, and the draft it amounts to.

use leptos::prelude::*;
use routing::{FallbackDraft, RouteDraft, TargetDraft};
use uuid::Uuid;

use crate::components::rows::Rows;

use super::policy_form::{By, PolicyForm};
use super::retries::RetryForm;

/// What the form shows first.
#[derive(Clone)]
pub(crate) enum Start {
    New,
    Copy(RouteDraft),
    Stored(Uuid, RouteDraft),
}

/// The editor's state. Its signals live as long as the page.
#[derive(Clone, Copy)]
pub(super) struct RouteForm {
    /// The route that is edited.
    pub stored: Option<Uuid>,
    /// What this edit started from.
    pub revision: RwSignal<Option<i64>>,
    pub name: RwSignal<String>,
    pub description: RwSignal<String>,
    pub enabled: RwSignal<bool>,
    pub targets: Rows<TargetRow>,
    pub policy: PolicyForm,
    /// Each a `provider/model`.
    pub fallbacks: Rows<RwSignal<String>>,
    pub retry: RetryForm,
    pub keep_alive: RwSignal<bool>,
    pub keep_bodies: RwSignal<bool>,
}

/// One row of Route Targets.
#[derive(Clone, Copy)]
pub(super) struct TargetRow {
    /// Of a target that is stored.
    id: Option<Uuid>,
    /// `provider/model`.
    pub target: RwSignal<String>,
    pub weight: RwSignal<String>,
    pub enabled: RwSignal<bool>,
}

impl RouteForm {
    pub(super) fn new(start: Start) -> Self {
        match start {
            Start::New => {
                // One row to start with.
                let form = Self::of(None, RouteDraft::default());
                form.add_target();
                form
            }
            Start::Stored(id, draft) => Self::of(Some(id), draft),
            // Its targets are new ones.
            Start::Copy(mut draft) => {
                draft.name.push_str("-copy");
                draft.revision = None;
                for target in &mut draft.targets {
                    target.id = None;
                }
                Self::of(None, draft)
            }
        }
    }

    fn of(stored: Option<Uuid>, draft: RouteDraft) -> Self {
        let form = Self {
            stored,
            revision: RwSignal::new(draft.revision),
            name: RwSignal::new(draft.name),
            description: RwSignal::new(draft.description),
            enabled: RwSignal::new(draft.enabled),
            targets: Rows::new(),
            policy: PolicyForm::of(draft.policy),
            fallbacks: Rows::new(),
            retry: RetryForm::of(draft.retry),
            keep_alive: RwSignal::new(draft.keep_alive),
            keep_bodies: RwSignal::new(draft.keep_bodies),
        };
        let rows = draft.targets.into_iter();
        form.targets
            .extend(rows.map(|target| || TargetRow::of(target)));
        let rows = draft.fallbacks.into_iter();
        form.fallbacks.extend(rows.map(|fallback| {
            move || RwSignal::new(join_target(&fallback.provider, &fallback.model))
        }));
        form
    }

    /// Answers with the new row's key.
    pub(super) fn add_target(self) -> u32 {
        self.targets.add(|| TargetRow::of(TargetDraft::default()))
    }

    /// Answers with the new row's key.
    pub(super) fn add_fallback(self) -> u32 {
        self.fallbacks.add(|| RwSignal::new(String::new()))
    }

    /// What would be saved now.
    pub(super) fn draft(self) -> RouteDraft {
        // Weights keep what was typed while Policy is chosen, but do not count.
        let weighted = self.policy.by.get() == By::TargetWeight;
        let targets = self.targets.list.read();
        let fallbacks = self.fallbacks.list.read();
        let fallbacks = fallbacks.iter().map(|row| {
            let (provider, model) = split_target(&row.of.read());
            FallbackDraft { provider, model }
        });
        RouteDraft {
            revision: self.revision.get(),
            name: self.name.get(),
            description: self.description.get(),
            enabled: self.enabled.get(),
            targets: targets.iter().map(|row| row.of.draft(weighted)).collect(),
            fallbacks: fallbacks.collect(),
            policy: self.policy.draft(),
            retry: self.retry.draft(),
            keep_alive: self.keep_alive.get(),
            keep_bodies: self.keep_bodies.get(),
        }
    }
}

impl TargetRow {
    fn of(target: TargetDraft) -> Self {
        Self {
            id: target.id,
            target: RwSignal::new(join_target(&target.provider, &target.model)),
            weight: RwSignal::new(
                target
                    .weight
                    .map_or_else(String::new, |weight| weight.to_string()),
            ),
            enabled: RwSignal::new(target.enabled),
        }
    }

    fn draft(self, weighted: bool) -> TargetDraft {
        let (provider, model) = split_target(&self.target.read());
        TargetDraft {
            id: self.id,
            provider,
            model,
            weight: parse_number(&self.weight.read()).filter(|_| weighted),
            enabled: self.enabled.get(),
        }
    }
}

fn join_target(provider: &str, model: &str) -> String {
    match (provider, model) {
        ("", "") => String::new(),
        _ => format!("{provider}/{model}"),
    }
}

/// A provider's name holds no `/`; a model's may.
fn split_target(typed: &str) -> (String, String) {
    let (provider, model) = typed.split_once('/').unwrap_or((typed, ""));
    (provider.trim().to_owned(), model.trim().to_owned())
}

/// Nothing typed is no number. What is none becomes the one that is none, so that the check of weights
/// has the word on that too.
pub(super) fn parse_number(typed: &str) -> Option<f64> {
    let typed = typed.trim();
    (!typed.is_empty()).then(|| typed.parse().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use routing::{PolicySettings, Problem, RetryDraft, Route};

    use super::*;

    #[test]
    fn a_target_splits_at_the_first_slash() {
        for (typed, provider, model) in [
            ("local-a/qwen3-0.6b", "local-a", "qwen3-0.6b"),
            ("hub/Qwen/Qwen3-32B", "hub", "Qwen/Qwen3-32B"),
            (" hub / m ", "hub", "m"),
            ("hub", "hub", ""),
            ("", "", ""),
        ] {
            assert_eq!(
                split_target(typed),
                (provider.to_owned(), model.to_owned()),
                "{typed:?}"
            );
        }
    }

    #[test]
    fn a_weight_is_a_number_or_left_out() {
        assert_eq!(parse_number("  "), None);
        assert_eq!(parse_number(" 100 "), Some(100.0));
        assert_eq!(parse_number("0.5"), Some(0.5));
        assert!(parse_number("much").is_some_and(f64::is_nan));
    }

    #[test]
    fn the_form_becomes_the_draft_that_routing_checks() {
        Owner::new().with(|| {
            let form = RouteForm::new(Start::New);
            form.name.set("qwen3".into());
            form.add_target();
            let rows = form.targets.list.get_untracked();
            let [first, second] = [rows[0].of, rows[1].of];
            first.target.set("local-a/qwen3-0.6b".into());
            first.weight.set("100".into());
            second.target.set("local-b/qwen3-32b".into());

            let errors = Route::try_from(form.draft()).unwrap_err();
            assert_eq!(
                errors.get("targets[1].weight"),
                Some(&Problem::WeightMissing)
            );

            second.weight.set("300".into());
            assert!(Route::try_from(form.draft()).is_ok());

            form.targets.remove(rows[0].key);
            assert_eq!(form.draft().targets.len(), 1);
        });
    }

    #[test]
    fn what_is_not_touched_is_kept_and_a_copy_is_a_new_route() {
        Owner::new().with(|| {
            let stored = RouteDraft {
                revision: Some(3),
                name: "qwen3".into(),
                description: "Small and large".into(),
                enabled: false,
                targets: vec![TargetDraft {
                    id: Some(Uuid::from_u128(2)),
                    provider: "local".into(),
                    model: "Qwen/Qwen3-32B".into(),
                    weight: Some(300.0),
                    enabled: false,
                }],
                fallbacks: ["m", "org/m"]
                    .map(|model| FallbackDraft {
                        provider: "hosted".into(),
                        model: model.into(),
                    })
                    .to_vec(),
                policy: PolicySettings::default().into(),
                retry: RetryDraft {
                    attempts: Some(3.0),
                    statuses: Some(vec![429, 500]),
                },
                keep_alive: false,
                keep_bodies: true,
            };
            let form = RouteForm::new(Start::Stored(Uuid::from_u128(1), stored.clone()));
            assert_eq!(form.draft(), stored);

            let copy = RouteForm::new(Start::Copy(stored)).draft();
            assert_eq!(copy.name, "qwen3-copy");
            assert_eq!((copy.revision, copy.targets[0].id), (None, None));
            assert_eq!(copy.targets[0].weight, Some(300.0));
            assert_eq!(copy.fallbacks.len(), 2);
        });
    }

    #[test]
    fn fallbacks_are_added_and_moved() {
        Owner::new().with(|| {
            let form = RouteForm::new(Start::New);
            let keys = ["a/m", "b/m"].map(|name| {
                let key = form.add_fallback();
                form.fallbacks.list.with_untracked(|list| {
                    list[list.len() - 1].of.set(name.into());
                });
                key
            });
            form.fallbacks.step(keys[1], false);
            let providers = form
                .draft()
                .fallbacks
                .into_iter()
                .map(|fallback| fallback.provider);
            assert_eq!(providers.collect::<Vec<_>>(), ["b", "a"]);
        });
    }
}
