//! Keeps other sites from using a person's session: the Host a browser asked for, and the Origin its
//! request came from.

use std::net::IpAddr;

use http::uri::Authority;
use http::{HeaderMap, Method, Uri, header};
use url::Url;

/// The address people type to get here, if it was configured.
#[derive(Clone, Debug, Default)]
pub struct Site {
    public: Option<Url>,
}

/// Why a browser's request is refused, with what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Site {
    /// Takes `--public-url`; the error is a sentence.
    pub fn new(public_url: Option<&str>) -> Result<Self, String> {
        let Some(text) = public_url else {
            return Ok(Self::default());
        };
        let url = Url::parse(text)
            .map_err(|error| format!("--public-url `{text}` is not a URL: {error}."))?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() || url.path() != "/" {
            return Err(format!(
                "--public-url `{text}` must be a scheme, a host and perhaps a port, such as https://signalbox.example.com."
            ));
        }
        Ok(Self { public: Some(url) })
    }

    /// Whether the session cookie may demand TLS.
    pub fn is_https(&self) -> bool {
        self.public
            .as_ref()
            .is_some_and(|url| url.scheme() == "https")
    }

    /// Refuses a Host that is not this site's. A page of another site whose name was made to point here
    /// (DNS rebinding) carries that site's name, so without a configured address only names that nobody
    /// can rebind are served: IP addresses and `localhost`.
    pub fn check_host(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), Refusal> {
        let Some(host) = host_of(headers, uri) else {
            return Err(Refusal("The request has no valid Host header.".into()));
        };
        match &self.public {
            Some(public) if same_authority(public, &host) => Ok(()),
            Some(public) => Err(Refusal(format!(
                "This server's pages live at {public}. Open them there."
            ))),
            None if cannot_be_rebound(host.host()) => Ok(()),
            None => Err(Refusal(format!(
                "This server does not know that it is called `{host}`. Start it with --public-url http://{host} (or https://), \
                 or open it by its IP address."
            ))),
        }
    }

    /// Refuses a state-changing request that a browser sends on behalf of another site. Programs other
    /// than browsers send neither header and pass.
    pub fn check_origin(
        &self,
        method: &Method,
        headers: &HeaderMap,
        uri: &Uri,
    ) -> Result<(), Refusal> {
        if method.is_safe() {
            return Ok(());
        }
        let refused =
            || Refusal("This request was sent by another site, so it was not carried out.".into());
        if let Some(site) = headers.get("sec-fetch-site") {
            return match site.as_bytes() {
                b"same-origin" | b"none" => Ok(()),
                _ => Err(refused()),
            };
        }
        let Some(origin) = headers.get(header::ORIGIN) else {
            return Ok(());
        };
        let origin = origin
            .to_str()
            .ok()
            .and_then(|text| Url::parse(text).ok())
            .ok_or_else(refused)?;
        let is_ours = match &self.public {
            Some(public) => public.origin() == origin.origin(),
            None => host_of(headers, uri).is_some_and(|host| same_authority(&origin, &host)),
        };
        if is_ours { Ok(()) } else { Err(refused()) }
    }
}

/// HTTP/1 says the host in a header, HTTP/2 in the request's target.
fn host_of(headers: &HeaderMap, uri: &Uri) -> Option<Authority> {
    match uri.authority() {
        Some(authority) => Some(authority.clone()),
        None => headers.get(header::HOST)?.to_str().ok()?.parse().ok(),
    }
}

fn same_authority(url: &Url, host: &Authority) -> bool {
    url.host_str()
        .is_some_and(|name| name.eq_ignore_ascii_case(host.host()))
        && url.port_or_known_default() == host.port_u16().or_else(|| default_port(url))
}

fn default_port(url: &Url) -> Option<u16> {
    match url.scheme() {
        "https" => Some(443),
        "http" => Some(80),
        _ => None,
    }
}

fn cannot_be_rebound(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    bare.parse::<IpAddr>().is_ok() || name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        lines
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect()
    }

    fn open() -> Site {
        Site::default()
    }

    fn public() -> Site {
        Site::new(Some("https://box.example.com")).unwrap()
    }

    #[test]
    fn only_names_that_nobody_can_rebind_are_served_by_default() {
        let ok = |host| {
            open()
                .check_host(&headers(&[("host", host)]), &Uri::from_static("/"))
                .is_ok()
        };
        for host in [
            "127.0.0.1:8080",
            "[::1]:8080",
            "localhost",
            "localhost:1",
            "a.localhost",
            "10.1.2.3",
        ] {
            assert!(ok(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.nip.example",
            "",
        ] {
            assert!(!ok(host), "{host}");
        }
    }

    #[test]
    fn with_a_public_url_only_its_host_is_served() {
        let ok = |host| {
            public()
                .check_host(&headers(&[("host", host)]), &Uri::from_static("/"))
                .is_ok()
        };
        assert!(ok("box.example.com") && ok("BOX.example.com:443"));
        assert!(!ok("127.0.0.1") && !ok("box.example.com:80"));
        assert!(Site::new(Some("box.example.com")).is_err());
        assert!(Site::new(Some("https://box.example.com/path")).is_err());
        assert!(public().is_https() && !open().is_https());
    }

    #[test]
    fn another_sites_requests_are_refused() {
        let uri = Uri::from_static("/");
        let ok = |site: &Site, method: Method, lines: &[_]| {
            site.check_origin(&method, &headers(lines), &uri).is_ok()
        };
        let host = ("host", "127.0.0.1:8080");
        assert!(ok(
            &open(),
            Method::GET,
            &[host, ("sec-fetch-site", "cross-site")]
        ));
        assert!(ok(&open(), Method::POST, &[host]));
        assert!(ok(
            &open(),
            Method::POST,
            &[host, ("sec-fetch-site", "same-origin")]
        ));
        assert!(!ok(
            &open(),
            Method::POST,
            &[host, ("sec-fetch-site", "cross-site")]
        ));
        assert!(!ok(
            &open(),
            Method::DELETE,
            &[host, ("sec-fetch-site", "same-site")]
        ));
        assert!(ok(
            &open(),
            Method::POST,
            &[host, ("origin", "http://127.0.0.1:8080")]
        ));
        assert!(!ok(
            &open(),
            Method::POST,
            &[host, ("origin", "http://127.0.0.1:9")]
        ));
        assert!(!ok(&open(), Method::POST, &[host, ("origin", "null")]));
        assert!(!ok(
            &open(),
            Method::PUT,
            &[host, ("origin", "https://evil.example")]
        ));
        assert!(ok(
            &public(),
            Method::POST,
            &[("origin", "https://box.example.com")]
        ));
        assert!(!ok(
            &public(),
            Method::POST,
            &[("origin", "http://box.example.com")]
        ));
    }
}
