//! The pages' scripts, styles and wasm, inside the binary: names carry a hash of the content, so
//! browsers keep them for ever, and each was compressed when it was built.

use app::shell::Assets as AssetNames;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use rust_embed::RustEmbed;

/// What `frontend/build.sh` made. Empty in a build without pages, as `cargo test` may make.
#[derive(RustEmbed)]
#[folder = "../frontend/dist"]
#[allow_missing = true]
struct Dist;

/// The bundle's entry points; `None` in a build without pages.
pub fn names() -> Option<AssetNames> {
    serde_json::from_slice(&Dist::get("manifest.json")?.data).ok()
}

/// `GET /assets/{name}`
pub async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let name = format!("assets/{name}");
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let accepts = |coding: &str| accepted.split(',').any(|item| is_accepted(item, coding));
    let found = [("br", ".br"), ("gzip", ".gz")]
        .into_iter()
        .filter(|(coding, _)| accepts(coding))
        .find_map(|(coding, suffix)| Some((Some(coding), Dist::get(&format!("{name}{suffix}"))?)))
        .or_else(|| Some((None, Dist::get(&name)?)));
    let Some((coding, file)) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = file.data.into_response();
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
    async fn what_is_not_there_is_404() {
        let response = asset(Path("../Cargo.toml".into()), HeaderMap::new()).await;
        assert_eq!(response.status(), 404);
    }
}
