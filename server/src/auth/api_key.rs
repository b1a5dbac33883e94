//! The API key as text: `sb_<8 public>_<32 secret>`.

use http::{HeaderMap, header};

const PREFIX: &str = "sb_";
const PUBLIC: usize = 8;
const SECRET: usize = 32;

/// A key as a client sent it, in its parts. Not yet known to be good.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PresentedKey<'a> {
    /// Finds the key.
    pub public: &'a str,
    /// Proves it.
    pub secret: &'a str,
}

/// Why a request shows no usable key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyProblem {
    Missing,
    /// It is not of this server's form, for instance another service's key.
    Foreign,
}

impl<'a> PresentedKey<'a> {
    pub fn parse(text: &'a str) -> Option<Self> {
        let (public, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
        let alphanumeric = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (public.len() == PUBLIC
            && secret.len() == SECRET
            && alphanumeric(public)
            && alphanumeric(secret))
        .then_some(Self { public, secret })
    }

    /// The key of a request: `Authorization: Bearer` or `x-api-key`. When both come, Bearer counts if it
    /// is one of ours; agents send an upstream's token there too.
    pub fn of(headers: &'a HeaderMap) -> Result<Self, KeyProblem> {
        let bearer = headers
            .get(header::AUTHORIZATION)
            .map(|value| bearer(value.as_bytes()));
        let x_api_key = headers
            .get("x-api-key")
            .map(|value| value.as_bytes().trim_ascii());
        let bytes = match (bearer, x_api_key) {
            (Some(Some(bearer)), _) if bearer.starts_with(PREFIX.as_bytes()) => bearer,
            (_, Some(key)) => key,
            (Some(Some(bearer)), None) => bearer,
            (Some(None), None) => return Err(KeyProblem::Foreign),
            (None, None) => return Err(KeyProblem::Missing),
        };
        if bytes.is_empty() {
            return Err(KeyProblem::Missing);
        }
        std::str::from_utf8(bytes)
            .ok()
            .and_then(Self::parse)
            .ok_or(KeyProblem::Foreign)
    }
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme
        .eq_ignore_ascii_case(b"bearer ")
        .then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const OURS: &str = "sb_abcd1234_0123456789abcdefghijABCDEFGHIJ99";

    fn public_of(lines: &[(&'static str, &[u8])]) -> Result<String, KeyProblem> {
        let headers: HeaderMap = lines
            .iter()
            .map(|(name, value)| {
                (
                    http::HeaderName::from_static(name),
                    HeaderValue::from_bytes(value).unwrap(),
                )
            })
            .collect();
        PresentedKey::of(&headers).map(|key| key.public.to_owned())
    }

    #[test]
    fn a_key_is_found_in_either_header() {
        let bearer = format!("Bearer {OURS}");
        let lower = format!("bearer  {OURS}");
        let found = Ok("abcd1234".to_owned());
        assert_eq!(public_of(&[("authorization", bearer.as_bytes())]), found);
        assert_eq!(public_of(&[("authorization", lower.as_bytes())]), found);
        assert_eq!(public_of(&[("x-api-key", OURS.as_bytes())]), found);
        assert_eq!(
            public_of(&[
                ("authorization", b"Bearer sk-other"),
                ("x-api-key", OURS.as_bytes())
            ]),
            found
        );
        assert_eq!(
            public_of(&[
                ("authorization", bearer.as_bytes()),
                ("x-api-key", b"sk-other")
            ]),
            found
        );
    }

    #[test]
    fn anything_else_is_missing_or_foreign() {
        assert_eq!(public_of(&[]), Err(KeyProblem::Missing));
        assert_eq!(public_of(&[("x-api-key", b"")]), Err(KeyProblem::Missing));
        assert_eq!(
            public_of(&[("authorization", b"Basic abc")]),
            Err(KeyProblem::Foreign)
        );
        assert_eq!(
            public_of(&[("authorization", b"Bearer sk-123")]),
            Err(KeyProblem::Foreign)
        );
        assert_eq!(
            public_of(&[("authorization", b"Bearer \xff\xfe")]),
            Err(KeyProblem::Foreign)
        );
        assert_eq!(
            public_of(&[("authorization", b"Bearer sb_short_x")]),
            Err(KeyProblem::Foreign)
        );
    }
}
