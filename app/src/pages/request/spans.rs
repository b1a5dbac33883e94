//! What a request's time went into, as stretches of one line that begins when it came in.

use crate::api::request::RequestRecord;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Read,
    Decide,
    /// By its place among the attempts.
    Attempt(usize),
    /// A moment.
    FirstByte,
    Stream,
}

/// In milliseconds since it came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub what: What,
    pub from: u64,
    pub to: u64,
}

/// In their order. Each was measured by itself, so an end is cut to the end of all.
pub(super) fn spans(record: &RequestRecord) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut now = 0_u64;
    let mut next = |what, ms: u64| {
        let from = now;
        now = from.saturating_add(ms).min(record.duration_ms);
        spans.push(Span {
            what,
            from,
            to: now,
        });
    };
    next(What::Read, record.read_ms);
    if record.route.is_some() {
        next(What::Decide, record.decide_ms);
    }
    for (place, attempt) in record.attempts.iter().enumerate() {
        let refused = attempt.refused_credentials.iter();
        let refused: u64 = refused.map(|refused| refused.ms).sum();
        next(What::Attempt(place), refused.saturating_add(attempt.ms));
    }
    if let Some(first_byte) = record.ttfb_ms {
        let at = first_byte.min(record.duration_ms);
        spans.push(Span {
            what: What::FirstByte,
            from: at,
            to: at,
        });
        spans.push(Span {
            what: What::Stream,
            from: at,
            to: record.duration_ms,
        });
    }
    spans
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(more: serde_json::Value) -> RequestRecord {
        let nobody = "00000000-0000-0000-0000-000000000000";
        let mut record = json!({
            "id": nobody, "at": "2026-11-30T00:00:00Z", "route": "qwen3", "route_id": nobody,
            "route_by": "policy", "path": "/v1/chat/completions",
            "key": {"id": nobody, "name": "e2e"}, "session": null, "streaming": true,
            "bound": false, "bodies": false, "why": "", "decided_by": "chance", "status": 200, "target": null,
            "instance": null, "read_ms": 2, "decide_ms": 40, "ttfb_ms": 140, "duration_ms": 900,
            "bytes": 0, "tokens": null, "error": null, "attempts": [], "ranking": [], "tied": 1,
            "abstained": {}, "decision": null,
        });
        let fields = record.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        serde_json::from_value(record).unwrap()
    }

    fn attempt(ms: u64, refused: &[u64]) -> serde_json::Value {
        let refused: Vec<_> = refused
            .iter()
            .map(|ms| json!({"hint": "1234", "status": 401, "ms": ms}))
            .collect();
        json!({
            "target": "a/b", "instance": "http://h/v1", "fallback": false, "status": 200,
            "error": null, "ms": ms, "refused_credentials": refused,
        })
    }

    #[test]
    fn one_thing_follows_the_other() {
        let told = spans(&record(
            json!({"attempts": [attempt(30, &[]), attempt(50, &[10, 5])]}),
        ));
        let span = |what, from, to| Span { what, from, to };
        assert_eq!(
            told,
            [
                span(What::Read, 0, 2),
                span(What::Decide, 2, 42),
                span(What::Attempt(0), 42, 72),
                span(What::Attempt(1), 72, 137),
                span(What::FirstByte, 140, 140),
                span(What::Stream, 140, 900),
            ]
        );
    }

    #[test]
    fn nothing_goes_on_after_the_end() {
        let left = json!({"ttfb_ms": null, "duration_ms": 60, "attempts": [attempt(30, &[])]});
        assert_eq!(spans(&record(left)).last().unwrap().to, 60);
        let early = json!({"route": null, "ttfb_ms": null, "duration_ms": 1});
        let told = spans(&record(early));
        assert_eq!(
            told,
            [Span {
                what: What::Read,
                from: 0,
                to: 1
            }]
        );
    }
}
