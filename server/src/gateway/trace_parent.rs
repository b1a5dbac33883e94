//! The trace that a client's request belongs to, as its `traceparent` header says (W3C Trace Context).

use http::{HeaderMap, HeaderName};

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The client's side of a request, in the client's trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent {
    pub trace: u128,
    pub span: u64,
    /// Whether the client keeps this trace.
    pub is_sampled: bool,
}

impl TraceParent {
    /// Nothing when there is none, more than one, or one that is not exactly as it should be.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(TRACEPARENT).iter();
        let value = values.next()?;
        match values.next() {
            None => Self::parse(value.to_str().ok()?),
            Some(_) => None,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        const FIRST_VERSION: u128 = 0x00;
        const NO_VERSION: u128 = 0xff;
        const SAMPLED: u128 = 0x01;
        let mut parts = text.split('-');
        let version = hexadecimal(parts.next()?, 2)?;
        let trace = hexadecimal(parts.next()?, 32)?;
        let span = hexadecimal(parts.next()?, 16)?;
        let flags = hexadecimal(parts.next()?, 2)?;
        let is_known = match version {
            FIRST_VERSION => parts.next().is_none(),
            // Later versions may say more, but begin like the first.
            version => version != NO_VERSION,
        };
        (is_known && trace != 0 && span != 0).then_some(Self {
            trace,
            span: u64::try_from(span).ok()?,
            is_sampled: flags & SAMPLED != 0,
        })
    }
}

/// So many digits, in lower case.
fn hexadecimal(text: &str, digits: usize) -> Option<u128> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != digits || !text.bytes().all(is_digit) {
        return None;
    }
    u128::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    fn of(values: &[&str]) -> Option<TraceParent> {
        let values = values.iter();
        let headers =
            values.map(|value| (TRACEPARENT, HeaderValue::try_from(*value).expect(value)));
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value);
        }
        TraceParent::of(&map)
    }

    #[test]
    fn says_trace_span_and_whether_it_is_kept() {
        let expected = |is_sampled| {
            Some(TraceParent {
                trace: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736,
                span: 0x00f0_67aa_0ba9_02b7,
                is_sampled,
            })
        };
        for (flags, is_sampled) in [("00", false), ("01", true), ("02", false), ("ff", true)] {
            let value = format!("00-{TRACE}-00f067aa0ba902b7-{flags}");
            assert_eq!(of(&[&value]), expected(is_sampled), "{value}");
        }
        for later in ["01", "cc", "fe"] {
            for more in ["", "-", "-what-the-future-will-be-like"] {
                let value = format!("{later}-{TRACE}-00f067aa0ba902b7-01{more}");
                assert_eq!(of(&[&value]), expected(true), "{value}");
            }
        }
    }

    #[test]
    fn anything_else_counts_for_nothing() {
        let good = format!("00-{TRACE}-00f067aa0ba902b7-01");
        for value in [
            "",
            "00",
            "00--00f067aa0ba902b7-01",
            &format!("{good}-"),
            &format!("{good}-more"),
            &format!("{good}0"),
            &format!(" {good}"),
            &good.to_uppercase(),
            &good.replace("00-4", "ff-4"),
            &good.replace("00-4", "0-4"),
            &good.replace("00-4", "0x-4"),
            &good.replace(TRACE, &"0".repeat(32)),
            &good.replace(TRACE, &format!("+{}", &TRACE[1..])),
            &good.replace(TRACE, &TRACE[1..]),
            &good.replace("00f067aa0ba902b7", "0000000000000000"),
            &good.replace("00f067aa0ba902b7", "00f067aa0ba902bg"),
            &good.replace("-01", "-1"),
            &good.replace("-01", "-0g"),
            &good.replace('-', "_"),
        ] {
            assert_eq!(of(&[value]), None, "{value}");
        }
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[&good, &good]), None, "nobody knows which is meant");
    }
}
