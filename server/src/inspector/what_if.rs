//! *What if*: recorded requests, ranked again with other weights by the same engine.
//!
//! A scorer that took part is weighed anew by what it said. One that was off then and is on now can be
//! told only where the record holds what it goes by: Least Inflight Request, by the requests in flight.

use std::collections::{BTreeMap, HashMap};

use app::api::request::{Moved, Place, WhatIf, WhatIfAnswer, WhatIfTarget};
use app::error::{ApiError, ErrorCode};
use routing::{Candidate, CandidateKey, Facts, Load, Policy, Rotation, Scored, ScorerName};
use uuid::Uuid;

use super::Inspector;
use super::names::Names;
use crate::request_archive::moment_of;
use crate::store::{CandidateDetail, RequestDetail, RequestRow};

const LAST: u32 = 10_000;
const MOST: u32 = 100_000;
/// Rows that are read at once.
const PAGE: u32 = 2_000;
const MOST_EXAMPLES: usize = 100;

impl Inspector {
    /// Where the latest requests of a route would have gone with other weights.
    ///
    /// # Errors
    /// 404; 422 by field.
    pub async fn what_if(&self, route: Uuid, what_if: &WhatIf) -> Result<WhatIfAnswer, ApiError> {
        let weights = weights(what_if)?;
        let last = what_if.last.unwrap_or(LAST);
        if !(1..=MOST).contains(&last) {
            return Err(ApiError::invalid_field("last", "Write 1 to 100,000."));
        }
        if self.snapshots.load().routes.by_id(route).is_none() {
            let gone = format!("There is no route with the id {route} (any more).");
            return Err(ApiError::new(ErrorCode::NotFound, gone));
        }
        let filter = app::api::request::RequestFilter {
            route: Some(route.to_string()),
            ..Default::default()
        };
        let mut requests = self.all_requests(&filter).await?;
        let mut replay = Replay::new(weights);
        let mut left = last;
        while left > 0 {
            let (rows, is_more) = requests.rows(left.min(PAGE)).await?;
            for row in &rows {
                replay.look_at(row, requests.names());
            }
            left = left.saturating_sub(u32::try_from(rows.len()).unwrap_or(u32::MAX));
            if !is_more {
                break;
            }
            // Others want to get on as well.
            tokio::task::yield_now().await;
        }
        Ok(replay.answer(requests.names()))
    }
}

fn weights(what_if: &WhatIf) -> Result<Vec<(ScorerName, f64)>, ApiError> {
    let mut weights = Vec::new();
    for (key, weight) in &what_if.weights {
        let field = format!("weights.{key}");
        let scorer = ScorerName::ALL
            .into_iter()
            .find(|scorer| scorer.key() == key);
        let Some(scorer) = scorer else {
            let known = ScorerName::ALL.map(ScorerName::key).join(", ");
            return Err(ApiError::invalid_field(
                field,
                format!("Must be one of {known}."),
            ));
        };
        if !(weight.is_finite() && *weight > 0.0) {
            return Err(ApiError::invalid_field(
                field,
                "Write a number greater than 0.",
            ));
        }
        weights.push((scorer, *weight));
    }
    if weights.is_empty() {
        let none = "Give at least one scorer a weight.";
        return Err(ApiError::invalid_field("weights", none));
    }
    Ok(weights)
}

/// A candidate by its names' numbers.
type Numbers = (i32, i32);

struct Replay {
    weights: Vec<(ScorerName, f64)>,
    keys: HashMap<(Uuid, Numbers), CandidateKey>,
    looked_at: u64,
    replayed: u64,
    moved: u64,
    /// Before and after, by target.
    firsts: BTreeMap<i32, (u64, u64)>,
    examples: Vec<(Uuid, Numbers, Numbers)>,
}

impl Replay {
    fn new(weights: Vec<(ScorerName, f64)>) -> Self {
        Self {
            weights,
            keys: HashMap::new(),
            looked_at: 0,
            replayed: 0,
            moved: 0,
            firsts: BTreeMap::new(),
            examples: Vec::new(),
        }
    }

    fn look_at(&mut self, row: &RequestRow, names: &Names) {
        self.looked_at += 1;
        let detail = RequestDetail::unpack(&row.detail);
        let Some(detail) = detail.filter(|detail| !detail.scored.is_empty()) else {
            return;
        };
        let Some((before, after)) = self.firsts_of(&detail, names) else {
            return;
        };
        self.replayed += 1;
        self.firsts.entry(before.0).or_default().0 += 1;
        self.firsts.entry(after.0).or_default().1 += 1;
        if before != after {
            self.moved += 1;
            if self.examples.len() < MOST_EXAMPLES {
                self.examples.push((row.id, before, after));
            }
        }
    }

    /// The candidate that was first, and the one that would have been.
    fn firsts_of(&mut self, detail: &RequestDetail, names: &Names) -> Option<(Numbers, Numbers)> {
        let numbers = |index: usize| {
            let candidate = detail.candidates.get(index)?;
            Some((candidate.target, candidate.instance))
        };
        let first = detail
            .order
            .first()
            .and_then(|place| usize::try_from(*place).ok())?;
        for candidate in &detail.candidates {
            let known = self
                .keys
                .entry((candidate.provider, (candidate.target, candidate.instance)));
            known.or_insert_with(|| key(candidate, names));
        }
        let keys: Vec<&CandidateKey> = detail
            .candidates
            .iter()
            .filter_map(|one| self.keys.get(&(one.provider, (one.target, one.instance))))
            .collect();
        let candidates: Vec<Candidate<'_>> = keys
            .iter()
            .zip(&detail.candidates)
            .enumerate()
            .map(|(target, (key, one))| Candidate {
                target,
                key,
                load: Load {
                    inflight: one.inflight,
                    penalty: one.penalty.unwrap_or_default(),
                    full: one.is_full,
                },
                left_out: one.left_out,
            })
            .collect();
        let scored: Vec<Scored> = self
            .weights
            .iter()
            .filter_map(|(scorer, weight)| said(*scorer, *weight, detail, &candidates))
            .collect();
        if scored.is_empty() {
            return None;
        }
        let ranking = Policy::rank_again(scored, &candidates, detail.ticket);
        let again = ranking.live.first()?.candidate;
        Some((numbers(first)?, numbers(again)?))
    }

    fn answer(self, names: &Names) -> WhatIfAnswer {
        let place = |(target, instance): Numbers| Place {
            target: names.text(target).to_owned(),
            instance: names.text(instance).to_owned(),
        };
        let mut targets: Vec<WhatIfTarget> = self
            .firsts
            .into_iter()
            .map(|(target, (before, after))| WhatIfTarget {
                target: names.text(target).to_owned(),
                before,
                after,
            })
            .collect();
        targets.sort_by(|a, b| (b.after, &a.target).cmp(&(a.after, &b.target)));
        WhatIfAnswer {
            looked_at: self.looked_at,
            replayed: self.replayed,
            moved: self.moved,
            targets,
            examples: self
                .examples
                .into_iter()
                .map(|(id, from, to)| Moved {
                    id,
                    at: moment_of(id),
                    from: place(from),
                    to: place(to),
                })
                .collect(),
        }
    }
}

/// What a scorer said then, with the weight that it has now.
fn said(
    scorer: ScorerName,
    weight: f64,
    detail: &RequestDetail,
    candidates: &[Candidate<'_>],
) -> Option<Scored> {
    if let Some(scored) = detail.scored.iter().find(|scored| scored.scorer == scorer) {
        let decision = detail.decision.as_ref();
        let confidence = match scorer {
            ScorerName::DecisionService => decision.map_or(1.0, |decision| decision.confidence),
            ScorerName::SessionAffinity | ScorerName::LeastInflight => 1.0,
        };
        return Some(Scored {
            scorer,
            weight: weight * confidence,
            shares: scored.shares.clone(),
        });
    }
    // It was off, or abstained; what is not known of the request it would abstain from again.
    let policy = Policy::of_scorers(&[(scorer, weight)])?;
    let ranking = policy.rank(candidates, &Facts::default(), &mut Rotation::default());
    ranking.scored.into_iter().next()
}

fn key(candidate: &CandidateDetail, names: &Names) -> CandidateKey {
    let target = names.text(candidate.target);
    // A provider's name holds no slash, a model's may.
    let model = target.split_once('/').map_or(target, |(_, model)| model);
    CandidateKey::new(candidate.provider, names.text(candidate.instance), model)
}
