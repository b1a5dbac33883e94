//! The pages' scripts, styles and wasm, inside the binary: names carry a hash of the content, so
//! browsers keep them for ever, and each was compressed when it was built.

use std::borrow::Cow;

use app::shell::Assets as AssetNames;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};

/// What `frontend/build.sh` made: a file by its name. The binary brings it, so that this library is compiled
/// while the pages still are.
#[derive(Clone, Copy, Debug)]
pub struct Bundle(pub fn(&str) -> Option<Cow<'static, [u8]>>);

impl Bundle {
    /// Of a server without pages.
    pub const NONE: Self = Self(|_| None);

    /// The entry points; nothing in a build without pages.
    pub fn names(self) -> Option<AssetNames> {
        serde_json::from_slice(&self.file("manifest.json")?).ok()
    }

    fn file(self, name: &str) -> Option<Cow<'static, [u8]>> {
        (self.0)(name)
    }
}

/// `GET /assets/{name}`
pub async fn asset(
    State(bundle): State<Bundle>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let name = format!("assets/{name}");
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let accepts = |coding: &str| accepted.split(',').any(|item| is_accepted(item, coding));
    let found = [("br", ".br"), ("gzip", ".gz")]
        .into_iter()
        .filter(|(coding, _)| accepts(coding))
        .find_map(|(coding, suffix)| Some((Some(coding), bundle.file(&format!("{name}{suffix}"))?)))
        .or_else(|| Some((None, bundle.file(&name)?)));
    let Some((coding, file)) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = file.into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(content_type(&name)),
    );
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=31536000, immutable"),
    );
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    if let Some(coding) = coding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    response
}

/// Whether one item of `Accept-Encoding` (`br`, `gzip;q=0.5`) allows a coding.
fn is_accepted(item: &str, coding: &str) -> bool {
    let mut parts = item.split(';').map(str::trim);
    let same = parts
        .next()
        .is_some_and(|name| name.eq_ignore_ascii_case(coding));
    let refused = parts
        .filter_map(|parameter| parameter.strip_prefix("q="))
        .any(|quality| quality.parse::<f32>().is_ok_and(|quality| quality == 0.0));
    same && !refused
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coding_is_taken_unless_refused() {
        assert!(is_accepted(" br", "br") && is_accepted("gzip;q=0.5", "gzip"));
        assert!(!is_accepted("br;q=0", "br") && !is_accepted("gzip", "br"));
    }

    #[tokio::test]
    async fn a_file_goes_out_compressed_where_that_is_accepted() {
        let bundle = Bundle(|name| match name {
            "assets/a.js" => Some(Cow::Borrowed(b"plain")),
            "assets/a.js.br" => Some(Cow::Borrowed(b"small")),
            _ => None,
        });
        let asked = async |name: &str, accepted: &'static str| {
            let accepted = HeaderValue::from_static(accepted);
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, accepted)]);
            asset(State(bundle), Path(name.to_owned()), headers).await
        };
        let small = asked("a.js", "gzip, br").await;
        assert_eq!(small.headers()["content-encoding"], "br");
        assert_eq!(
            small.headers()["content-type"],
            "text/javascript; charset=utf-8"
        );
        let plain = asked("a.js", "gzip").await;
        assert!(!plain.headers().contains_key("content-encoding"));
        let bytes = axum::body::to_bytes(plain.into_body(), 9).await.unwrap();
        assert_eq!(bytes, "plain");
        assert_eq!(asked("../Cargo.toml", "br").await.status(), 404);
    }
}
