//! From a record as the gateway has it to the rows that are kept of it.

use std::sync::Arc;

use app::api::price::Amount;
use app::api::usage::Counts;
use foldhash::HashMap;
use routing::DecidedBy;

use super::numbers::{Mention, Numbers};
use super::{hour_of, ms};
use crate::gateway::decision::Decided;
use crate::gateway::record::{Attempt, Record};
use crate::snapshot::CompiledRoute;
use crate::store::{
    AttemptDetail, CandidateDetail, DecisionDetail, RefusedDetail, RequestDetail, RequestRow,
    ScoredDetail, SessionSource, UsageHour, flag,
};

pub(super) fn rows(records: &[Arc<Record>], numbers: &Numbers) -> Vec<RequestRow> {
    // Many requests of a batch are for the same few routes.
    let mut of_routes: HashMap<*const CompiledRoute, Vec<CandidateDetail>> = HashMap::default();
    let of_each = records.iter().map(|record| {
        let candidates = match &record.route {
            None => &Vec::new(),
            Some(route) => of_routes
                .entry(Arc::as_ptr(route))
                .or_insert_with(|| candidates_of(route, numbers)),
        };
        row(record, candidates, numbers)
    });
    of_each.collect()
}

/// `candidates` are those of its route.
fn row(record: &Record, candidates: &[CandidateDetail], numbers: &Numbers) -> RequestRow {
    let ranking = &record.placement().ranking;
    let last = record.attempts.last();
    let route = record.route.as_deref();
    let decided_by = route.and_then(|route| route.decided_by(ranking));
    let flags = [
        (ranking.tied > 1, flag::TIE),
        (
            record.attempts.iter().any(|one| one.is_fallback),
            flag::FALLBACK,
        ),
        (record.is_streaming, flag::STREAMING),
        (record.is_bound, flag::BOUND),
        (record.bodies.is_some(), flag::BODIES),
    ];
    let usage = record.usage.as_ref();
    RequestRow {
        id: record.id,
        route: route.map_or(0, |route| numbers.of(Mention::route(route))),
        target: last.map_or(0, |one| numbers.of(Mention::target(&one.target))),
        api_key: numbers.of(Mention::key(record)),
        path: numbers.of(Mention::path(&record.path)),
        status: record.status.as_u16().into(),
        decided_by: decided_by.map_or(0, number_of),
        flags: flags
            .iter()
            .filter(|(set, _)| *set)
            .map(|(_, bit)| bit)
            .sum(),
        ttfb_ms: record.first_byte.map(ms),
        duration_ms: ms(record.duration),
        input: usage.map(|usage| small(usage.input)),
        output: usage.map(|usage| small(usage.output)),
        detail: detail(record, candidates, numbers).pack(),
    }
}

/// Which of all ways to decide, counted from 1.
pub fn number_of(by: DecidedBy) -> i32 {
    (1..)
        .zip(DecidedBy::ALL)
        .find(|(_, one)| *one == by)
        .map_or(0, |(number, _)| number)
}

fn detail(record: &Record, candidates: &[CandidateDetail], numbers: &Numbers) -> RequestDetail {
    let ranking = &record.placement().ranking;
    let route = record.route.as_deref();
    let last = record.attempts.last();
    let path_name = Mention::path(&record.path).name;
    RequestDetail {
        path: (path_name != record.path).then(|| record.path.clone()),
        instance: last.map_or(0, |one| numbers.of(Mention::instance(&one.instance))),
        route_by: route.map(CompiledRoute::route_by),
        session: session(record),
        bytes: record.bytes,
        read_ms: ms(record.read).unsigned_abs(),
        decide_ms: ms(record.decide).unsigned_abs(),
        cached: record.usage.and_then(|usage| usage.cached),
        reasoning: record.usage.and_then(|usage| usage.reasoning),
        cost: cost(record).map(|cost| cost.millionths),
        error: record.error.map(str::to_owned),
        attempts: record
            .attempts
            .iter()
            .map(|one| attempt(one, numbers))
            .collect(),
        candidates: placed(record, candidates),
        order: ranking
            .live
            .iter()
            .map(|one| place(one.candidate))
            .collect(),
        scored: ranking
            .scored
            .iter()
            .map(|scored| ScoredDetail {
                scorer: scored.scorer,
                weight: scored.weight,
                shares: scored.shares.clone(),
            })
            .collect(),
        abstained: ranking
            .abstained
            .iter()
            .map(|(scorer, reason)| (*scorer, reason.to_string()))
            .collect(),
        tied: place(ranking.tied),
        ticket: record.ticket,
        decision: record.decision.as_ref().map(decision),
    }
}

fn session(record: &Record) -> Option<SessionSource> {
    let keys = record.route.as_deref()?.session_keys.as_ref()?;
    let source = keys.source(record.session?)?;
    let header = source.header.map(SessionSource::Header);
    header.or(source.body.map(SessionSource::Body))
}

/// As they are when nothing is under way.
fn candidates_of(route: &CompiledRoute, numbers: &Numbers) -> Vec<CandidateDetail> {
    let candidates = route.candidates();
    candidates
        .map(|choice| CandidateDetail {
            provider: choice.target.provider.id,
            target: numbers.of(Mention::target(&choice.target.name)),
            instance: numbers.of(Mention::instance(&choice.instance.url)),
            inflight: 0,
            penalty: None,
            is_full: false,
            left_out: None,
        })
        .collect()
}

/// As they were when the request was placed; none when it was not.
fn placed(record: &Record, candidates: &[CandidateDetail]) -> Vec<CandidateDetail> {
    let placement = record.placement();
    let load_of_each = candidates.iter().zip(&placement.loads);
    let mut candidates: Vec<_> = load_of_each
        .map(|(candidate, load)| CandidateDetail {
            inflight: load.inflight,
            penalty: (load.penalty > 0.0).then_some(load.penalty),
            is_full: load.full,
            ..candidate.clone()
        })
        .collect();
    for (index, reason) in &placement.ranking.left_out {
        if let Some(candidate) = candidates.get_mut(*index) {
            candidate.left_out = Some(*reason);
        }
    }
    candidates
}

fn attempt(attempt: &Attempt, numbers: &Numbers) -> AttemptDetail {
    AttemptDetail {
        target: numbers.of(Mention::target(&attempt.target)),
        instance: numbers.of(Mention::instance(&attempt.instance)),
        is_fallback: attempt.is_fallback,
        outcome: match attempt.outcome {
            Ok(status) => Ok(status.as_u16()),
            Err(failure) => Err(failure.in_words().to_owned()),
        },
        ms: ms(attempt.took).unsigned_abs(),
        refused: attempt
            .refused
            .iter()
            .map(|refused| RefusedDetail {
                hint: refused.hint.to_string(),
                status: refused.status.as_u16(),
                ms: ms(refused.took).unsigned_abs(),
            })
            .collect(),
    }
}

fn decision(decided: &Decided) -> DecisionDetail {
    let probabilities = decided.decision.probabilities.iter();
    DecisionDetail {
        model: decided.model.clone(),
        probabilities: probabilities
            .map(|(model, probability)| (model.clone(), *probability))
            .collect(),
        confidence: decided.decision.confidence,
        latency_ms: ms(decided.latency).unsigned_abs(),
    }
}

/// What the records came to, added up by hour and names.
pub(super) fn hours(records: &[Arc<Record>], rows: &[RequestRow]) -> Vec<UsageHour> {
    let mut hours: HashMap<(i32, i32, i32, i32), Counts> = HashMap::default();
    for (record, row) in records.iter().zip(rows) {
        let key = (hour_of(record.at), row.route, row.target, row.api_key);
        hours.entry(key).or_default().add(counts(record));
    }
    // Two processes that take rows in different orders would wait for each other.
    let mut hours: Vec<_> = hours.into_iter().collect();
    hours.sort_unstable_by_key(|(key, _)| *key);
    hours
        .into_iter()
        .map(|((hour, route, target, api_key), counts)| UsageHour {
            hour,
            route,
            target,
            api_key,
            counts,
        })
        .collect()
}

fn counts(record: &Record) -> Counts {
    let is_error = record.is_error();
    let usage = record.usage.unwrap_or_default();
    Counts {
        requests: 1,
        errors: is_error.into(),
        input: usage.input,
        output: usage.output,
        cached: usage.cached.unwrap_or_default(),
        reasoning: usage.reasoning.unwrap_or_default(),
        cost: cost(record).unwrap_or_default(),
        uncounted: (!is_error && record.usage.is_none()).into(),
    }
}

/// Nothing where no price or no count is known.
fn cost(record: &Record) -> Option<Amount> {
    let price = record.attempts.last()?.price?;
    Some(price.of(record.usage?.into()))
}

fn small(count: u64) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn place(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
