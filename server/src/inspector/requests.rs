//! `GET /requests`

use app::api::list::List;
use app::api::request::{
    Attempt, KeyName, RefusedCredential, RequestFilter, RequestRecord, Tokens,
};
use app::error::ApiError;
use uuid::Uuid;

use super::{Inspector, ranking};
use crate::gateway::record::{self, Record};
use crate::snapshot::CompiledRoute;

const LIMIT: u32 = 100;
const MOST: u32 = 1_000;

impl Inspector {
    /// The latest requests that fit, the newest first.
    ///
    /// # Errors
    /// 422 for `limit`.
    pub async fn requests(&self, filter: &RequestFilter) -> Result<List<RequestRecord>, ApiError> {
        let limit = filter.limit.unwrap_or(LIMIT);
        if !(1..=MOST).contains(&limit) {
            return Err(ApiError::invalid_field("limit", "Write 1 to 1,000."));
        }
        let before = filter.before.as_deref().map(Uuid::try_parse).transpose();
        let before = before.map_err(|_| {
            ApiError::invalid_field("before", "Give the id of a request, as `next` does.")
        })?;
        let is_wanted = |record: &Record| {
            let is_older = before.is_none_or(|before| record.id < before);
            let is_of_route = filter.route.as_deref().is_none_or(|wanted| {
                let route = record.route.as_deref();
                route.is_some_and(|route| is_named(route, wanted))
            });
            is_older && is_of_route
        };
        let records = self.log.newest().await;
        let mut wanted = records.iter().filter(|record| is_wanted(record));
        let items: Vec<RequestRecord> = wanted
            .by_ref()
            .take(limit as usize)
            .map(|record| shown(record))
            .collect();
        let next = wanted.next().and(items.last());
        let next = next.map(|last| last.id.to_string());
        Ok(List { items, next })
    }
}

fn is_named(route: &CompiledRoute, wanted: &str) -> bool {
    route.name == wanted || Uuid::try_parse(wanted).is_ok_and(|id| id == route.id)
}

fn shown(record: &Record) -> RequestRecord {
    let last = record.attempts.last();
    let route = record.route.as_deref();
    RequestRecord {
        id: record.id,
        at: record.at,
        route: route.map(|route| route.name.clone()),
        path: record.path.clone(),
        key: KeyName {
            id: record.key.id,
            name: record.key.name.clone(),
        },
        status: record.status.as_u16(),
        target: last.map(|attempt| attempt.target.to_string()),
        instance: last.map(|attempt| attempt.instance.to_string()),
        ttfb_ms: record.first_byte.map(ms),
        duration_ms: ms(record.duration),
        bytes: record.bytes,
        tokens: record.usage.map(|usage| Tokens {
            input: usage.input,
            output: usage.output,
            cached: usage.cached,
            reasoning: usage.reasoning,
        }),
        error: record.error.map(str::to_owned),
        attempts: record.attempts.iter().map(attempt).collect(),
        ranking: route.map_or_else(Vec::new, |route| ranking::shown(route, &record.placement)),
        tied: record.placement.ranking.tied,
        abstained: ranking::abstained(&record.placement.ranking),
    }
}

fn attempt(attempt: &record::Attempt) -> Attempt {
    Attempt {
        target: attempt.target.to_string(),
        instance: attempt.instance.to_string(),
        fallback: attempt.is_fallback,
        status: attempt.outcome.ok().map(|status| status.as_u16()),
        error: attempt
            .outcome
            .err()
            .map(|failure| failure.in_words().to_owned()),
        ms: ms(attempt.took),
        refused_credentials: attempt
            .refused
            .iter()
            .map(|refused| RefusedCredential {
                hint: refused.hint.to_string(),
                status: refused.status.as_u16(),
                ms: ms(refused.took),
            })
            .collect(),
    }
}

fn ms(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
