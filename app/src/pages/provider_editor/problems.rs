//! What is wrong with which field.

use leptos::prelude::*;

use crate::api::provider::ProviderDraft;
use crate::error::ApiError;

use super::form::Typed;

/// What the server said of a draft.
#[derive(Clone)]
pub(super) struct Refusal {
    pub draft: ProviderDraft,
    pub error: ApiError,
}

#[derive(Clone, Copy)]
pub(super) struct Problems {
    pub typed: Memo<Typed>,
    /// Whether it was saved or tried out already.
    pub tried: RwSignal<bool>,
    pub refusal: RwSignal<Option<Refusal>>,
}

impl Problems {
    /// What is wrong at `path`. The server's word counts until that part of the draft changes.
    pub(super) fn at<P: PartialEq>(
        self,
        path: impl Fn() -> String + Send + Sync + 'static,
        part: impl Fn(&ProviderDraft) -> P + Send + Sync + 'static,
    ) -> Signal<Option<String>> {
        self.find(
            move |known| {
                let path = path();
                // The server writes header names in lower case.
                known.eq_ignore_ascii_case(&path)
            },
            part,
        )
    }

    /// The first problem at a path that matches.
    pub(super) fn find<P: PartialEq>(
        self,
        matches: impl Fn(&str) -> bool + Send + Sync + 'static,
        part: impl Fn(&ProviderDraft) -> P + Send + Sync + 'static,
    ) -> Signal<Option<String>> {
        Signal::derive(move || {
            let typed = self.typed.read();
            if self.tried.get()
                && let Some((_, problem)) = typed.problems.iter().find(|(path, _)| matches(path))
            {
                return Some(problem.clone());
            }
            let refusal = self.refusal.read();
            let Refusal { draft, error } = refusal.as_ref()?;
            let (_, problem) = error.fields.iter().find(|(path, _)| matches(path))?;
            (part(draft) == part(&typed.draft)).then(|| problem.clone())
        })
    }
}
