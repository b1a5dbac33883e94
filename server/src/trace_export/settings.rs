//! Where traces go, and which: read from the command line at the start.
//!
//! No message repeats what was typed: it may hold a secret.

use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::cli::Otlp;

const PATH: &str = "/v1/traces";

#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub url: Url,
    /// Sent along each time.
    pub headers: HeaderMap,
    /// Of the traces that begin here, the share that is kept.
    pub share: f64,
}

impl Settings {
    /// Nothing when there is no collector.
    ///
    /// # Errors
    /// A sentence about what cannot be read.
    pub fn read(options: &Otlp) -> Result<Option<Self>, String> {
        let Some(endpoint) = &options.otlp_endpoint else {
            return Ok(None);
        };
        let url = url_of(endpoint).ok_or(
            "--otlp-endpoint is no URL such as http://127.0.0.1:4318, without user, query and \
             fragment; a key goes into --otlp-headers.",
        )?;
        let headers = headers_of(options.otlp_headers.as_deref().unwrap_or_default()).ok_or(
            "--otlp-headers is not of the form name=value,name=value; write a comma in a value as %2C.",
        )?;
        Ok(Some(Self {
            url,
            headers,
            share: options.otlp_sample,
        }))
    }
}

/// The address for traces of a collector, which may already be spelled out.
fn url_of(endpoint: &str) -> Option<Url> {
    let mut url = Url::parse(endpoint.trim()).ok()?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if !is_plain {
        return None;
    }
    let base = url.path().trim_end_matches('/');
    let base = base.strip_suffix(PATH).unwrap_or(base);
    let path = format!("{base}{PATH}");
    url.set_path(&path);
    Some(url)
}

fn headers_of(text: &str) -> Option<HeaderMap> {
    let pairs = text.split(',').map(str::trim);
    let pairs = pairs.filter(|pair| !pair.is_empty());
    pairs.map(header_of).collect()
}

/// Values are percent-encoded, as everywhere with OTLP.
fn header_of(pair: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = pair.split_once('=')?;
    let name = HeaderName::try_from(name.trim()).ok()?;
    let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
    let mut value = HeaderValue::try_from(&*value).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(endpoint: Option<&str>, headers: Option<&str>) -> Result<Option<Settings>, String> {
        Settings::read(&Otlp {
            otlp_endpoint: endpoint.map(str::to_owned),
            otlp_headers: headers.map(str::to_owned),
            otlp_sample: 1.0,
        })
    }

    #[test]
    fn traces_have_their_address_at_a_collector() {
        let table = [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
            ("https://c.example/otlp", "https://c.example/otlp/v1/traces"),
            (
                "https://c.example/v1/traces/",
                "https://c.example/v1/traces",
            ),
            (" http://[::1]:4318 ", "http://[::1]:4318/v1/traces"),
        ];
        for (endpoint, url) in table {
            let settings = read(Some(endpoint), None).unwrap().unwrap();
            assert_eq!(settings.url.as_str(), url, "{endpoint}");
        }
        assert_eq!(read(None, Some("nonsense")), Ok(None));
    }

    #[test]
    fn headers_are_percent_encoded_and_never_shown() {
        let settings = read(
            Some("http://c:4318"),
            Some("authorization=Bearer%20s3cret==, x-tenant = a%2Cb ,"),
        );
        let settings = settings.unwrap().unwrap();
        assert_eq!(settings.headers["authorization"], "Bearer s3cret==");
        assert_eq!(settings.headers["x-tenant"], "a,b");
        assert_eq!(settings.headers.len(), 2);
        assert!(!format!("{settings:?}").contains("s3cret"));
    }

    #[test]
    fn what_cannot_be_read_is_said_without_repeating_it() {
        let endpoint = Some("http://c:4318");
        for (endpoint, headers) in [
            (Some("s3cret:4318"), None),
            (Some("127.0.0.1:4318"), None),
            (Some("ftp://s3cret"), None),
            (Some("http://me:s3cret@c:4318"), None),
            (Some("http://c:4318?key=s3cret"), None),
            (Some("http://c:4318#s3cret"), None),
            (endpoint, Some("s3cret")),
            (endpoint, Some("x=1,s3cret")),
            (endpoint, Some("a name=s3cret")),
            (endpoint, Some("=s3cret")),
            (endpoint, Some("x=s3cret%0A")),
            (endpoint, Some("x=s3cret%FF")),
        ] {
            let error = read(endpoint, headers).unwrap_err();
            assert!(error.starts_with("--otlp-"), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
