//! From a record to the spans of its trace: the request, how it was decided where it goes, and every try.
//!
//! Of what a record holds only names of the settings, numbers, statuses and paths go in: never what was
//! asked or answered, keys, credentials or the values of session keys.

use std::time::Duration;

use app::api::provider::ProviderKind;
use http::StatusCode;
use url::Url;

use super::conventions;
use super::ids::Ids;
use super::otlp::{Attributes, Decimal, Kind, Span, SpanId, Status};
use crate::gateway::Endpoint;
use crate::gateway::record::{Attempt, CLIENT_LEFT, Record};
use crate::gateway::usage::Usage;
use crate::snapshot::CompiledRoute;

/// W3C's flag for what is kept, and OTLP's for knowing where a parent is.
const SAMPLED: u32 = 0x001;
const KNOWS_WHERE_PARENT_IS: u32 = 0x100;
const PARENT_IS_REMOTE: u32 = 0x200;

pub(super) fn of(record: &Record) -> Vec<Span> {
    let mut trace = Trace {
        record,
        ids: Ids::of(record),
        endpoint: Endpoint::of(&record.path),
    };
    let request = trace.request();
    let parent = request.span_id;
    let mut spans = vec![request];
    spans.extend(trace.deciding(parent));
    let answered = answered(record);
    for (place, attempt) in record.attempts.iter().enumerate() {
        spans.push(trace.attempt(parent, attempt, answered == Some(place)));
    }
    spans
}

/// Which attempt's answer was passed on.
fn answered(record: &Record) -> Option<usize> {
    record.first_byte?;
    let attempts = &record.attempts;
    attempts.iter().rposition(|attempt| attempt.outcome.is_ok())
}

struct Trace<'a> {
    record: &'a Record,
    ids: Ids,
    endpoint: Option<Endpoint>,
}

impl Trace<'_> {
    fn request(&mut self) -> Span {
        let record = self.record;
        let route = conventions::route_of(&record.path);
        let mut attributes = Attributes::default();
        attributes.put("http.request.method", record.method.as_str());
        attributes.put("http.route", &*route);
        attributes.put("url.path", record.path.as_str());
        attributes.put("http.response.status_code", number(record.status));
        attributes.put("http.response.body.size", record.bytes);
        attributes.put("signalbox.request_id", record.id.to_string());
        let name = record.route.as_deref().map(|route| route.name.as_str());
        attributes.put_known("signalbox.route", name);
        let first_byte = record.first_byte.map(|after| after.as_secs_f64());
        attributes.put_known("signalbox.time_to_first_byte", first_byte);
        if record.is_bound {
            attributes.put("signalbox.bound", true);
        }
        attributes.put_known("error.type", failure(record));
        let parent = self.ids.parent;
        Span {
            flags: SAMPLED | KNOWS_WHERE_PARENT_IS | parent.map_or(0, |_| PARENT_IS_REMOTE),
            // What a client does wrong is no error of the server.
            status: match record.status.is_server_error() || broke_off(record) {
                true => Status::ERROR,
                false => Status::UNSET,
            },
            ..self.span(
                parent,
                Kind::Server,
                format!("{} {route}", record.method),
                (Duration::ZERO, record.duration),
                attributes,
            )
        }
    }

    /// Nothing where there was nothing to choose.
    fn deciding(&mut self, parent: SpanId) -> Option<Span> {
        let record = self.record;
        let route = record.route.as_deref()?;
        let ranking = &record.placement().ranking;
        if record.placement().loads.is_empty() {
            return None;
        }
        let mut attributes = Attributes::default();
        attributes.put("signalbox.route_by", word(&route.route_by()));
        let by = route.decided_by(ranking);
        attributes.put_known("signalbox.decided_by", by.map(|by| word(&by)));
        let first = ranking.choice().and_then(|place| route.candidate(place));
        attributes.put_known("signalbox.target", first.map(|first| &*first.target.name));
        attributes.put("signalbox.candidates", ranking.live.len() as u64);
        attributes.put("signalbox.tied", ranking.tied as u64);
        attributes.put_known("signalbox.session.source", session_source(record, route));
        if let Some(decided) = &record.decision {
            let confidence = decided.decision.confidence;
            attributes.put("signalbox.decision.confidence", confidence);
            attributes.put_known("signalbox.decision.model", decided.model.as_deref());
            let latency = decided.latency.as_secs_f64();
            attributes.put("signalbox.decision.duration", latency);
        }
        let time = (record.read, record.read + record.decide);
        let name = "decide".to_owned();
        Some(self.span(Some(parent), Kind::Internal, name, time, attributes))
    }

    fn attempt(&mut self, parent: SpanId, attempt: &Attempt, answered: bool) -> Span {
        let record = self.record;
        let operation = conventions::operation(self.endpoint);
        let (address, port) = server(&attempt.instance).unzip();
        let kind = kind(record, attempt);
        let provider = conventions::provider(kind, address.as_deref().unwrap_or_default());
        let mut attributes = Attributes::default();
        attributes.put("gen_ai.operation.name", operation);
        attributes.put("gen_ai.provider.name", provider);
        attributes.put("gen_ai.request.model", attempt.model());
        let output = conventions::output(self.endpoint);
        attributes.put_known("gen_ai.output.type", output);
        attributes.put_known("server.address", address);
        attributes.put_known("server.port", port);
        let status = attempt.outcome.ok();
        attributes.put_known("http.response.status_code", status.map(number));
        attributes.put("signalbox.provider", attempt.provider());
        if attempt.is_fallback {
            attributes.put("signalbox.fallback", true);
        }
        if !attempt.refused.is_empty() {
            let refused = attempt.refused.len() as u64;
            attributes.put("signalbox.refused_credentials", refused);
        }
        if answered {
            if record.is_streaming {
                attributes.put("gen_ai.request.stream", true);
            }
            if let Some(usage) = &record.usage {
                put_usage(&mut attributes, usage);
            }
        }
        let error = match attempt.outcome {
            Err(failure) => Some(failure.name().to_owned()),
            Ok(status) if !status.is_success() => Some(status.as_str().to_owned()),
            Ok(_) if answered => failure(record),
            Ok(_) => None,
        };
        let is_error = error.is_some() && !(answered && record.error == Some(CLIENT_LEFT));
        attributes.put_known("error.type", error);
        let end = match answered {
            true => record.duration,
            false => attempt.begun + attempt.took_in_all(),
        };
        Span {
            status: match is_error {
                true => Status::ERROR,
                false => Status::UNSET,
            },
            ..self.span(
                Some(parent),
                Kind::Client,
                format!("{operation} {}", attempt.model()),
                (attempt.begun, end),
                attributes,
            )
        }
    }

    /// `time` is from when until when, since the request came in.
    fn span(
        &mut self,
        parent: Option<SpanId>,
        kind: Kind,
        name: String,
        (start, end): (Duration, Duration),
        attributes: Attributes,
    ) -> Span {
        Span {
            trace_id: self.ids.trace,
            span_id: self.ids.next_span(),
            parent_span_id: parent,
            flags: SAMPLED | KNOWS_WHERE_PARENT_IS,
            name,
            kind,
            start_time_unix_nano: self.moment(start),
            end_time_unix_nano: self.moment(end.max(start)),
            attributes,
            status: Status::UNSET,
        }
    }

    fn moment(&self, since_begin: Duration) -> Decimal {
        let begin = self.record.at.timestamp_nanos_opt().unwrap_or_default();
        let begin = u64::try_from(begin).unwrap_or_default();
        let since_begin = u64::try_from(since_begin.as_nanos()).unwrap_or(u64::MAX);
        Decimal(begin.saturating_add(since_begin))
    }
}

fn put_usage(attributes: &mut Attributes, usage: &Usage) {
    attributes.put("gen_ai.usage.input_tokens", usage.input);
    attributes.put("gen_ai.usage.output_tokens", usage.output);
    attributes.put_known("gen_ai.usage.cache_read.input_tokens", usage.cached);
    attributes.put_known("gen_ai.usage.reasoning.output_tokens", usage.reasoning);
}

/// Why a request did not end well, as one word of few.
fn failure(record: &Record) -> Option<String> {
    match record.error {
        Some(error) => Some(error.replace(' ', "_")),
        None if record.status.is_server_error() => Some(record.status.as_str().to_owned()),
        None => None,
    }
}

/// A good answer had begun and did not end as it should; not for the client's sake.
fn broke_off(record: &Record) -> bool {
    record.status.is_success() && record.error.is_some_and(|error| error != CLIENT_LEFT)
}

/// Host and port of an instance.
fn server(instance: &str) -> Option<(String, u64)> {
    let url = Url::parse(instance).ok()?;
    let host = url.host_str()?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Some((host.to_owned(), url.port_or_known_default()?.into()))
}

fn kind(record: &Record, attempt: &Attempt) -> ProviderKind {
    let route = record.route.as_deref();
    let targets = route.map(|route| route.targets().chain(&route.fallbacks));
    let mut targets = targets.into_iter().flatten();
    targets
        .find(|target| target.name == attempt.target)
        .map_or(ProviderKind::Openai, |target| target.provider.kind)
}

/// Where the session key was found, never what it was.
fn session_source(record: &Record, route: &CompiledRoute) -> Option<String> {
    let source = route.session_keys.as_ref()?.source(record.session?)?;
    let header = source.header.map(|name| format!("header {name}"));
    header.or(source.body.map(|path| format!("body {path}")))
}

/// As the API spells it.
fn word(of: &impl serde::Serialize) -> String {
    let spelled = serde_json::to_value(of).ok();
    let text = spelled.as_ref().and_then(|value| value.as_str());
    text.unwrap_or_default().to_owned()
}

fn number(status: StatusCode) -> u64 {
    status.as_u16().into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::DateTime;
    use http::Method;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;
    use crate::gateway::record::Refused;
    use crate::gateway::trace_parent::TraceParent;
    use crate::gateway::upstream::Failure;
    use crate::snapshot::CompiledKey;

    const MS: Duration = Duration::from_millis(1);

    fn record(path: &str, attempts: Vec<Attempt>) -> Record {
        let key = Arc::new(CompiledKey::for_tests());
        let mut record = Record::new(Uuid::from_u128(0xabc), path, &key);
        record.at = DateTime::from_timestamp_millis(1_796_000_000_000).unwrap();
        record.attempts = attempts;
        record.duration = 100 * MS;
        record
    }

    fn answered(mut record: Record, status: StatusCode) -> Record {
        record.status = status;
        record.error = None;
        record.first_byte = Some(50 * MS);
        record
    }

    fn attempt(begun_ms: u32, outcome: Result<StatusCode, Failure>) -> Attempt {
        Attempt {
            target: "local/org/m".into(),
            instance: "http://[::1]:8000/v1".into(),
            is_fallback: false,
            price: None,
            outcome,
            begun: MS * begun_ms,
            took: 5 * MS,
            refused: Vec::new(),
        }
    }

    fn json_of(record: &Record) -> Vec<Value> {
        let spans = of(record);
        let json = spans.iter().map(serde_json::to_value);
        json.collect::<Result<_, _>>().unwrap()
    }

    fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
        let attributes = span["attributes"].as_array().unwrap();
        let found = attributes.iter().find(|one| one["key"] == key);
        found.map_or(&Value::Null, |one| &one["value"])
    }

    fn after_ms(span: &Value, side: &str) -> u64 {
        let nanos: u64 = span[side].as_str().unwrap().parse().unwrap();
        nanos / 1_000_000 - 1_796_000_000_000
    }

    fn times(span: &Value) -> (u64, u64) {
        (
            after_ms(span, "startTimeUnixNano"),
            after_ms(span, "endTimeUnixNano"),
        )
    }

    #[test]
    fn every_try_is_a_child_and_the_one_that_answered_lasts_to_the_end() {
        let mut second = attempt(20, Ok(StatusCode::OK));
        second.is_fallback = true;
        second.refused.push(Refused {
            hint: "sk-…1234".into(),
            status: StatusCode::UNAUTHORIZED,
            took: 3 * MS,
        });
        let attempts = vec![attempt(10, Err(Failure::Connect)), second];
        let mut record = answered(record("/v1/chat/completions", attempts), StatusCode::OK);
        record.is_streaming = true;
        record.usage = Some(Usage {
            input: 7,
            output: 5,
            cached: Some(3),
            reasoning: None,
        });
        let spans = json_of(&record);
        let [request, first, second] = spans.as_slice() else {
            panic!("{spans:#?}")
        };
        assert_eq!(request["name"], "POST /v1/chat/completions");
        assert_eq!(request["kind"], 2);
        assert_eq!(request["traceId"], format!("{:032x}", 0xabc));
        assert_eq!(request["parentSpanId"], Value::Null);
        assert_eq!(request["status"]["code"], 0);
        assert_eq!(attribute(request, "error.type"), &Value::Null);
        assert_eq!(times(request), (0, 100));
        for child in [first, second] {
            assert_eq!(child["traceId"], request["traceId"]);
            assert_eq!(child["parentSpanId"], request["spanId"]);
            assert_eq!(
                (&child["name"], &child["kind"]),
                (&json!("chat org/m"), &json!(3))
            );
            let text = |key| attribute(child, key)["stringValue"].clone();
            assert_eq!(text("gen_ai.request.model"), "org/m");
            assert_eq!(text("gen_ai.provider.name"), "openai");
            assert_eq!(text("server.address"), "::1");
            assert_eq!(attribute(child, "server.port")["intValue"], "8000");
            assert_eq!(text("signalbox.provider"), "local");
        }
        let tokens = |span, kind: &str| attribute(span, &format!("gen_ai.usage.{kind}")).clone();
        assert_eq!(times(first), (10, 15));
        assert_eq!(first["status"]["code"], 2);
        assert_eq!(attribute(first, "error.type")["stringValue"], "unreachable");
        assert_eq!(tokens(first, "input_tokens"), Value::Null);
        assert_eq!(times(second), (20, 100));
        assert_eq!(second["status"]["code"], 0);
        assert_eq!(tokens(second, "input_tokens")["intValue"], "7");
        assert_eq!(tokens(second, "output_tokens")["intValue"], "5");
        assert_eq!(tokens(second, "cache_read.input_tokens")["intValue"], "3");
        assert_eq!(tokens(second, "reasoning.output_tokens"), Value::Null);
        assert_eq!(
            attribute(second, "gen_ai.request.stream")["boolValue"],
            true
        );
        assert_eq!(attribute(second, "signalbox.fallback")["boolValue"], true);
        assert_eq!(
            attribute(second, "signalbox.refused_credentials")["intValue"],
            "1"
        );
        assert!(!json!(spans).to_string().contains("1234"));
    }

    #[test]
    fn an_answer_that_was_set_aside_and_passed_on_in_the_end_is_the_one() {
        let attempts = vec![
            attempt(10, Ok(StatusCode::SERVICE_UNAVAILABLE)),
            attempt(20, Err(Failure::FirstByteTimeout)),
        ];
        let record = record("/v1/embeddings", attempts);
        let spans = json_of(&answered(record, StatusCode::SERVICE_UNAVAILABLE));
        assert_eq!(times(&spans[1]), (10, 100));
        assert_eq!(attribute(&spans[1], "error.type")["stringValue"], "503");
        assert_eq!(times(&spans[2]), (20, 25));
        assert_eq!(spans[0]["status"]["code"], 2);
        assert_eq!(attribute(&spans[0], "error.type")["stringValue"], "503");
    }

    #[test]
    fn errors_are_the_servers_only_where_they_are() {
        let table = [
            (404, Some("model_not_found"), 0, Some("model_not_found")),
            (
                502,
                Some("upstream_unreachable"),
                2,
                Some("upstream_unreachable"),
            ),
            (499, Some(CLIENT_LEFT), 0, Some("the_client_left")),
            (200, Some(CLIENT_LEFT), 0, Some("the_client_left")),
            (200, Some("broke off"), 2, Some("broke_off")),
            (400, None, 0, None),
            (500, None, 2, Some("500")),
        ];
        for (status, error, code, word) in table {
            let mut record = record("/v1/messages", Vec::new());
            record.status = StatusCode::from_u16(status).unwrap();
            record.error = error;
            let spans = json_of(&record);
            assert_eq!(spans.len(), 1);
            assert_eq!(spans[0]["status"]["code"], code, "{status} {error:?}");
            let found = attribute(&spans[0], "error.type")["stringValue"].as_str();
            assert_eq!(found, word, "{status} {error:?}");
        }
    }

    #[test]
    fn a_clients_trace_goes_on() {
        let mut record = record("/v1/responses/resp_1", Vec::new());
        record.method = Method::DELETE;
        record.trace_parent = Some(TraceParent {
            trace: 7,
            span: 8,
            is_sampled: true,
        });
        let span = json_of(&record).remove(0);
        assert_eq!(span["traceId"], format!("{:032x}", 7));
        assert_eq!(span["parentSpanId"], format!("{:016x}", 8));
        assert_eq!(span["flags"], 0x301);
        assert_eq!(span["name"], "DELETE /v1/responses/{id}");
    }
}
