//! The route's instances in a trial: set what a request would meet, and see who wins and why.
//!
//! It is the gateway's own engine over the same candidate keys, so a session key typed here belongs
//! to the instance that it will belong to.

use std::collections::BTreeMap;

use leptos::prelude::*;
use routing::{
    Candidate, CandidateKey, Decision, Facts, Load, NoDecision, Policy, PolicyDraft, Ranking,
    Rotation, RouteDraft, ScorerName,
};

use crate::components::scores::{Legend, ScoreBar};
use crate::components::track::percent;
use crate::i18n::{text, use_locale};
use crate::summary::Upstream;

/// One instance that may be chosen.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contender {
    pub key: CandidateKey,
    pub target: usize,
    pub model: String,
    pub instance: String,
}

/// The instances of a draft's targets that take requests.
pub(super) fn contenders(draft: &RouteDraft, upstreams: &[Upstream]) -> Vec<Contender> {
    let live = draft
        .targets
        .iter()
        .enumerate()
        .filter(|(_, target)| target.enabled);
    live.filter_map(|(place, target)| {
        let upstream = upstreams
            .iter()
            .find(|upstream| upstream.enabled && upstream.provider == target.provider)?;
        Some(upstream.instances.iter().map(move |instance| Contender {
            key: CandidateKey::new(upstream.id, instance, &target.model),
            target: place,
            model: target.model.clone(),
            instance: instance.clone(),
        }))
    })
    .flatten()
    .collect()
}

/// The scorers that are on with their weights, as far as those are weights.
pub(super) fn scorers(policy: &PolicyDraft) -> Vec<(ScorerName, f64)> {
    let affinity = policy.session_affinity.iter();
    let affinity = affinity
        .filter(|draft| draft.enabled)
        .map(|draft| (ScorerName::SessionAffinity, draft.weight.unwrap_or(1.0)));
    let inflight = policy.least_inflight.iter();
    let inflight = inflight
        .filter(|draft| draft.enabled)
        .map(|draft| (ScorerName::LeastInflight, draft.weight.unwrap_or(1.0)));
    let decision = policy.decision_service.iter();
    let decision = decision
        .filter(|draft| draft.enabled)
        .map(|draft| (ScorerName::DecisionService, draft.weight.unwrap_or(10.0)));
    affinity.chain(inflight).chain(decision).collect()
}

#[component]
pub(super) fn Simulator(
    contenders: Memo<Vec<Contender>>,
    scorers: Memo<Vec<(ScorerName, f64)>>,
) -> impl IntoView {
    let locale = use_locale();
    let session = RwSignal::new(String::new());
    let inflight = RwSignal::new(BTreeMap::<String, u32>::new());
    let probabilities = RwSignal::new(BTreeMap::<String, f64>::new());
    let decides = Memo::new(move |_| {
        let scorers = scorers.read();
        scorers
            .iter()
            .any(|(name, _)| *name == ScorerName::DecisionService)
    });
    let models = Memo::new(move |_| {
        let mut models = Vec::<String>::new();
        for contender in contenders.read().iter() {
            if !models.contains(&contender.model) {
                models.push(contender.model.clone());
            }
        }
        models
    });
    let ranking = Memo::new(move |_| {
        rank(
            &contenders.read(),
            &scorers.read(),
            &session.read(),
            &inflight.read(),
            decides.get().then(|| probabilities.get()),
        )
    });

    view! {
        <section class="simulator" aria-labelledby="simulator-title">
            <div class="panel-head">
                <h3 class="plugin-title" id="simulator-title">
                    {text!(locale, simulator.title)}
                </h3>
                <p class="panel-about">{text!(locale, simulator.about)}</p>
            </div>
            <label class="field">
                <span class="field-label">{text!(locale, simulator.session)}</span>
                <input
                    class="input code"
                    type="text"
                    autocomplete="off"
                    placeholder=text!(locale, simulator.session_placeholder)
                    on:input=move |event| session.set(event_target_value(&event))
                />
            </label>
            <div class="simulator-models" hidden=move || !decides.get()>
                <For each=move || models.get() key=|model| model.clone() let:model>
                    <Probability model probabilities />
                </For>
            </div>
            <Legend scorers=Signal::derive(move || {
                scorers.read().iter().map(|(scorer, _)| *scorer).collect::<Vec<_>>()
            }) />
            <ul class="contenders">
                <For
                    each=move || contenders.get()
                    key=|contender| contender.key.as_str().to_owned()
                    let:contender
                >
                    <Row contender contenders ranking inflight />
                </For>
            </ul>
            <p class="decides-sentence" aria-live="polite">
                {move || {
                    if contenders.read().is_empty() {
                        text!(locale, simulator.no_candidates)
                    } else if ranking.read().as_ref().is_none_or(|ranking| ranking.scored.is_empty()) {
                        text!(locale, simulator.in_turn)
                    } else {
                        ""
                    }
                }}
            </p>
        </section>
    }
}

#[component]
fn Probability(model: String, probabilities: RwSignal<BTreeMap<String, f64>>) -> impl IntoView {
    let locale = use_locale();
    let label = text!(locale, simulator.probability, model = model.as_str());
    let on_input = {
        let model = model.clone();
        move |event| {
            let typed: f64 = event_target_value(&event).parse().unwrap_or_default();
            probabilities.update(|known| {
                known.insert(model.clone(), typed / 100.0);
            });
        }
    };
    let shown = move || {
        let probabilities = probabilities.read();
        percent(probabilities.get(&model).copied().unwrap_or_default())
    };
    view! {
        <label class="simulator-model">
            <span>{label}</span>
            <input type="range" min="0" max="100" step="1" value="0" on:input=on_input />
            <output>{shown}</output>
        </label>
    }
}

#[component]
fn Row(
    contender: Contender,
    contenders: Memo<Vec<Contender>>,
    ranking: Memo<Option<Ranking>>,
    inflight: RwSignal<BTreeMap<String, u32>>,
) -> impl IntoView {
    let locale = use_locale();
    let Contender {
        key,
        model,
        instance,
        ..
    } = contender;
    let host = instance
        .split_once("://")
        .map_or(instance.clone(), |(_, rest)| rest.to_owned());
    let label = text!(
        locale,
        simulator.inflight_label,
        name = format!("{model} {host}")
    );
    let known = key.clone();
    let place = Memo::new(move |_| {
        contenders
            .read()
            .iter()
            .position(|contender| contender.key == known)
    });
    let standing = Memo::new(move |_| {
        let ranking = ranking.read();
        standing(ranking.as_ref()?, place.get()?)
    });
    let on_input = move |event| {
        let typed = event_target_value(&event).parse().unwrap_or_default();
        inflight.update(|known| {
            known.insert(key.as_str().to_owned(), typed);
        });
    };
    view! {
        <li class="contender" class:best=move || standing.read().as_ref().is_some_and(|s| s.best)>
            <div class="contender-head">
                <span class="track-name">
                    <span class="track-model">{model}</span>
                    <span class="track-provider">{host}</span>
                </span>
                <span class="badge" hidden=move || !standing.read().as_ref().is_some_and(|s| s.best)>
                    {move || match standing.get() {
                        Some(Standing { tied: true, .. }) => text!(locale, simulator.tied),
                        _ => text!(locale, simulator.wins),
                    }}
                </span>
                <input
                    class="input"
                    type="number"
                    min="0"
                    max="100000"
                    value="0"
                    aria-label=label
                    on:input=on_input
                />
            </div>
            {move || {
                standing
                    .get()
                    .map(|Standing { parts, total, most, .. }| {
                        view! { <ScoreBar parts total most /> }
                    })
            }}
        </li>
    }
}

/// Where a candidate stands.
#[derive(Clone, Debug, PartialEq)]
struct Standing {
    total: f64,
    /// Of all totals; bars are as long as their part of it.
    most: f64,
    /// What each scorer brings.
    parts: Vec<(ScorerName, f64)>,
    best: bool,
    tied: bool,
}

fn standing(ranking: &Ranking, candidate: usize) -> Option<Standing> {
    let at = ranking
        .live
        .iter()
        .position(|ranked| ranked.candidate == candidate)?;
    let total = ranking.live[at].total?;
    let most = ranking.live.first()?.total?;
    Some(Standing {
        total,
        most,
        parts: ranking
            .parts(candidate)
            .map(|(scorer, share, weight)| (scorer, share * weight))
            .collect(),
        best: at < ranking.tied.max(1),
        tied: ranking.tied > 1,
    })
}

/// Nothing without candidates, scorers or weights that are weights.
fn rank(
    contenders: &[Contender],
    scorers: &[(ScorerName, f64)],
    session: &str,
    inflight: &BTreeMap<String, u32>,
    probabilities: Option<BTreeMap<String, f64>>,
) -> Option<Ranking> {
    let policy = Policy::of_scorers(scorers).filter(|_| !contenders.is_empty())?;
    let candidates: Vec<Candidate<'_>> = contenders
        .iter()
        .map(|contender| Candidate {
            target: contender.target,
            key: &contender.key,
            load: Load {
                inflight: inflight.get(contender.key.as_str()).copied().unwrap_or(0),
                ..Load::default()
            },
            left_out: None,
        })
        .collect();
    let decision = probabilities
        .filter(|probabilities| probabilities.values().any(|p| *p > 0.0))
        .map(Decision::from_probabilities);
    let session = session.trim();
    let facts = Facts {
        session: Some(session).filter(|session| !session.is_empty()),
        decision: decision.as_ref().ok_or(NoDecision::NotAsked),
        ticket: 0.0,
    };
    Some(policy.rank(&candidates, &facts, &mut Rotation::default()))
}

#[cfg(test)]
mod tests {
    use routing::TargetDraft;
    use uuid::Uuid;

    use super::*;

    fn upstream(id: u128, instances: &[&str], enabled: bool) -> Upstream {
        Upstream {
            id: Uuid::from_u128(id),
            provider: format!("p{id}"),
            enabled,
            instances: instances.iter().map(|url| (*url).to_owned()).collect(),
        }
    }

    fn draft(targets: &[(&str, bool)]) -> RouteDraft {
        let targets = targets.iter().map(|(provider, enabled)| TargetDraft {
            provider: (*provider).to_owned(),
            model: format!("model-of-{provider}"),
            enabled: *enabled,
            ..TargetDraft::default()
        });
        RouteDraft {
            targets: targets.collect(),
            ..RouteDraft::default()
        }
    }

    #[test]
    fn contenders_are_the_instances_that_take_requests() {
        let upstreams = [
            upstream(1, &["http://a/v1", "http://b/v1"], true),
            upstream(2, &["http://c/v1"], false),
            upstream(3, &["http://d/v1"], true),
        ];
        let draft = draft(&[("p1", true), ("p2", true), ("p3", false), ("p4", true)]);
        let found = contenders(&draft, &upstreams);
        let instances = found.iter().map(|contender| contender.instance.as_str());
        assert_eq!(
            instances.collect::<Vec<_>>(),
            ["http://a/v1", "http://b/v1"]
        );
        assert_eq!(
            found[0].key,
            CandidateKey::new(Uuid::from_u128(1), "http://a/v1", "model-of-p1")
        );
    }

    #[test]
    fn the_decision_outweighs_the_sessions_owner() {
        let upstreams = [
            upstream(1, &["http://a/v1"], true),
            upstream(2, &["http://b/v1"], true),
        ];
        let contenders = contenders(&draft(&[("p1", true), ("p2", true)]), &upstreams);
        let scorers = [
            (ScorerName::SessionAffinity, 1.0),
            (ScorerName::DecisionService, 10.0),
        ];
        let none = BTreeMap::new();
        let owner = rank(&contenders, &scorers, "s", &none, None)
            .unwrap()
            .choice()
            .unwrap();
        let other = 1 - owner;
        let probabilities = BTreeMap::from([
            (contenders[owner].model.clone(), 0.1),
            (contenders[other].model.clone(), 0.9),
        ]);
        let ranking = rank(&contenders, &scorers, "s", &none, Some(probabilities)).unwrap();
        assert_eq!(ranking.choice(), Some(other));
        let best = standing(&ranking, other).unwrap();
        assert!(best.best && !best.tied);
        assert!((best.parts.iter().map(|(_, part)| part).sum::<f64>() - best.total).abs() < 1e-9);
        assert_eq!(
            rank(&contenders, &[], "s", &none, None).map(|r| r.scored.len()),
            Some(0)
        );
        assert_eq!(rank(&[], &scorers, "s", &none, None), None);
    }
}
