//! The proxy that the operator wants calls to providers to go through.

use http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

pub struct Proxy {
    text: String,
    all: Intercept,
}

impl Proxy {
    /// Reads `http://user:password@proxy:3128`. The error is a sentence, which does not repeat the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let matcher = Matcher::builder().all(text.to_owned()).build();
        let all = matcher.intercept(&Uri::from_static("http://any"));
        let is_http = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https"));
        match all.filter(|all| is_http(all.uri())) {
            Some(all) => Ok(Self {
                text: text.to_owned(),
                all,
            }),
            None => {
                Err("--upstream-proxy is not a proxy URL such as http://proxy:3128.".to_owned())
            }
        }
    }

    /// As it was written, password and all.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn uri(&self) -> &Uri {
        self.all.uri()
    }

    pub fn authorization(&self) -> Option<&HeaderValue> {
        self.all.basic_auth()
    }
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_password_become_a_header() {
        let proxy = Proxy::parse("http://me:s3cret@proxy:3128").unwrap();
        assert_eq!(proxy.uri().authority().unwrap().as_str(), "proxy:3128");
        let authorization = proxy.authorization().unwrap();
        assert_eq!(authorization, "Basic bWU6czNjcmV0");
        assert!(authorization.is_sensitive());
        assert!(!format!("{proxy:?}").contains("s3cret"));
        assert!(
            Proxy::parse("proxy:3128")
                .unwrap()
                .authorization()
                .is_none()
        );
    }

    #[test]
    fn what_is_no_http_proxy_is_refused_without_repeating_it() {
        for text in [
            "",
            "socks5://me:s3cret@h",
            "ftp://s3cret",
            "http://s3cret h",
        ] {
            let problem = Proxy::parse(text).unwrap_err();
            assert!(problem.contains("--upstream-proxy") && !problem.contains("s3cret"));
        }
    }
}
