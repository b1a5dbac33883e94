//! Which other web sites' scripts may call `/v1` from a browser: none, unless the operator names some.

use http::{HeaderName, HeaderValue, Method, Uri};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer, ExposeHeaders};

/// What scripts may read of an answer besides its body.
const READABLE: [HeaderName; 4] = [
    HeaderName::from_static("retry-after"),
    HeaderName::from_static("x-signalbox-request-id"),
    HeaderName::from_static("x-signalbox-target"),
    HeaderName::from_static("x-signalbox-attempts"),
];

/// Nothing when no site may.
///
/// # Errors
/// A sentence about what is no origin.
pub fn layer(origins: &[String]) -> Result<Option<CorsLayer>, String> {
    let origins: Vec<&str> = origins
        .iter()
        .map(|origin| origin.trim())
        .filter(|origin| !origin.is_empty())
        .collect();
    let allowed = match origins.as_slice() {
        [] => return Ok(None),
        ["*"] => AllowOrigin::any(),
        named => AllowOrigin::list(
            named
                .iter()
                .map(|text| origin(text))
                .collect::<Result<Vec<_>, _>>()?,
        ),
    };
    // A key is sent by the script itself, so no cookies go along.
    let layer = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(ExposeHeaders::list(READABLE));
    Ok(Some(layer))
}

fn origin(text: &str) -> Result<HeaderValue, String> {
    let problem = || {
        format!(
            "--cors-origins: `{text}` is no origin such as https://app.example.com, or * alone for all."
        )
    };
    let uri: Uri = text.parse().map_err(|_| problem())?;
    let is_origin = matches!(uri.scheme_str(), Some("http" | "https"))
        && uri
            .authority()
            .is_some_and(|authority| !authority.as_str().contains('@'))
        && uri.path() == "/"
        && !text.ends_with('/');
    if !is_origin {
        return Err(problem());
    }
    HeaderValue::try_from(text.to_ascii_lowercase()).map_err(|_| problem())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(origins: &[&str]) -> Result<bool, String> {
        let origins: Vec<String> = origins.iter().map(|one| (*one).to_owned()).collect();
        layer(&origins).map(|layer| layer.is_some())
    }

    #[test]
    fn origins_are_a_scheme_and_a_host() {
        assert_eq!(named(&[]), Ok(false));
        assert_eq!(named(&["*"]), Ok(true));
        assert_eq!(
            named(&["https://a.example", " http://localhost:3000"]),
            Ok(true)
        );
        for wrong in [
            "a.example",
            "https://a.example/",
            "https://a.example/x",
            "ftp://a",
            "https://u@a",
            "null",
        ] {
            let problem = named(&["https://a.example", wrong]).unwrap_err();
            assert!(problem.contains("--cors-origins"), "{problem}");
        }
    }
}
