//! How this route decides: Route By, a sentence, and the track diagram, as one types.

use leptos::prelude::*;
use routing::{RouteBy, RouteDraft, ScorerName, TargetDraft};

use crate::components::route_by::{RouteByBadge, route_by_name};
use crate::components::track::{Branch, LargeTrack, branches, percent};
use crate::i18n::{Locale, text, use_locale};
use crate::summary::Upstream;

use super::balance::BalanceTable;
use super::simulator::{Contender, Simulator, contenders, scorers};

#[component]
pub(super) fn Decides(
    draft: Signal<RouteDraft>,
    /// Every `provider/model` there is.
    options: StoredValue<Vec<String>>,
    upstreams: StoredValue<Vec<Upstream>>,
) -> impl IntoView {
    let locale = use_locale();
    let route_by = Memo::new(move |_| route_by(&draft.read()));
    let tracks = Memo::new(move |_| {
        let draft = draft.read();
        let known = options.with_value(|options| known_targets(&draft, options));
        upstreams.with_value(|upstreams| tracks(&draft, known, upstreams))
    });
    let contenders = Memo::new(move |_| {
        let draft = draft.read();
        let known = RouteDraft {
            targets: options.with_value(|options| known_targets(&draft, options)),
            ..RouteDraft::default()
        };
        upstreams.with_value(|upstreams| contenders(&known, upstreams))
    });
    let scorers = Memo::new(move |_| scorers(&draft.read().policy));
    let is_policy = Memo::new(move |_| route_by.get() == RouteBy::Policy);
    let name = Memo::new(move |_| {
        let draft = draft.read();
        match draft.name.trim() {
            "" => text!(locale, decides.unnamed).to_owned(),
            name => name.to_owned(),
        }
    });
    let sentence = move || match (&*tracks.read(), route_by.get()) {
        (Tracks::NoneChosen, _) => text!(locale, decides.nothing_chosen),
        (Tracks::HalfWeighted, _) => text!(locale, decides.half_weighted),
        (_, RouteBy::RoundRobin) => text!(locale, decides.round_robin),
        (_, RouteBy::TargetWeight) => text!(locale, decides.target_weight),
        (_, RouteBy::Policy) => text!(locale, decides.policy),
    };

    view! {
        <aside class="panel decides" aria-labelledby="decides-title">
            <h2 class="panel-title" id="decides-title">
                {text!(locale, decides.title)}
            </h2>
            <dl class="facts">
                <dt>{text!(locale, route_by.label)}</dt>
                <dd>{move || view! { <RouteByBadge route_by=route_by.get() /> }}</dd>
            </dl>
            {move || match tracks.get() {
                Tracks::Drawn(_) if is_policy.get() => {
                    view! { <DecidesByPolicy contenders scorers /> }.into_any()
                }
                Tracks::Drawn(branches) => {
                    let label = route_by_name(locale, route_by.get()).to_owned();
                    view! {
                        <div>
                            <p class="decides-name">{move || name.get()}</p>
                            <LargeTrack branches label />
                        </div>
                    }
                        .into_any()
                }
                Tracks::NoneChosen | Tracks::HalfWeighted => ().into_any(),
            }}
            <p class="decides-sentence" aria-live="polite">
                {sentence} " "
                {move || match tracks.get() {
                    Tracks::Drawn(branches) if !is_policy.get() => shares(locale, &branches),
                    _ => String::new(),
                }}
            </p>
        </aside>
    }
}

/// What each target gets, and each of its instances where it has several.
fn shares(locale: Locale, branches: &[Branch]) -> String {
    let parts = branches.iter().filter(|branch| branch.lit).map(|branch| {
        let name = branch.model.as_str();
        let share = percent(branch.share.target);
        match branch.instances.len() {
            0 | 1 => text!(locale, decides.share, name = name, share = share),
            count => text!(
                locale,
                decides.share_of_several,
                name = name,
                share = share,
                count = count,
                each = percent(branch.share.instance)
            ),
        }
    });
    let parts = parts.collect::<Vec<_>>();
    if parts.is_empty() {
        return String::new();
    }
    format!("{}.", parts.join("; "))
}

#[derive(Clone, PartialEq)]
enum Tracks {
    NoneChosen,
    /// Weights on some targets only, or weights that are none.
    HalfWeighted,
    Drawn(Vec<Branch>),
}

/// The rows that name a model there is; what is typed on the way to one is none.
fn known_targets(draft: &RouteDraft, options: &[String]) -> Vec<TargetDraft> {
    let exists = |target: &&TargetDraft| {
        let name = format!("{}/{}", target.provider, target.model);
        options.contains(&name)
    };
    draft.targets.iter().filter(exists).cloned().collect()
}

fn tracks(draft: &RouteDraft, targets: Vec<TargetDraft>, upstreams: &[Upstream]) -> Tracks {
    if targets.is_empty() {
        return Tracks::NoneChosen;
    }
    branches(draft.enabled, &targets, upstreams).map_or(Tracks::HalfWeighted, Tracks::Drawn)
}

/// What weights and scorers make it.
fn route_by(draft: &RouteDraft) -> RouteBy {
    if !scorers(&draft.policy).is_empty() {
        RouteBy::Policy
    } else if draft.targets.iter().any(|target| target.weight.is_some()) {
        RouteBy::TargetWeight
    } else {
        RouteBy::RoundRobin
    }
}

#[component]
fn DecidesByPolicy(
    contenders: Memo<Vec<Contender>>,
    scorers: Memo<Vec<(ScorerName, f64)>>,
) -> impl IntoView {
    let count = Memo::new(move |_| contenders.read().len() as u32);
    let weights = Memo::new(move |_| {
        let scorers = scorers.read();
        let of = |wanted| {
            scorers
                .iter()
                .find(|(name, _)| *name == wanted)
                .map(|(_, weight)| *weight)
        };
        of(ScorerName::SessionAffinity).zip(of(ScorerName::LeastInflight))
    });
    view! {
        {move || {
            weights
                .get()
                .map(|(session_affinity, least_inflight)| {
                    view! {
                        <BalanceTable candidates=count.get() session_affinity least_inflight />
                    }
                })
        }}
        <Simulator contenders scorers />
    }
}
