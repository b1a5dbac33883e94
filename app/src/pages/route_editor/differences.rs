//! In what two drafts of a route differ, in words for a person.

use routing::{PolicyDraft, Retry, RouteDraft, ScorerName, TargetDraft};

use crate::components::conflict::Difference;
use crate::components::scores::scorer_name;
use crate::i18n::{Locale, text};

use super::retries::joined;
use super::simulator::scorers;

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
        between(text!(locale, route_by.policy), &|draft| {
            policy(locale, &draft.policy)
        }),
        between(text!(locale, route.fallbacks), &|draft| {
            let pairs = draft.fallbacks.iter();
            let lines = pairs.map(|pair| format!("{}/{}", pair.provider, pair.model));
            lines.collect::<Vec<_>>().join("\n")
        }),
        between(text!(locale, route.attempts), &|draft| {
            let default = f64::from(Retry::default().attempts());
            draft.retry.attempts.unwrap_or(default).to_string()
        }),
        between(text!(locale, route.statuses), &|draft| {
            draft
                .retry
                .statuses
                .as_deref()
                .map_or_else(String::new, joined)
        }),
        between(text!(locale, route.keep_alive), &|draft| {
            on_off(locale, draft.keep_alive).to_owned()
        }),
        between(text!(locale, route.keep_bodies), &|draft| {
            on_off(locale, draft.keep_bodies).to_owned()
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The scorers that are on, each with what was set.
fn policy(locale: Locale, policy: &PolicyDraft) -> String {
    let mut lines = Vec::new();
    for (scorer, weight) in scorers(policy) {
        lines.push(format!("{} · {weight}", scorer_name(locale, scorer)));
        match scorer {
            ScorerName::SessionAffinity => {
                let keys = policy.session_affinity.iter().flat_map(|draft| &draft.keys);
                let keys = keys
                    .flatten()
                    .filter_map(|key| key.header.as_ref().or(key.body.as_ref()));
                lines.push(keys.cloned().collect::<Vec<_>>().join(", "));
            }
            ScorerName::LeastInflight => {}
            ScorerName::DecisionService => {
                let Some(draft) = &policy.decision_service else {
                    continue;
                };
                let service = [&draft.provider, &draft.model].into_iter().flatten();
                lines.push(service.cloned().collect::<Vec<_>>().join(" / "));
                lines.push(draft.instructions.clone());
                let criteria = draft.criteria.iter();
                lines.extend(criteria.map(|(model, text)| format!("{model}: {text}")));
            }
        }
    }
    lines.join("\n")
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
    use routing::{FallbackDraft, RetryDraft};

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

    #[test]
    fn what_follows_a_failure_is_compared_too() {
        let theirs = RouteDraft {
            retry: Retry::default().into(),
            ..RouteDraft::default()
        };
        let mine = RouteDraft {
            fallbacks: vec![FallbackDraft {
                provider: "hosted".into(),
                model: "m".into(),
            }],
            retry: RetryDraft {
                attempts: Some(3.0),
                statuses: Some(Vec::new()),
            },
            keep_alive: false,
            ..theirs.clone()
        };
        let found = differences(use_locale(), &theirs, &mine);
        let sides = found.iter().map(|one| (&*one.theirs, &*one.mine));
        assert_eq!(
            sides.collect::<Vec<_>>(),
            [
                ("", "hosted/m"),
                ("2", "3"),
                ("429, 502, 503, 504", ""),
                ("on", "off"),
            ]
        );
    }
}
