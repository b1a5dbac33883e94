//! Which headers cross the gateway, in each direction.

use http::header::{self, HeaderMap, HeaderName, HeaderValue};

/// Belong to one connection, not to the message (RFC 9110, section 7.6.1).
const HOP_BY_HOP: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// The client's credentials and whereabouts, and what the gateway says itself.
const NOT_FOR_UPSTREAMS: [HeaderName; 10] = [
    header::AUTHORIZATION,
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("api-key"),
    HeaderName::from_static("x-goog-api-key"),
    header::COOKIE,
    header::FORWARDED,
    header::HOST,
    header::EXPECT,
    header::CONTENT_LENGTH,
    header::CONTENT_ENCODING,
];

/// An upstream must not speak to the browser in this server's name.
const NOT_FOR_CLIENTS: [HeaderName; 6] = [
    header::SET_COOKIE,
    HeaderName::from_static("clear-site-data"),
    header::STRICT_TRANSPORT_SECURITY,
    HeaderName::from_static("alt-svc"),
    header::CONTENT_SECURITY_POLICY,
    header::CONTENT_SECURITY_POLICY_REPORT_ONLY,
];

const OURS: &str = "x-signalbox-";

/// What of a client's headers goes upstream. The body is always sent decoded and with a length of its
/// own, so `content-encoding` and `content-length` stay here.
pub fn for_upstream(client: &HeaderMap) -> HeaderMap {
    let named = named_by_connection(client);
    filtered(client, |name| {
        HOP_BY_HOP.contains(name)
            || NOT_FOR_UPSTREAMS.contains(name)
            || named.contains(name)
            || name.as_str().starts_with("x-forwarded-")
            || name.as_str().starts_with(OURS)
    })
}

/// What of an upstream's headers goes to the client.
pub fn for_client(upstream: &HeaderMap) -> HeaderMap {
    let named = named_by_connection(upstream);
    let mut headers = filtered(upstream, |name| {
        HOP_BY_HOP.contains(name)
            || NOT_FOR_CLIENTS.contains(name)
            || named.contains(name)
            || name.as_str().starts_with("access-control-")
            || name.as_str().starts_with("content-security-policy")
            || name.as_str().starts_with(OURS)
    });
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers
}

/// The query without the places where clients put keys; `None` when nothing is left.
pub fn query_for_upstream(query: Option<&str>) -> Option<String> {
    let kept: Vec<&str> = query?
        .split('&')
        .filter(|pair| {
            let name = url::form_urlencoded::parse(pair.as_bytes())
                .next()
                .map(|(name, _)| name);
            name.is_some_and(|name| !name.eq_ignore_ascii_case("key"))
        })
        .collect();
    (!kept.is_empty()).then(|| kept.join("&"))
}

fn filtered(headers: &HeaderMap, stays: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let mut kept = HeaderMap::with_capacity(headers.len() + 4);
    for (name, value) in headers {
        if !stays(name) {
            kept.append(name.clone(), value.clone());
        }
    }
    kept
}

fn named_by_connection(headers: &HeaderMap) -> Vec<HeaderName> {
    headers
        .get_all(header::CONNECTION)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok())
        .collect()
}

#[cfg(test)]
mod tests {
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

    fn names(headers: &HeaderMap) -> Vec<&str> {
        let mut names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_clients_keys_and_connection_stay_here_and_all_else_passes() {
        let client = headers(&[
            ("authorization", "Bearer sb_x"),
            ("x-api-key", "sb_x"),
            ("api-key", "k"),
            ("x-goog-api-key", "k"),
            ("cookie", "a=b"),
            ("forwarded", "for=1"),
            ("x-forwarded-for", "1.2.3.4"),
            ("x-forwarded-proto", "https"),
            ("connection", "close, X-Secret-Hop"),
            ("x-secret-hop", "1"),
            ("te", "trailers"),
            ("transfer-encoding", "chunked"),
            ("x-signalbox-target", "forged"),
            ("session-id", "s"),
            ("anthropic-beta", "b"),
            ("openai-organization", "o"),
            ("content-type", "application/json"),
            ("accept-encoding", "gzip"),
        ]);
        assert_eq!(
            names(&for_upstream(&client)),
            [
                "accept-encoding",
                "anthropic-beta",
                "content-type",
                "openai-organization",
                "session-id"
            ]
        );
    }

    #[test]
    fn an_upstream_cannot_speak_for_this_server() {
        let upstream = headers(&[
            ("set-cookie", "a=b"),
            ("clear-site-data", "*"),
            ("strict-transport-security", "max-age=1"),
            ("alt-svc", "h3"),
            ("access-control-allow-origin", "*"),
            ("content-security-policy", "x"),
            ("content-security-policy-report-only", "x"),
            ("x-signalbox-request-id", "forged"),
            ("keep-alive", "timeout=5"),
            ("content-encoding", "gzip"),
            ("content-length", "3"),
            ("retry-after", "1"),
            ("x-request-id", "up"),
        ]);
        assert_eq!(
            names(&for_client(&upstream)),
            [
                "content-encoding",
                "content-length",
                "retry-after",
                "x-content-type-options",
                "x-request-id"
            ]
        );
    }

    #[test]
    fn a_key_in_the_query_stays_here_however_it_is_spelled() {
        let table = [
            (None, None),
            (Some("key=secret"), None),
            (Some("k%65y=secret&beta=true"), Some("beta=true")),
            (Some("a=1&KEY=secret&b=%20x"), Some("a=1&b=%20x")),
            (Some("monkey=1"), Some("monkey=1")),
        ];
        for (query, expected) in table {
            assert_eq!(query_for_upstream(query).as_deref(), expected);
        }
    }
}
