//! The base URL of an instance: how it is read, compared and joined with an endpoint's path.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

/// The longest URL that is kept.
const LONGEST: usize = 2_000;

/// A base to which the path after `/v1` is added. Two spellings of one base are equal:
/// `http://h:8000`, `http://h:8000/v1` and `http://H:8000/v1/`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BaseUrl(Url);

/// Why a text is no base URL. No message repeats the text, which may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlProblem {
    #[error("Write a base URL such as http://127.0.0.1:8000/v1.")]
    Unreadable,
    #[error("A base URL has at most 2,000 characters.")]
    TooLong,
    #[error("Only http:// and https:// URLs can be called.")]
    Scheme,
    #[error("Leave out user name and password; enter a secret under credentials.")]
    Userinfo,
    #[error("Leave out the part from \"?\" on; enter a key under credentials.")]
    Query,
    #[error("Leave out the part from \"#\" on.")]
    Fragment,
}

impl BaseUrl {
    /// Reads what a person typed, with space around it ignored. Without a path, `/v1` is meant.
    pub fn parse(text: &str) -> Result<Self, UrlProblem> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(UrlProblem::TooLong);
        }
        // `url` would read "https:h", "http:/h" and "http:\\h" too, and skip tabs and line ends.
        if text
            .chars()
            .any(|c| c.is_control() || c.is_whitespace() || c == '\\')
        {
            return Err(UrlProblem::Unreadable);
        }
        let (scheme, _) = text.split_once("://").ok_or(UrlProblem::Unreadable)?;
        if !["http", "https"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known))
        {
            return Err(UrlProblem::Scheme);
        }
        let mut url = Url::parse(text).map_err(|_| UrlProblem::Unreadable)?;
        let authority = text[scheme.len() + 3..].split(['/', '?', '#']).next();
        if authority.is_none_or(str::is_empty) {
            return Err(UrlProblem::Unreadable);
        }
        if authority.is_some_and(|authority| authority.contains('@')) {
            return Err(UrlProblem::Userinfo);
        }
        if url.query().is_some() {
            return Err(UrlProblem::Query);
        }
        if url.fragment().is_some() {
            return Err(UrlProblem::Fragment);
        }
        let path = match url.path().trim_end_matches('/') {
            "" => String::from("/v1"),
            path => path.to_owned(),
        };
        url.set_path(&path);
        Ok(Self(url))
    }

    /// The URL of an endpoint, named by its path after `/v1`: `/chat/completions`.
    pub fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        let base = url.path().to_owned();
        url.set_path(&format!("{base}/{}", path.trim_start_matches('/')));
        url
    }

    /// A path of the same host, whatever the base's own path is.
    pub fn at_host(&self, path_and_query: &str) -> Url {
        let mut url = self.0.clone();
        let (path, query) = match path_and_query.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path_and_query, None),
        };
        url.set_path(path);
        url.set_query(query);
        url
    }

    /// The normal form, part of a candidate's key.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether the host is written as a link-local address.
    pub fn is_link_local(&self) -> bool {
        match self.0.host() {
            Some(Host::Ipv4(address)) => is_link_local(address.into()),
            Some(Host::Ipv6(address)) => is_link_local(address.into()),
            _ => false,
        }
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Addresses that only mean something on one link; clouds serve their machines' secrets there.
pub fn is_link_local(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_of_one_base_reach_the_same_endpoint() {
        let table = [
            ("http://h:8000", "http://h:8000/v1/chat/completions"),
            ("http://h:8000/", "http://h:8000/v1/chat/completions"),
            ("http://h:8000/v1", "http://h:8000/v1/chat/completions"),
            ("http://h:8000/v1/", "http://h:8000/v1/chat/completions"),
            (
                "  HTTP://H:8000/v1//  ",
                "http://h:8000/v1/chat/completions",
            ),
            ("http://h:80", "http://h/v1/chat/completions"),
            ("https://h:443/v1", "https://h/v1/chat/completions"),
            ("https://h/api/v3", "https://h/api/v3/chat/completions"),
            ("https://h/api/v3/", "https://h/api/v3/chat/completions"),
            (
                "https://h/openai/v1",
                "https://h/openai/v1/chat/completions",
            ),
            ("https://h/a/../b", "https://h/b/chat/completions"),
            ("https://h/a%20b", "https://h/a%20b/chat/completions"),
            ("http://[::1]:8000", "http://[::1]:8000/v1/chat/completions"),
            (
                "http://münchen.example",
                "http://xn--mnchen-3ya.example/v1/chat/completions",
            ),
        ];
        for (typed, reached) in table {
            let base = BaseUrl::parse(typed).expect(typed);
            assert_eq!(base.join("/chat/completions").as_str(), reached, "{typed}");
            assert_eq!(base.join("chat/completions").as_str(), reached, "{typed}");
            assert_eq!(BaseUrl::parse(base.as_str()), Ok(base.clone()), "{typed}");
        }
    }

    #[test]
    fn a_path_of_the_host_leaves_the_bases_own_path_aside() {
        let base = BaseUrl::parse("https://h:8000/api/v3").unwrap();
        let table = [
            ("/health", "https://h:8000/health"),
            ("/a/b?deep=1", "https://h:8000/a/b?deep=1"),
        ];
        for (path, url) in table {
            assert_eq!(base.at_host(path).as_str(), url);
        }
    }

    #[test]
    fn says_what_is_wrong_without_repeating_it() {
        let table = [
            ("", UrlProblem::Unreadable),
            ("h:8000", UrlProblem::Unreadable),
            ("http:h", UrlProblem::Unreadable),
            ("http://", UrlProblem::Unreadable),
            ("http:///v1", UrlProblem::Unreadable),
            ("http://?k=sk-secret", UrlProblem::Unreadable),
            ("http://h:99999", UrlProblem::Unreadable),
            ("http://h\\v1", UrlProblem::Unreadable),
            ("http://h/v\n1", UrlProblem::Unreadable),
            ("http://h/v\t1", UrlProblem::Unreadable),
            ("http://a b/", UrlProblem::Unreadable),
            ("ftp://h/v1", UrlProblem::Scheme),
            ("file:///etc/passwd", UrlProblem::Scheme),
            ("unix:///run/x", UrlProblem::Scheme),
            ("http://me:sk-secret@h/v1", UrlProblem::Userinfo),
            ("http://me@h/v1", UrlProblem::Userinfo),
            ("http://@h/v1", UrlProblem::Userinfo),
            ("http://h/v1?key=sk-secret", UrlProblem::Query),
            ("http://h/v1?", UrlProblem::Query),
            ("http://h/v1#sk-secret", UrlProblem::Fragment),
        ];
        for (typed, problem) in table {
            assert_eq!(BaseUrl::parse(typed), Err(problem), "{typed}");
            assert!(!problem.to_string().contains("sk-"), "{problem}");
        }
        let long = format!("http://h/{}", "a".repeat(LONGEST));
        assert_eq!(BaseUrl::parse(&long), Err(UrlProblem::TooLong));
    }

    #[test]
    fn link_local_addresses_are_seen_however_they_are_written() {
        for typed in [
            "http://169.254.169.254/v1",
            "http://2852039166",
            "http://0xa9fea9fe/v1",
            "http://169.254.1",
            "http://[fe80::1]:8000",
            "http://[febf::1]",
            "http://[::ffff:169.254.169.254]",
        ] {
            assert!(
                BaseUrl::parse(typed).expect(typed).is_link_local(),
                "{typed}"
            );
        }
        for typed in [
            "http://127.0.0.1",
            "http://10.0.0.1",
            "http://[::1]",
            "http://[fec0::1]",
            "http://h",
        ] {
            assert!(
                !BaseUrl::parse(typed).expect(typed).is_link_local(),
                "{typed}"
            );
        }
    }

    proptest! {
        #[test]
        fn whatever_is_joined_stays_under_its_base(
            scheme in "https?",
            host in "[a-z][a-z0-9-]{0,10}[a-z0-9](\\.[a-z]{2,5})?",
            port in proptest::option::of(1_u16..),
            path in "(/[A-Za-z0-9._~%-]{0,8}){0,4}/{0,2}",
            endpoint in "(/[a-z_]{1,12}){1,3}",
        ) {
            let port = port.map(|port| format!(":{port}")).unwrap_or_default();
            let Ok(base) = BaseUrl::parse(&format!("{scheme}://{host}{port}{path}")) else {
                return Ok(());
            };
            let joined = base.join(&endpoint);
            prop_assert_eq!(joined.origin(), base.0.origin());
            let under = joined.path().strip_prefix(base.0.path());
            prop_assert_eq!(under, Some(endpoint.as_str()), "{} {}", base, joined);
            prop_assert_eq!(BaseUrl::parse(base.as_str()), Ok(base.clone()));
            let again = BaseUrl::parse(&format!("{base}/"));
            prop_assert_eq!(again, Ok(base));
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}", scheme in "(https?://)?") {
            if let Ok(base) = BaseUrl::parse(&format!("{scheme}{text}")) {
                base.join("/chat/completions");
                base.at_host("/health?x=1");
            }
        }
    }
}
