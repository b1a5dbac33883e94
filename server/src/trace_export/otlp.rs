//! OTLP's JSON, as far as traces need it: ids are hexadecimal, 64-bit numbers are texts, enums are
//! numbers.

use serde::{Serialize, Serializer};

/// What one call brings to a collector.
pub(super) fn encode(spans: &[Span], instance: &str) -> Result<Vec<u8>, serde_json::Error> {
    let mut resource = Attributes::default();
    resource.put("service.name", "signalbox");
    resource.put("service.version", env!("CARGO_PKG_VERSION"));
    resource.put("service.instance.id", instance);
    serde_json::to_vec(&Call {
        resource_spans: [ResourceSpans {
            resource: Resource {
                attributes: resource,
            },
            scope_spans: [ScopeSpans {
                scope: Scope {
                    name: "signalbox",
                    version: env!("CARGO_PKG_VERSION"),
                },
                spans,
            }],
        }],
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Call<'a> {
    resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    resource: Resource,
    scope_spans: [ScopeSpans<'a>; 1],
}

#[derive(Serialize)]
struct Resource {
    attributes: Attributes,
}

#[derive(Serialize)]
struct ScopeSpans<'a> {
    scope: Scope,
    spans: &'a [Span],
}

#[derive(Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Span {
    pub trace_id: TraceId,
    pub span_id: SpanId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_span_id: Option<SpanId>,
    pub flags: u32,
    pub name: String,
    pub kind: Kind,
    pub start_time_unix_nano: Decimal,
    pub end_time_unix_nano: Decimal,
    pub attributes: Attributes,
    pub status: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TraceId(pub u128);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpanId(pub u64);

/// A 64-bit number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Decimal(pub u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Internal = 1,
    Server = 2,
    Client = 3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Status {
    code: u8,
}

impl Status {
    pub(super) const UNSET: Self = Self { code: 0 };
    pub(super) const ERROR: Self = Self { code: 2 };
}

#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(super) struct Attributes(Vec<Attribute>);

#[derive(Debug, Serialize)]
struct Attribute {
    key: &'static str,
    value: Value,
}

#[derive(Debug, Serialize)]
pub(super) enum Value {
    #[serde(rename = "stringValue")]
    Text(String),
    #[serde(rename = "intValue")]
    Count(Decimal),
    #[serde(rename = "doubleValue")]
    Measure(f64),
    #[serde(rename = "boolValue")]
    Flag(bool),
}

impl Attributes {
    pub(super) fn put(&mut self, key: &'static str, value: impl Into<Value>) {
        let value = value.into();
        self.0.push(Attribute { key, value });
    }

    /// What is not known is left out.
    pub(super) fn put_known(&mut self, key: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Count(Decimal(number))
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Measure(number)
    }
}

impl From<bool> for Value {
    fn from(is: bool) -> Self {
        Self::Flag(is)
    }
}

impl Serialize for TraceId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:032x}", self.0))
    }
}

impl Serialize for SpanId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}", self.0))
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    #[test]
    fn is_encoded_as_the_protocol_has_it() {
        let mut attributes = Attributes::default();
        attributes.put("text", "t\"\u{1}");
        attributes.put("number", u64::MAX);
        attributes.put("part", 0.5);
        attributes.put("flag", true);
        attributes.put_known("unknown", None::<u64>);
        let span = Span {
            trace_id: TraceId(0xabc),
            span_id: SpanId(0xdef),
            parent_span_id: None,
            flags: 0x101,
            name: "chat m".to_owned(),
            kind: Kind::Client,
            start_time_unix_nano: Decimal(1_796_000_000_123_456_789),
            end_time_unix_nano: Decimal(1_796_000_000_123_456_790),
            attributes,
            status: Status::ERROR,
        };
        let call: Json = serde_json::from_slice(&encode(&[span], "i").unwrap()).unwrap();
        let resource_spans = &call["resourceSpans"][0];
        assert_eq!(
            resource_spans["resource"]["attributes"][0],
            json!({"key": "service.name", "value": {"stringValue": "signalbox"}})
        );
        let scope_spans = &resource_spans["scopeSpans"][0];
        assert_eq!(scope_spans["scope"]["name"], "signalbox");
        assert_eq!(
            scope_spans["spans"],
            json!([{
                "traceId": "00000000000000000000000000000abc",
                "spanId": "0000000000000def",
                "flags": 257,
                "name": "chat m",
                "kind": 3,
                "startTimeUnixNano": "1796000000123456789",
                "endTimeUnixNano": "1796000000123456790",
                "attributes": [
                    {"key": "text", "value": {"stringValue": "t\"\u{1}"}},
                    {"key": "number", "value": {"intValue": "18446744073709551615"}},
                    {"key": "part", "value": {"doubleValue": 0.5}},
                    {"key": "flag", "value": {"boolValue": true}},
                ],
                "status": {"code": 2},
            }])
        );
    }
}
