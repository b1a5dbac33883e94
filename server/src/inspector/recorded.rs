//! A record as people and programs read it.

use app::api::price::Amount;
use app::api::request::{Attempt, DecisionMade, RefusedCredential, RequestRecord, Tokens};
use app::i18n::Locale;
use app::story;
use routing::{DecidedBy, SessionKeyDraft};

use super::names::Names;
use super::ranking::{Said, Standing, shown};
use crate::request_archive::moment_of;
use crate::store::{
    AttemptDetail, CandidateDetail, DecisionDetail, RequestDetail, RequestRow, SessionSource, flag,
};

pub(super) fn recorded(row: &RequestRow, names: &Names) -> RequestRecord {
    // What cannot be read was written by a later version; the rest of the row still says much.
    let detail = RequestDetail::unpack(&row.detail).unwrap_or_default();
    let tokens = row.input.zip(row.output).map(|(input, output)| Tokens {
        input: count(input),
        output: count(output),
        cached: detail.cached,
        reasoning: detail.reasoning,
    });
    let mut record = RequestRecord {
        id: row.id,
        at: moment_of(row.id),
        route: names.some_text(row.route),
        route_id: names.id(row.route),
        route_by: detail.route_by,
        path: detail
            .path
            .clone()
            .unwrap_or_else(|| names.text(row.path).to_owned()),
        key: names.key(row.api_key),
        session: detail.session.clone().map(session),
        streaming: row.flags & flag::STREAMING != 0,
        bound: row.flags & flag::BOUND != 0,
        bodies: row.flags & flag::BODIES != 0,
        why: String::new(),
        decided_by: decided_by(row.decided_by),
        status: u16::try_from(row.status).unwrap_or_default(),
        target: names.some_text(row.target),
        instance: names.some_text(detail.instance),
        read_ms: detail.read_ms.into(),
        decide_ms: detail.decide_ms.into(),
        ttfb_ms: row.ttfb_ms.map(count),
        duration_ms: count(row.duration_ms),
        bytes: detail.bytes,
        tokens,
        cost: detail.cost.map(Amount::new),
        error: detail.error.clone(),
        attempts: detail
            .attempts
            .iter()
            .map(|one| attempt(one, names))
            .collect(),
        ranking: shown(
            &standings(&detail.candidates, names),
            detail
                .order
                .iter()
                .filter_map(|place| usize::try_from(*place).ok()),
            &said(&detail),
        ),
        tied: usize::try_from(detail.tied).unwrap_or_default(),
        abstained: detail
            .abstained
            .iter()
            .map(|(scorer, reason)| (scorer.key().to_owned(), reason.clone()))
            .collect(),
        decision: detail.decision.map(decision),
    };
    record.why = story::why(&record, Locale::en);
    record
}

fn standings(candidates: &[CandidateDetail], names: &Names) -> Vec<Standing> {
    let standing = |one: &CandidateDetail| Standing {
        target: names.text(one.target).to_owned(),
        instance: names.text(one.instance).to_owned(),
        inflight: one.inflight,
        is_full: one.is_full,
        left_out: one.left_out,
    };
    candidates.iter().map(standing).collect()
}

fn said(detail: &RequestDetail) -> Vec<Said<'_>> {
    let scored = detail.scored.iter();
    scored
        .map(|scored| Said {
            scorer: scored.scorer,
            weight: scored.weight,
            shares: &scored.shares,
        })
        .collect()
}

fn session(source: SessionSource) -> SessionKeyDraft {
    match source {
        SessionSource::Header(name) => SessionKeyDraft {
            header: Some(name),
            body: None,
        },
        SessionSource::Body(path) => SessionKeyDraft {
            header: None,
            body: Some(path),
        },
    }
}

fn decided_by(number: i32) -> Option<DecidedBy> {
    let place = usize::try_from(number).ok()?.checked_sub(1)?;
    DecidedBy::ALL.get(place).copied()
}

fn attempt(one: &AttemptDetail, names: &Names) -> Attempt {
    Attempt {
        target: names.text(one.target).to_owned(),
        instance: names.text(one.instance).to_owned(),
        fallback: one.is_fallback,
        status: one.outcome.as_ref().ok().copied(),
        error: one.outcome.as_ref().err().cloned(),
        ms: one.ms.into(),
        refused_credentials: one
            .refused
            .iter()
            .map(|refused| RefusedCredential {
                hint: refused.hint.clone(),
                status: refused.status,
                ms: refused.ms.into(),
            })
            .collect(),
    }
}

fn decision(detail: DecisionDetail) -> DecisionMade {
    DecisionMade {
        model: detail.model,
        probabilities: detail.probabilities.into_iter().collect(),
        confidence: detail.confidence,
        latency_ms: detail.latency_ms.into(),
    }
}

fn count(number: i32) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
