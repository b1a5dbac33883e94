//! How this route decides: Route By, a sentence, and the track diagram, as one types.

use leptos::prelude::*;
use routing::{RouteBy, RouteDraft, TargetDraft};

use crate::components::route_by::{RouteByBadge, route_by_name};
use crate::components::track::{Branch, LargeTrack, branches};
use crate::i18n::{text, use_locale};
use crate::summary::Upstream;

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
                {sentence}
            </p>
        </aside>
    }
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

/// What the weights make it. Scorers come on another part of the page.
fn route_by(draft: &RouteDraft) -> RouteBy {
    if draft.targets.iter().any(|target| target.weight.is_some()) {
        RouteBy::TargetWeight
    } else {
        RouteBy::RoundRobin
    }
}
