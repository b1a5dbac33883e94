//! What is typed into the editor, and the draft it amounts to.

use leptos::prelude::*;
use routing::{PolicyDraft, RouteDraft, TargetDraft};

/// The editor's state. Its signals live as long as the page.
#[derive(Clone, Copy)]
pub(super) struct RouteForm {
    pub name: RwSignal<String>,
    pub description: RwSignal<String>,
    pub targets: RwSignal<Vec<TargetRow>>,
    next_key: StoredValue<u32>,
    owner: StoredValue<Owner>,
}

/// One row of Route Targets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct TargetRow {
    /// Its identity while it is edited.
    pub key: u32,
    /// `provider/model`.
    pub target: RwSignal<String>,
    pub weight: RwSignal<String>,
    pub enabled: RwSignal<bool>,
}

impl RouteForm {
    /// An empty route with one row to start with.
    pub(super) fn new() -> Self {
        let form = Self {
            name: RwSignal::new(String::new()),
            description: RwSignal::new(String::new()),
            targets: RwSignal::new(Vec::new()),
            next_key: StoredValue::new(0),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
        };
        form.add_target();
        form
    }

    /// Answers with the new row's key.
    pub(super) fn add_target(self) -> u32 {
        let key = self.next_key.get_value();
        self.next_key.set_value(key.wrapping_add(1));
        let row = self.owner.get_value().with(|| TargetRow {
            key,
            target: RwSignal::new(String::new()),
            weight: RwSignal::new(String::new()),
            enabled: RwSignal::new(true),
        });
        self.targets.update(|targets| targets.push(row));
        key
    }

    pub(super) fn remove_target(self, key: u32) {
        self.targets
            .update(|targets| targets.retain(|row| row.key != key));
    }

    /// What would be saved now.
    pub(super) fn draft(self) -> RouteDraft {
        RouteDraft {
            revision: None,
            name: self.name.get(),
            description: self.description.get(),
            enabled: true,
            targets: self
                .targets
                .get()
                .into_iter()
                .map(TargetRow::draft)
                .collect(),
            fallbacks: Vec::new(),
            policy: PolicyDraft::default(),
        }
    }
}

impl TargetRow {
    fn draft(self) -> TargetDraft {
        let (provider, model) = split_target(&self.target.read());
        TargetDraft {
            id: None,
            provider,
            model,
            weight: parse_weight(&self.weight.read()),
            enabled: self.enabled.get(),
        }
    }
}

/// A provider's name holds no `/`; a model's may.
fn split_target(typed: &str) -> (String, String) {
    let (provider, model) = typed.split_once('/').unwrap_or((typed, ""));
    (provider.trim().to_owned(), model.trim().to_owned())
}

/// Nothing typed is no weight. What is no number becomes the number that is none, so that the check
/// of weights has the word on that too.
fn parse_weight(typed: &str) -> Option<f64> {
    let typed = typed.trim();
    (!typed.is_empty()).then(|| typed.parse().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use routing::{Problem, Route};

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
        assert_eq!(parse_weight("  "), None);
        assert_eq!(parse_weight(" 100 "), Some(100.0));
        assert_eq!(parse_weight("0.5"), Some(0.5));
        assert!(parse_weight("much").is_some_and(f64::is_nan));
    }

    #[test]
    fn the_form_becomes_the_draft_that_routing_checks() {
        Owner::new().with(|| {
            let form = RouteForm::new();
            form.name.set("qwen3".into());
            form.add_target();
            let rows = form.targets.get_untracked();
            rows[0].target.set("local-a/qwen3-0.6b".into());
            rows[0].weight.set("100".into());
            rows[1].target.set("local-b/qwen3-32b".into());

            let errors = Route::try_from(form.draft()).unwrap_err();
            assert_eq!(
                errors.get("targets[1].weight"),
                Some(&Problem::WeightMissing)
            );

            rows[1].weight.set("300".into());
            assert!(Route::try_from(form.draft()).is_ok());

            form.remove_target(rows[0].key);
            assert_eq!(form.draft().targets.len(), 1);
        });
    }
}
