//! What a record tells, before it is put into words.

use routing::{Abstention, DecidedBy, LeftOut, NoDecision, RouteBy, ScorerName};

use crate::api::ranking::Ranked;
use crate::api::request::{Attempt, RequestRecord};

use super::names::Who;

/// Less than this part of a number is no difference.
const SAME: f64 = 1e-9;

pub(super) struct Story<'a> {
    pub way: Way<'a>,
    /// The first choice, and what made it that.
    pub first: Option<(Who<'a>, Cause<'a>)>,
    pub asides: Vec<Aside<'a>>,
}

/// Where it went.
#[derive(Debug, PartialEq)]
pub(super) enum Way<'a> {
    /// Nobody was asked.
    Nowhere(Refusal<'a>),
    /// The client left while this one, or whoever came next, was being asked.
    Abandoned {
        asked: Option<Who<'a>>,
        failed: &'a [Attempt],
    },
    Answered {
        by: &'a Attempt,
        failed: &'a [Attempt],
    },
    Unanswered {
        failed: &'a [Attempt],
        status: u16,
    },
}

#[derive(Debug, PartialEq)]
pub(super) enum Refusal<'a> {
    NoSuchRoute,
    RouteOff,
    KeyMayNot,
    ClientLeft,
    /// Those that were, each with what was in flight there.
    AllFull(Vec<(Who<'a>, u32)>),
    BoundToFull,
    NothingOn,
    NotServed,
    Other {
        status: u16,
        error: Option<&'a str>,
    },
}

/// What made the first choice the first.
#[derive(Debug, PartialEq)]
pub(super) enum Cause<'a> {
    Unknown,
    /// An earlier answer was made there.
    Bound,
    OnlyCandidate,
    Turn,
    TargetWeight,
    /// Its turn, as every scorer abstained.
    NothingToGoBy,
    Chance {
        total: f64,
        others: Vec<Who<'a>>,
    },
    /// Others were better, or as good, and full.
    Capacity,
    Rated {
        reason: Reason<'a>,
        outweighed: Vec<Outweighed<'a>>,
    },
    /// The decision service chose the model, and something else its instance.
    Within {
        decision: Reason<'a>,
        outweighed: Vec<Outweighed<'a>>,
        instances: usize,
        reason: Reason<'a>,
    },
    /// The best total, of which no scorer alone is the reason.
    Sum(f64),
}

/// What a scorer has for who was chosen.
#[derive(Debug, PartialEq)]
pub(super) enum Reason<'a> {
    Owner,
    /// Of a model's instances, not of all candidates.
    OwnerAmongInstances,
    Fewest {
        own: u32,
        next: u32,
    },
    AmongFewest(u32),
    /// The other has no more in flight, but recovers and counts as busier.
    OtherRecovers {
        own: u32,
        other: Who<'a>,
        there: u32,
    },
    Decision {
        probability: f64,
        confidence: Option<f64>,
    },
}

/// What a scorer had for somebody else, in vain.
#[derive(Debug, PartialEq)]
pub(super) enum Outweighed<'a> {
    Owner(Who<'a>),
    Fewer { at: Who<'a>, there: u32, here: u32 },
    Decision { of: Who<'a>, probability: f64 },
}

/// What is worth knowing besides.
#[derive(Debug, PartialEq)]
pub(super) enum Aside<'a> {
    Full(Vec<(Who<'a>, u32)>),
    LeftOut(LeftOut, Vec<Who<'a>>),
    Silent(Silence<'a>),
    AnsweredWith(Who<'a>, u16),
    ClientLeftEarly,
    EndedBadly(&'a str),
}

/// Why a scorer took no part.
#[derive(Debug, PartialEq)]
pub(super) enum Silence<'a> {
    NoSession,
    NothingRated(ScorerName),
    NoConfidence,
    NotAsked,
    TooFewModels,
    NoBody,
    NestedTooDeep,
    Tripped,
    Timeout {
        service: &'a str,
        ms: &'a str,
    },
    NoDecision(&'a str),
    /// In words of another version.
    Other(ScorerName, &'a str),
}

impl<'a> Story<'a> {
    pub(super) fn of(record: &'a RequestRecord) -> Self {
        let way = way(record);
        let first = first(record);
        let asides = asides(record, &way, first.as_ref().map(|(_, cause)| cause));
        Self { way, first, asides }
    }
}

fn way(record: &RequestRecord) -> Way<'_> {
    let status = record.status;
    match record.attempts.split_last() {
        Some((by, failed)) if by.status == Some(status) => Way::Answered { by, failed },
        _ if status == 499 => match (choice(record), record.attempts.as_slice()) {
            (None, []) => Way::Nowhere(Refusal::ClientLeft),
            (asked, []) => Way::Abandoned {
                asked: asked.map(Who::from),
                failed: &[],
            },
            (_, failed) => Way::Abandoned {
                asked: None,
                failed,
            },
        },
        Some(_) => Way::Unanswered {
            failed: &record.attempts,
            status,
        },
        None => Way::Nowhere(refusal(record)),
    }
}

fn refusal(record: &RequestRecord) -> Refusal<'_> {
    let error = record.error.as_deref();
    let full = full(record);
    match (record.status, error, &record.route) {
        (_, Some("route_disabled"), _) => Refusal::RouteOff,
        (404, _, None) => Refusal::NoSuchRoute,
        (403, _, None) => Refusal::KeyMayNot,
        (429, _, Some(_)) if record.bound => Refusal::BoundToFull,
        (429, _, Some(_)) if !full.is_empty() => {
            let full = full.into_iter();
            Refusal::AllFull(
                full.map(|ranked| (ranked.into(), ranked.inflight))
                    .collect(),
            )
        }
        (_, Some("no_target"), _) => Refusal::NothingOn,
        (_, Some("endpoint_not_served"), _) => Refusal::NotServed,
        (status, error, _) => Refusal::Other { status, error },
    }
}

/// The best candidate that took requests.
fn choice(record: &RequestRecord) -> Option<&Ranked> {
    record
        .ranking
        .first()
        .filter(|first| first.left_out.is_none())
}

/// Why a candidate took no part. Nothing also for one that is full: it took part in vain.
pub(super) fn left_out(ranked: &Ranked) -> Option<LeftOut> {
    let said = ranked.left_out.as_deref()?;
    let reasons = [
        LeftOut::TargetOff,
        LeftOut::ProviderOff,
        LeftOut::EndpointNotSpoken,
        LeftOut::Ejected,
    ];
    reasons
        .into_iter()
        .find(|reason| reason.to_string() == said)
}

fn full(record: &RequestRecord) -> Vec<&Ranked> {
    let full = |ranked: &&Ranked| ranked.left_out.is_some() && left_out(ranked).is_none();
    record.ranking.iter().filter(full).collect()
}

fn first(record: &RequestRecord) -> Option<(Who<'_>, Cause<'_>)> {
    if record.bound {
        return record
            .attempts
            .first()
            .map(|made_it| (made_it.into(), Cause::Bound));
    }
    let chosen = choice(record)?;
    Some((chosen.into(), cause(record, chosen)))
}

fn cause<'a>(record: &'a RequestRecord, chosen: &'a Ranked) -> Cause<'a> {
    let Some(decided_by) = record.decided_by else {
        return Cause::Unknown;
    };
    match decided_by {
        DecidedBy::OnlyCandidate => Cause::OnlyCandidate,
        DecidedBy::RoundRobin if record.route_by == Some(RouteBy::Policy) => Cause::NothingToGoBy,
        DecidedBy::RoundRobin => Cause::Turn,
        DecidedBy::TargetWeight => Cause::TargetWeight,
        DecidedBy::Capacity => Cause::Capacity,
        DecidedBy::Chance => chance(record, chosen),
        DecidedBy::SessionAffinity => rated(record, chosen, ScorerName::SessionAffinity),
        DecidedBy::LeastInflight => rated(record, chosen, ScorerName::LeastInflight),
        DecidedBy::DecisionService => rated(record, chosen, ScorerName::DecisionService),
    }
}

fn chance<'a>(record: &'a RequestRecord, chosen: &Ranked) -> Cause<'a> {
    let total = chosen.total.unwrap_or_default();
    let others = record.ranking.iter().skip(1);
    let tied = others.filter(|other| other.left_out.is_none() && is_as_good(other, chosen));
    let others: Vec<Who<'_>> = tied.map(Who::from).collect();
    match others.is_empty() {
        true => Cause::Capacity,
        false => Cause::Chance { total, others },
    }
}

fn is_as_good(other: &Ranked, chosen: &Ranked) -> bool {
    let total = chosen.total.unwrap_or_default();
    other
        .total
        .is_some_and(|other| other >= total * (1.0 - SAME))
}

fn rated<'a>(record: &'a RequestRecord, chosen: &'a Ranked, decider: ScorerName) -> Cause<'a> {
    let ranking = record.ranking.iter();
    let rated: Vec<&Ranked> = ranking.filter(|ranked| ranked.total.is_some()).collect();
    let model = Who::from(chosen).model();
    let is_sibling = |ranked: &&Ranked| Who::from(*ranked).model() == model;
    let siblings: Vec<&Ranked> = rated.iter().copied().filter(is_sibling).collect();
    let next_is_sibling = rated.get(1).is_some_and(is_sibling);

    // Against the next of the same model a decision says nothing, but it is why it is this model.
    let decision = ScorerName::DecisionService;
    if decider != decision && next_is_sibling && siblings.len() < rated.len() {
        let of_model = favours(decision, chosen, &rated);
        let of_instance = favours(decider, chosen, &siblings);
        if of_model && of_instance {
            let others = rated.iter().filter(|ranked| !is_sibling(ranked));
            let others: Vec<&Ranked> = others.copied().chain([chosen]).collect();
            let reason = match reason(record, decider, chosen, &siblings) {
                Reason::Owner if !favours(decider, chosen, &rated) => Reason::OwnerAmongInstances,
                reason => reason,
            };
            return Cause::Within {
                decision: reason_of_decision(record, chosen),
                outweighed: outweighed(record, chosen, &others),
                instances: siblings.len(),
                reason,
            };
        }
    }

    let mut by_weight = ScorerName::ALL;
    let brings =
        |scorer: ScorerName| part(chosen, scorer).map_or(0.0, |(share, weight)| share * weight);
    by_weight.sort_by(|a, b| brings(*b).total_cmp(&brings(*a)));
    let mut scorers = [decider].into_iter().chain(by_weight);
    match scorers.find(|scorer| favours(*scorer, chosen, &rated)) {
        Some(scorer) => Cause::Rated {
            reason: reason(record, scorer, chosen, &rated),
            outweighed: outweighed(record, chosen, &rated),
        },
        None => Cause::Sum(chosen.total.unwrap_or_default()),
    }
}

/// Share and weight.
fn part(ranked: &Ranked, scorer: ScorerName) -> Option<(f64, f64)> {
    let part = ranked.scorers.get(scorer.key())?;
    Some((part.share, part.weight))
}

fn share(ranked: &Ranked, scorer: ScorerName) -> f64 {
    part(ranked, scorer).map_or(0.0, |(share, _)| share)
}

/// Whether the scorer took part, and nobody is better by it.
fn favours(scorer: ScorerName, chosen: &Ranked, among: &[&Ranked]) -> bool {
    part(chosen, scorer).is_some() && better(scorer, chosen, among).is_none()
}

/// The best by a scorer, where that is not the chosen one.
fn better<'a>(scorer: ScorerName, chosen: &Ranked, among: &[&'a Ranked]) -> Option<&'a Ranked> {
    part(chosen, scorer)?;
    let shares = among.iter().copied();
    let best = shares.max_by(|a, b| share(a, scorer).total_cmp(&share(b, scorer)))?;
    (share(best, scorer) * (1.0 - SAME) > share(chosen, scorer)).then_some(best)
}

fn reason<'a>(
    record: &'a RequestRecord,
    scorer: ScorerName,
    chosen: &'a Ranked,
    among: &[&'a Ranked],
) -> Reason<'a> {
    match scorer {
        ScorerName::SessionAffinity => Reason::Owner,
        ScorerName::DecisionService => reason_of_decision(record, chosen),
        ScorerName::LeastInflight => reason_of_load(chosen, among),
    }
}

fn reason_of_decision<'a>(record: &RequestRecord, chosen: &Ranked) -> Reason<'a> {
    Reason::Decision {
        probability: probability(record, chosen),
        confidence: record.decision.as_ref().map(|decision| decision.confidence),
    }
}

/// As the decision service said; a model that it left out has none.
fn probability(record: &RequestRecord, ranked: &Ranked) -> f64 {
    match &record.decision {
        Some(decision) => {
            let known = decision.probabilities.get(Who::from(ranked).model());
            known.copied().unwrap_or_default()
        }
        None => share(ranked, ScorerName::DecisionService),
    }
}

fn reason_of_load<'a>(chosen: &'a Ranked, among: &[&'a Ranked]) -> Reason<'a> {
    let load = ScorerName::LeastInflight;
    let own = chosen.inflight;
    let others = among
        .iter()
        .copied()
        .filter(|other| !std::ptr::eq(*other, chosen));
    let others: Vec<&Ranked> = others.collect();
    let recovers = |other: &&&Ranked| {
        other.inflight <= own && share(other, load) < share(chosen, load) * (1.0 - SAME)
    };
    if let Some(other) = others.iter().find(recovers) {
        return Reason::OtherRecovers {
            own,
            other: Who::from(*other),
            there: other.inflight,
        };
    }
    match others.iter().map(|other| other.inflight).min() {
        Some(next) if next > own => Reason::Fewest { own, next },
        _ => Reason::AmongFewest(own),
    }
}

/// What every scorer that preferred somebody else had for that one.
fn outweighed<'a>(
    record: &RequestRecord,
    chosen: &Ranked,
    among: &[&'a Ranked],
) -> Vec<Outweighed<'a>> {
    let mut outweighed = Vec::new();
    for scorer in ScorerName::ALL {
        let Some(best) = better(scorer, chosen, among) else {
            continue;
        };
        let (there, here) = (best.inflight, chosen.inflight);
        match scorer {
            ScorerName::SessionAffinity => outweighed.push(Outweighed::Owner(best.into())),
            ScorerName::DecisionService => outweighed.push(Outweighed::Decision {
                of: best.into(),
                probability: probability(record, best),
            }),
            ScorerName::LeastInflight if there < here => {
                outweighed.push(Outweighed::Fewer {
                    at: best.into(),
                    there,
                    here,
                });
            }
            // The chosen one recovers and counts as busier than it is.
            ScorerName::LeastInflight => {}
        }
    }
    outweighed
}

fn asides<'a>(
    record: &'a RequestRecord,
    way: &Way<'a>,
    cause: Option<&Cause<'a>>,
) -> Vec<Aside<'a>> {
    let mut asides = Vec::new();
    let full = full(record).into_iter();
    let passed_over: Vec<(Who<'a>, u32)> = match (cause, choice(record)) {
        (Some(Cause::Capacity), Some(chosen)) => full
            .filter(|ranked| is_as_good(ranked, chosen))
            .map(|ranked| (ranked.into(), ranked.inflight))
            .collect(),
        (
            Some(Cause::Rated { .. } | Cause::Within { .. } | Cause::Sum(_) | Cause::Chance { .. }),
            _,
        ) => Vec::new(),
        _ if matches!(way, Way::Nowhere(_)) => Vec::new(),
        _ => full
            .map(|ranked| (ranked.into(), ranked.inflight))
            .collect(),
    };
    if !passed_over.is_empty() {
        asides.push(Aside::Full(passed_over));
    }

    // Who is switched off is no news, unless that is why there was no choice.
    let no_choice = matches!(cause, None | Some(Cause::OnlyCandidate));
    let news: &[LeftOut] = match no_choice {
        true => &[
            LeftOut::Ejected,
            LeftOut::TargetOff,
            LeftOut::ProviderOff,
            LeftOut::EndpointNotSpoken,
        ],
        false => &[LeftOut::Ejected],
    };
    for reason in news {
        let of_reason = record
            .ranking
            .iter()
            .filter(|ranked| left_out(ranked) == Some(*reason));
        let who: Vec<Who<'_>> = of_reason.map(Who::from).collect();
        if !who.is_empty() {
            asides.push(Aside::LeftOut(*reason, who));
        }
    }

    if cause.is_some() {
        let abstained = ScorerName::ALL.into_iter().filter_map(|scorer| {
            let why = record.abstained.get(scorer.key())?;
            Some(Aside::Silent(silence(scorer, why)))
        });
        asides.extend(abstained);
    }

    if let Way::Answered { by, .. } = way {
        if record.status >= 400 {
            asides.push(Aside::AnsweredWith((*by).into(), record.status));
        }
        match record.error.as_deref() {
            Some("the client left") => asides.push(Aside::ClientLeftEarly),
            Some(error) => asides.push(Aside::EndedBadly(error)),
            None => {}
        }
    }
    asides
}

/// Records keep reasons as the engine words them.
pub(super) fn silence(scorer: ScorerName, why: &str) -> Silence<'_> {
    let known = [
        (Abstention::NoSessionKey, Silence::NoSession),
        (Abstention::NothingRated, Silence::NothingRated(scorer)),
        (Abstention::NoConfidence, Silence::NoConfidence),
        (NoDecision::NotAsked.into(), Silence::NotAsked),
        (NoDecision::TooFewModels.into(), Silence::TooFewModels),
        (NoDecision::NoJsonBody.into(), Silence::NoBody),
        (NoDecision::NestedTooDeep.into(), Silence::NestedTooDeep),
        (NoDecision::Tripped.into(), Silence::Tripped),
    ];
    let known = known
        .into_iter()
        .find(|(reason, _)| reason.to_string() == why);
    match (known, timeout(why)) {
        (Some((_, silence)), _) => silence,
        (None, Some((service, ms))) => Silence::Timeout { service, ms },
        (None, None) if scorer == ScorerName::DecisionService => Silence::NoDecision(why),
        (None, None) => Silence::Other(scorer, why),
    }
}

/// The service's name, and how long it was waited for.
fn timeout(why: &str) -> Option<(&str, &str)> {
    let rest = why.strip_prefix("the decision service `")?;
    let (service, rest) = rest.split_once("` did not answer within ")?;
    Some((service, rest.strip_suffix(" ms")?))
}
