//! What goes through routes and instances just now, as the server pushes it.
//!
//! A page that shows it opens one event stream, and only as long as somebody looks: a page that is hidden
//! or gone costs nothing.

use leptos::prelude::*;
use uuid::Uuid;

use crate::api::instance::{Health, Instance};
use crate::api::traffic::{Flow, RouteTraffic, Traffic};
use crate::components::figures::took;
use crate::components::sparkline::Sparkline;
use crate::components::track::percent;
use crate::i18n::{Locale, text, use_locale};

const STREAM: &str = "/api/v1/traffic";

/// The latest of it; nothing until the page is alive.
#[derive(Clone, Copy)]
pub(crate) struct LiveTraffic(RwSignal<Traffic>);

impl LiveTraffic {
    /// Follows it as long as the part of the page lives that called this.
    pub(crate) fn follow() -> Self {
        let traffic = RwSignal::new(Traffic::default());
        Effect::new(move |_| stream::while_seen(STREAM, move |seen| drop(traffic.try_set(seen))));
        Self(traffic)
    }

    fn of_route(self, route: Uuid) -> Option<RouteTraffic> {
        let traffic = self.0.read();
        traffic
            .routes
            .iter()
            .find(|one| one.route == route)
            .cloned()
    }

    /// Of a provider, those that are not well or were not, and those at work.
    pub(crate) fn of_provider(self, provider: &str) -> Vec<Instance> {
        let traffic = self.0.read();
        let of_provider = traffic
            .instances
            .iter()
            .filter(|one| one.provider == provider);
        of_provider.cloned().collect()
    }

    pub(crate) fn troubled(self, providers: &[String]) -> usize {
        let traffic = self.0.read();
        let troubled = traffic
            .instances
            .iter()
            .filter(|one| one.health != Health::Ok && providers.contains(&one.provider));
        troubled.count()
    }
}

/// A route's requests a minute with the last ten minutes beside them. Empty while there were none.
#[component]
pub(crate) fn RouteFlow(traffic: LiveTraffic, route: Uuid) -> impl IntoView {
    let locale = use_locale();
    let flow = Memo::new(move |_| traffic.of_route(route).map(|seen| seen.all));
    move || {
        flow.get().map(|flow| {
            let label = in_words(locale, &flow);
            let rate = text!(locale, traffic.per_minute, count = flow.per_minute);
            view! {
                <span class="flow" title=label>
                    <Sparkline values=flow.steps label=label.clone() />
                    <span class="flow-rate">
                        {rate}
                    </span>
                </span>
            }
        })
    }
}

/// What each of a route's targets does: share, requests a minute, under way, times to the first byte.
#[component]
pub(crate) fn TargetFlows(traffic: LiveTraffic, route: Uuid) -> impl IntoView {
    let locale = use_locale();
    let seen = Memo::new(move |_| traffic.of_route(route));
    move || {
        let targets = seen.get()?.targets;
        let targets = targets.into_iter().map(|target| {
            let flow = target.flow;
            let label = in_words(locale, &flow);
            let time = |ms: Option<u32>| ms.map_or_else(String::new, |ms| took(locale, ms.into()));
            let rate = match flow.errors_per_minute {
                0 => flow.per_minute.to_string(),
                count => {
                    let failed = text!(locale, traffic.errors, count = count);
                    format!("{} · {failed}", flow.per_minute)
                }
            };
            let figures = [
                (text!(locale, traffic.share), percent(target.share)),
                (text!(locale, traffic.rate), rate),
                (text!(locale, traffic.inflight), flow.inflight.to_string()),
                (text!(locale, traffic.p50), time(flow.p50_ms)),
                (text!(locale, traffic.p95), time(flow.p95_ms)),
            ]
            .map(|(name, value)| {
                view! {
                    <div>
                        <dt>{name}</dt>
                        <dd>{value}</dd>
                    </div>
                }
            });
            view! {
                <li class="flow-target">
                    <code>{target.target}</code>
                    <Sparkline values=flow.steps label />
                    <dl>{figures}</dl>
                </li>
            }
        });
        Some(view! {
            <ul class="flow-targets" aria-label=text!(locale, traffic.title)>
                {targets.collect_view()}
            </ul>
        })
    }
}

fn in_words(locale: Locale, flow: &Flow) -> String {
    let total: u32 = flow.steps.iter().sum();
    text!(
        locale,
        traffic.in_words,
        total = total,
        rate = flow.per_minute,
        errors = flow.errors_per_minute,
        inflight = flow.inflight
    )
}

/// An event stream of the server's, open while the page is seen.
#[cfg(target_arch = "wasm32")]
mod stream {
    use leptos::prelude::*;
    use serde::de::DeserializeOwned;
    use wasm_bindgen::JsCast;
    use wasm_bindgen::closure::Closure;
    use web_sys::{EventSource, MessageEvent};

    /// Gives what each event holds to `seen`. The browser itself asks again when the stream ends.
    pub(super) fn while_seen<T: DeserializeOwned + 'static>(
        address: &'static str,
        seen: impl Fn(T) + Clone + 'static,
    ) {
        let on_event = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data().as_string();
            // What a newer server says another way is not shown.
            if let Some(read) = data.and_then(|text| serde_json::from_str(&text).ok()) {
                seen(read);
            }
        });
        let on_event = StoredValue::new_local(on_event);
        let open = StoredValue::new_local(None::<EventSource>);
        let close = move || {
            if let Some(source) = open.try_update_value(Option::take).flatten() {
                source.close();
            }
        };
        let follow = move || {
            close();
            if document().hidden() {
                return;
            }
            let Ok(source) = EventSource::new(address) else {
                return;
            };
            on_event.with_value(|on_event| {
                source.set_onmessage(Some(on_event.as_ref().unchecked_ref()));
            });
            open.set_value(Some(source));
        };
        follow();
        let changes = window_event_listener_untyped("visibilitychange", move |_| follow());
        on_cleanup(move || {
            changes.remove();
            close();
        });
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod stream {
    /// Nobody looks at a page that is only rendered.
    pub(super) fn while_seen<T>(_: &'static str, _: impl Fn(T)) {}
}
