//! In what two drafts of a route differ, in words for a person.

use routing::{RouteDraft, TargetDraft};

use crate::components::conflict::Difference;
use crate::i18n::{Locale, text};

pub(super) fn differences(
    locale: Locale,
    theirs: &RouteDraft,
    mine: &RouteDraft,
) -> Vec<Difference> {
    let between = |field, of: &dyn Fn(&RouteDraft) -> String| {
        Difference::between(field, of(theirs), of(mine))
    };
    [
        between(text!(locale, route.name), &|draft| draft.name.clone()),
        between(text!(locale, route.description), &|draft| {
            draft.description.clone()
        }),
        between(text!(locale, route.enabled), &|draft| {
            on_off(locale, draft.enabled).to_owned()
        }),
        between(text!(locale, route.targets), &|draft| {
            let lines = draft.targets.iter().map(|target| line(locale, target));
            lines.collect::<Vec<_>>().join("\n")
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn line(locale: Locale, target: &TargetDraft) -> String {
    let mut line = format!("{}/{}", target.provider, target.model);
    if let Some(weight) = target.weight {
        line.push_str(" · ");
        line.push_str(&weight.to_string());
    }
    if !target.enabled {
        line.push_str(" · ");
        line.push_str(on_off(locale, false));
    }
    line
}

fn on_off(locale: Locale, on: bool) -> &'static str {
    if on {
        text!(locale, conflict.on)
    } else {
        text!(locale, conflict.off)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::use_locale;

    #[test]
    fn only_what_differs_is_named() {
        let theirs = RouteDraft {
            name: "qwen3".into(),
            targets: vec![TargetDraft {
                provider: "a".into(),
                model: "m".into(),
                weight: Some(100.0),
                ..TargetDraft::default()
            }],
            ..RouteDraft::default()
        };
        let mut mine = theirs.clone();
        assert_eq!(differences(use_locale(), &theirs, &mine), []);

        mine.targets[0].weight = None;
        mine.targets[0].enabled = false;
        let found = differences(use_locale(), &theirs, &mine);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].theirs, "a/m · 100");
        assert_eq!(found[0].mine, "a/m · off");
    }
}
