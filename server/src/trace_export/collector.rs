//! The other side of an export: a collector that takes OTLP over HTTP.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use reqwest::redirect;
use serde::Deserialize;
use url::Url;

use super::settings::Settings;
use crate::gateway::upstream::with_causes;

const CONNECT: Duration = Duration::from_secs(5);
/// For a whole call, as OpenTelemetry's own exporters have it.
const CALL: Duration = Duration::from_secs(10);
const TRIES: u32 = 5;
/// Before the second try; then twice as long each time.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Of an answer nothing beyond is read.
const LARGEST_ANSWER: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct Collector {
    client: reqwest::Client,
    url: Url,
}

/// Why a collector has not taken a call.
#[derive(Debug)]
enum Refusal {
    /// It may take it if asked again.
    ForNow(String, Option<Duration>),
    ForEver(String),
}

impl Collector {
    /// # Errors
    /// A sentence about why there is no HTTP client.
    pub(super) fn new(settings: Settings) -> Result<Self, String> {
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .timeout(CALL)
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .default_headers(settings.headers)
            .build()
            .map_err(|error| format!("The HTTP client for traces could not be made: {error}"))?;
        Ok(Self {
            client,
            url: settings.url,
        })
    }

    /// Brings it there, in several tries if need be.
    ///
    /// # Errors
    /// Why the collector did not take it, or not all of it.
    pub(super) async fn deliver(&self, call: Bytes) -> Result<(), String> {
        let mut pause = PAUSE;
        for is_last in (1..=TRIES).map(|number| number == TRIES) {
            match self.call(call.clone()).await {
                Ok(()) => return Ok(()),
                Err(Refusal::ForNow(_, asked)) if !is_last => {
                    let wait = asked.unwrap_or_else(|| pause.mul_f64(jitter()));
                    tokio::time::sleep(wait.min(LONGEST_PAUSE)).await;
                    pause *= 2;
                }
                Err(Refusal::ForNow(why, _) | Refusal::ForEver(why)) => return Err(why),
            }
        }
        Ok(())
    }

    async fn call(&self, call: Bytes) -> Result<(), Refusal> {
        let request = self.client.post(self.url.clone());
        let request = request.header(header::CONTENT_TYPE, "application/json");
        let answer = request.body(call).send().await.map_err(|error| {
            Refusal::ForNow(
                format!("it did not answer: {}", with_causes(&error.without_url())),
                None,
            )
        })?;
        let status = answer.status();
        if status.is_success() {
            return rejected(answer).await;
        }
        let why = format!("it answered {}", status.as_u16());
        Err(match is_for_now(status) {
            true => Refusal::ForNow(why, retry_after(answer.headers())),
            false => Refusal::ForEver(why),
        })
    }
}

/// Collectors say so themselves; for all others the same call would end in the same way.
fn is_for_now(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?;
    seconds.trim().parse().ok().map(Duration::from_secs)
}

/// From a half to one and a half.
fn jitter() -> f64 {
    0.5 + f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Taken {
    #[serde(default)]
    partial_success: Option<PartialSuccess>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PartialSuccess {
    /// A text or a number.
    rejected_spans: serde_json::Value,
}

/// Reads what else a collector says, which also lets the connection be used again.
async fn rejected(mut answer: reqwest::Response) -> Result<(), Refusal> {
    let mut said = Vec::new();
    while let Ok(Some(piece)) = answer.chunk().await {
        said.extend_from_slice(&piece);
        if said.len() > LARGEST_ANSWER {
            break;
        }
    }
    match rejected_spans(&said) {
        0 => Ok(()),
        count => Err(Refusal::ForEver(format!("it rejected {count} spans"))),
    }
}

fn rejected_spans(said: &[u8]) -> u64 {
    let taken = serde_json::from_slice::<Taken>(said).ok();
    let partly = taken.and_then(|taken| taken.partial_success);
    let count = partly.unwrap_or_default().rejected_spans;
    let text = count.as_str().and_then(|text| text.parse().ok());
    text.or(count.as_u64()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_collector_rejects_is_read_from_its_answer() {
        let table = [
            ("", 0),
            ("{}", 0),
            ("[]", 0),
            (r#"{"partialSuccess":null}"#, 0),
            (r#"{"partialSuccess":{}}"#, 0),
            (r#"{"partialSuccess":{"errorMessage":"a warning"}}"#, 0),
            (r#"{"partialSuccess":{"rejectedSpans":"3"}}"#, 3),
            (r#"{"partialSuccess":{"rejectedSpans":3}}"#, 3),
            (r#"{"partialSuccess":{"rejectedSpans":-1}}"#, 0),
        ];
        for (said, count) in table {
            assert_eq!(rejected_spans(said.as_bytes()), count, "{said}");
        }
    }

    #[test]
    fn tries_again_where_that_may_help() {
        let for_now = (100..600)
            .filter_map(|code| StatusCode::from_u16(code).ok())
            .filter(|status| is_for_now(*status));
        let for_now: Vec<u16> = for_now.map(|status| status.as_u16()).collect();
        assert_eq!(for_now, [429, 502, 503, 504]);
        for _ in 0..100 {
            assert!((0.5..=1.5).contains(&jitter()));
        }
    }
}
