//! Which headers cross the gateway, in each direction.

use http::header::{self, HeaderMap, HeaderName, HeaderValue};

const OURS: &str = "x-signalbox-";

/// Belongs to one connection, not to the message (RFC 9110, section 7.6.1).
fn is_hop_by_hop(name: &str) -> bool {
    matches!(
        name,
        "connection"
            | "keep-alive"
            | "proxy-connection"
            | "proxy-authenticate"
            | "proxy-authorization"
            | "te"
            | "trailer"
            | "transfer-encoding"
            | "upgrade"
    )
}

/// The client's credentials and whereabouts, and what the gateway says itself.
fn is_not_for_upstreams(name: &str) -> bool {
    matches!(
        name,
        "authorization"
            | "x-api-key"
            | "api-key"
            | "x-goog-api-key"
            | "cookie"
            | "forwarded"
            | "host"
            | "expect"
            | "content-length"
            | "content-encoding"
    ) || name.starts_with("x-forwarded-")
}

/// An upstream must not speak to the browser in this server's name.
fn is_not_for_clients(name: &str) -> bool {
    matches!(
        name,
        "set-cookie" | "clear-site-data" | "strict-transport-security" | "alt-svc"
    ) || name.starts_with("access-control-")
        || name.starts_with("content-security-policy")
}

/// What of a client's headers goes upstream. The body is always sent decoded and with a length of its
/// own, so `content-encoding` and `content-length` stay here.
pub fn for_upstream(client: &HeaderMap) -> HeaderMap {
    let named = named_by_connection(client);
    // Some are put in afterwards.
    let mut headers = HeaderMap::with_capacity(client.len() + 4);
    for (name, value) in client {
        let text = name.as_str();
        let stays = is_hop_by_hop(text)
            || is_not_for_upstreams(text)
            || named.contains(name)
            || text.starts_with(OURS);
        if !stays {
            headers.append(name.clone(), value.clone());
        }
    }
    headers
}

/// What of an upstream's headers goes to the client.
pub fn for_client(upstream: HeaderMap) -> HeaderMap {
    let named = named_by_connection(&upstream);
    let stays = |name: &&HeaderName| {
        let text = name.as_str();
        is_hop_by_hop(text)
            || is_not_for_clients(text)
            || named.contains(name)
            || text.starts_with(OURS)
    };
    // Few stay here, if any.
    let stay: Vec<HeaderName> = upstream.keys().filter(stays).cloned().collect();
    let mut headers = upstream;
    for name in stay {
        headers.remove(name);
    }
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

fn named_by_connection(headers: &HeaderMap) -> Vec<HeaderName> {
    headers
        .get_all(header::CONNECTION)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        // What it nearly always says, and that names none.
        .filter(|name| !name.eq_ignore_ascii_case(b"keep-alive"))
        .filter_map(|name| HeaderName::from_bytes(name).ok())
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
            names(&for_client(upstream)),
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
