//! A story in words: where it went, why, and what is worth knowing besides.

use routing::{LeftOut, ScorerName};

use crate::api::request::Attempt;
use crate::components::scores::scorer_name;
use crate::i18n::{Locale, text};

use super::analysis::{Aside, Cause, Outweighed, Reason, Refusal, Silence, Story, Way};
use super::names::{Names, Who};

pub(super) fn sentence(locale: Locale, names: &Names<'_>, story: &Story<'_>) -> String {
    let words = Words { locale, names };
    let mut said = words.way(&story.way);
    let first = story.first.as_ref();
    if let Some((who, reason)) = first.and_then(|(who, cause)| Some((who, words.cause(cause)?))) {
        said = match &story.way {
            Way::Nowhere(_) => said,
            Way::Answered { failed: [], .. } | Way::Abandoned { failed: [], .. } => {
                text!(locale, story.because, said = said, reason = reason)
            }
            Way::Answered { .. } | Way::Abandoned { .. } | Way::Unanswered { .. } => {
                let name = words.name(*who);
                let first = text!(locale, story.came_first, name = name, reason = reason);
                text!(locale, story.and_then, said = said, aside = first)
            }
        };
    }
    for aside in &story.asides {
        let aside = words.aside(aside);
        said = text!(locale, story.and_then, said = said, aside = aside);
    }
    text!(locale, story.sentence, said = said)
}

struct Words<'a> {
    locale: Locale,
    names: &'a Names<'a>,
}

impl Words<'_> {
    fn name(&self, who: Who<'_>) -> String {
        self.names.short(self.locale, who)
    }

    fn names<'w>(&self, who: impl IntoIterator<Item = &'w Who<'w>>) -> String {
        self.list(who.into_iter().map(|who| self.name(*who)))
    }

    /// One, two and three.
    fn list(&self, items: impl IntoIterator<Item = String>) -> String {
        let locale = self.locale;
        let mut items: Vec<String> = items.into_iter().collect();
        let Some(last) = items.pop() else {
            return String::new();
        };
        let before = items.into_iter();
        let before =
            before.reduce(|first, next| text!(locale, story.comma, first = first, next = next));
        match before {
            Some(before) => text!(locale, story.and, first = before, last = last),
            None => last,
        }
    }

    fn way(&self, way: &Way<'_>) -> String {
        let locale = self.locale;
        match way {
            Way::Nowhere(refusal) => {
                let reason = self.refusal(refusal);
                text!(locale, story.nowhere, reason = reason)
            }
            Way::Abandoned {
                asked: Some(who), ..
            } => {
                text!(locale, story.abandoned, name = self.name(*who))
            }
            Way::Abandoned {
                asked: None,
                failed,
            } => {
                let failures = self.failures(failed);
                text!(locale, story.abandoned_after, failures = failures)
            }
            Way::Answered { by, failed } => {
                let name = self.name((*by).into());
                let went = match by.fallback {
                    true => text!(locale, story.went_to_fallback, name = name),
                    false => text!(locale, story.went, name = name),
                };
                if failed.is_empty() {
                    return went;
                }
                let failures = self.failures(failed);
                text!(locale, story.went_after, went = went, failures = failures)
            }
            Way::Unanswered { failed, status } => {
                let failures = self.failures(failed);
                text!(
                    locale,
                    story.unanswered,
                    status = status,
                    failures = failures
                )
            }
        }
    }

    fn failures(&self, failed: &[Attempt]) -> String {
        self.list(failed.iter().map(|attempt| self.failure(attempt)))
    }

    fn failure(&self, attempt: &Attempt) -> String {
        let locale = self.locale;
        let name = self.name(attempt.into());
        // In the gateway's words.
        match (attempt.status, attempt.error.as_deref()) {
            (Some(status), _) => text!(locale, story.answered, name = name, status = status),
            (None, Some("could not be reached")) => text!(locale, story.unreachable, name = name),
            (None, Some("did not accept a connection in time")) => {
                text!(locale, story.connect_timeout, name = name)
            }
            (None, Some("closed the connection before it answered")) => {
                text!(locale, story.reset, name = name)
            }
            (None, Some("did not begin to answer in time")) => {
                text!(locale, story.first_byte_timeout, name = name)
            }
            (None, error) => {
                let error = error.unwrap_or_default();
                text!(locale, story.failed, name = name, error = error)
            }
        }
    }

    fn refusal(&self, refusal: &Refusal<'_>) -> String {
        let locale = self.locale;
        match refusal {
            Refusal::NoSuchRoute => text!(locale, story.no_such_route).to_owned(),
            Refusal::RouteOff => text!(locale, story.route_off).to_owned(),
            Refusal::KeyMayNot => text!(locale, story.key_may_not).to_owned(),
            Refusal::ClientLeft => text!(locale, story.client_left).to_owned(),
            Refusal::AllFull(full) => text!(locale, story.all_full, full = self.full(full)),
            Refusal::BoundToFull => text!(locale, story.bound_to_full).to_owned(),
            Refusal::NothingOn => text!(locale, story.nothing_on).to_owned(),
            Refusal::NotServed => text!(locale, story.not_served).to_owned(),
            Refusal::Other {
                status,
                error: None,
            } => text!(locale, story.refused, status = status),
            Refusal::Other {
                status,
                error: Some(error),
            } => {
                text!(locale, story.refused_as, status = status, error = *error)
            }
        }
    }

    /// Nothing where nobody knows.
    fn cause(&self, cause: &Cause<'_>) -> Option<String> {
        let locale = self.locale;
        Some(match cause {
            Cause::Unknown => return None,
            Cause::Bound => text!(locale, story.bound).to_owned(),
            Cause::OnlyCandidate => text!(locale, story.only_candidate).to_owned(),
            Cause::Turn => text!(locale, story.turn).to_owned(),
            Cause::TargetWeight => text!(locale, story.target_weight).to_owned(),
            Cause::NothingToGoBy => text!(locale, story.nothing_to_go_by).to_owned(),
            Cause::Chance { total, others } => {
                let (total, others) = (decimals(*total), self.names(others));
                text!(locale, story.chance, total = total, others = others)
            }
            Cause::Capacity => text!(locale, story.capacity).to_owned(),
            Cause::Rated { reason, outweighed } => {
                self.outweighing(self.reason(reason), outweighed)
            }
            Cause::Within {
                decision,
                outweighed,
                instances,
                reason,
            } => {
                let decision = self.outweighing(self.reason(decision), outweighed);
                let reason = self.reason(reason);
                let count = instances;
                text!(
                    locale,
                    story.within,
                    decision = decision,
                    count = count,
                    reason = reason
                )
            }
            Cause::Sum(total) => text!(locale, story.sum, total = decimals(*total)),
        })
    }

    fn outweighing(&self, reason: String, outweighed: &[Outweighed<'_>]) -> String {
        let locale = self.locale;
        if outweighed.is_empty() {
            return reason;
        }
        let others = self.list(outweighed.iter().map(|outweighed| match outweighed {
            Outweighed::Owner(who) => text!(locale, story.other_owner, name = self.name(*who)),
            Outweighed::Fewer { at, there, here } => {
                let name = self.name(*at);
                text!(
                    locale,
                    story.other_fewer,
                    name = name,
                    there = there,
                    here = here
                )
            }
            Outweighed::Decision { of, probability } => {
                let (name, probability) = (self.name(*of), decimals(*probability));
                text!(
                    locale,
                    story.other_decision,
                    name = name,
                    probability = probability
                )
            }
        }));
        text!(locale, story.outweighed, reason = reason, others = others)
    }

    fn reason(&self, reason: &Reason<'_>) -> String {
        let locale = self.locale;
        match reason {
            Reason::Owner => text!(locale, story.owner).to_owned(),
            Reason::OwnerAmongInstances => text!(locale, story.owner_among_instances).to_owned(),
            Reason::Fewest { own, next } => text!(locale, story.fewest, own = own, next = next),
            Reason::AmongFewest(own) => text!(locale, story.among_fewest, own = own),
            Reason::OtherRecovers { own, other, there } => {
                let name = self.name(*other);
                text!(
                    locale,
                    story.other_recovers,
                    own = own,
                    name = name,
                    there = there
                )
            }
            Reason::Decision {
                probability,
                confidence,
            } => {
                let probability = decimals(*probability);
                match confidence.map(decimals) {
                    Some(confidence) => text!(
                        locale,
                        story.decision,
                        probability = probability,
                        confidence = confidence
                    ),
                    None => text!(locale, story.decision_only, probability = probability),
                }
            }
        }
    }

    fn aside(&self, aside: &Aside<'_>) -> String {
        let locale = self.locale;
        match aside {
            Aside::Full(full) => text!(locale, story.full, full = self.full(full)),
            Aside::LeftOut(reason, who) => {
                let names = self.names(who);
                match reason {
                    LeftOut::Ejected => text!(locale, story.ejected, names = names),
                    LeftOut::TargetOff => text!(locale, story.target_off, names = names),
                    LeftOut::ProviderOff => text!(locale, story.provider_off, names = names),
                    LeftOut::EndpointNotSpoken => text!(locale, story.not_spoken, names = names),
                }
            }
            Aside::Silent(why) => silence(locale, why),
            Aside::AnsweredWith(who, status) => {
                text!(
                    locale,
                    story.answered,
                    name = self.name(*who),
                    status = status
                )
            }
            Aside::ClientLeftEarly => text!(locale, story.client_left_early).to_owned(),
            Aside::EndedBadly(error) => text!(locale, story.ended_badly, error = *error),
        }
    }

    fn full(&self, full: &[(Who<'_>, u32)]) -> String {
        self.list(full.iter().map(|(who, count)| {
            let name = self.name(*who);
            text!(self.locale, story.full_one, name = name, count = count)
        }))
    }
}

pub(super) fn silence(locale: Locale, silence: &Silence<'_>) -> String {
    match silence {
        Silence::NoSession => text!(locale, story.no_session).to_owned(),
        Silence::NothingRated(ScorerName::DecisionService) => {
            text!(locale, story.no_model_fits).to_owned()
        }
        Silence::NothingRated(scorer) => {
            text!(
                locale,
                story.nothing_rated,
                scorer = scorer_name(locale, *scorer)
            )
        }
        Silence::NoConfidence => text!(locale, story.no_confidence).to_owned(),
        Silence::NotAsked => text!(locale, story.not_asked).to_owned(),
        Silence::TooFewModels => text!(locale, story.too_few_models).to_owned(),
        Silence::NoBody => text!(locale, story.no_body).to_owned(),
        Silence::NestedTooDeep => text!(locale, story.nested_too_deep).to_owned(),
        Silence::Tripped => text!(locale, story.tripped).to_owned(),
        Silence::Timeout { service, ms } => {
            text!(locale, story.timeout, service = *service, ms = *ms)
        }
        Silence::NoDecision(why) => text!(locale, story.no_decision, why = *why),
        Silence::Other(scorer, why) => {
            let scorer = scorer_name(locale, *scorer);
            text!(locale, story.took_no_part, scorer = scorer, why = *why)
        }
    }
}

/// Of a reason that is none of the engine's, the candidate is full.
pub(super) fn left_out(locale: Locale, reason: Option<LeftOut>) -> &'static str {
    match reason {
        Some(LeftOut::Ejected) => text!(locale, ranking.ejected),
        Some(LeftOut::TargetOff) => text!(locale, ranking.target_off),
        Some(LeftOut::ProviderOff) => text!(locale, ranking.provider_off),
        Some(LeftOut::EndpointNotSpoken) => text!(locale, ranking.not_spoken),
        None => text!(locale, ranking.full),
    }
}

fn decimals(number: f64) -> String {
    format!("{number:.2}")
}
