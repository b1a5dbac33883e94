//! Addresses of the pages.

use leptos_router::location::Url;
use uuid::Uuid;

pub const ROUTES: &str = "/routes";
pub const ADD_ROUTE: &str = "/routes/new";
pub const PROVIDERS: &str = "/providers";
pub const ADD_PROVIDER: &str = "/providers/new";
pub const KEYS: &str = "/keys";
pub const ADD_KEY: &str = "/keys/new";
pub const REQUESTS: &str = "/requests";
pub const WHAT_IF: &str = "/requests/what-if";
pub const USAGE: &str = "/usage";
pub const PLAYGROUND: &str = "/playground";
pub const SETTINGS: &str = "/settings";
pub const SIGN_IN: &str = "/sign-in";

/// A route's own page.
pub fn route(id: Uuid) -> String {
    format!("{ROUTES}/{id}")
}

/// A new route that starts as another one is.
pub fn duplicate_route(id: Uuid) -> String {
    format!("{ADD_ROUTE}?from={id}")
}

/// A provider's own page.
pub fn provider(id: Uuid) -> String {
    format!("{PROVIDERS}/{id}")
}

/// A new provider that starts from a preset.
pub fn add_provider_from(preset: &str) -> String {
    format!("{ADD_PROVIDER}?preset={preset}")
}

/// A new provider that starts as another one is.
pub fn clone_provider(id: Uuid) -> String {
    format!("{ADD_PROVIDER}?clone={id}")
}

/// The story of one request.
pub fn request(id: Uuid) -> String {
    format!("{REQUESTS}/{id}")
}

/// What other weights would have made of a route's requests.
pub fn what_if(route: Uuid) -> String {
    format!("{WHAT_IF}?route={route}")
}

/// The sign-in page that goes on to `next` afterwards.
pub fn sign_in_then(next: &str) -> String {
    format!("{SIGN_IN}?next={}", Url::escape(next))
}

/// Where to go after signing in: `next` if it is an address of this very site, else the routes.
/// Browsers read `//host` and `/\host` as other sites, and drop tabs and newlines before they look.
pub fn after_sign_in(next: Option<&str>) -> &str {
    match next {
        Some(next)
            if next.starts_with('/')
                && !next.starts_with("//")
                && !next.starts_with(SIGN_IN)
                && !next.contains('\\')
                && !next.contains(char::is_control) =>
        {
            next
        }
        _ => ROUTES,
    }
}

#[cfg(test)]
mod tests {
    use super::{ROUTES, after_sign_in, sign_in_then};

    #[test]
    fn next_stays_on_this_site() {
        for good in ["/routes", "/routes/new?from=1#x", "/"] {
            assert_eq!(after_sign_in(Some(good)), good);
        }
        for bad in [
            "",
            "routes",
            "https://example.com/",
            "//example.com",
            "/\\example.com",
            "/\t/example.com",
            "\n//example.com",
            "javascript:alert(1)",
            "/sign-in?next=/sign-in",
        ] {
            assert_eq!(after_sign_in(Some(bad)), ROUTES, "{bad:?}");
        }
        assert_eq!(after_sign_in(None), ROUTES);
    }

    #[test]
    fn next_survives_the_query() {
        assert_eq!(
            sign_in_then("/routes?q=a&b"),
            "/sign-in?next=%2Froutes%3Fq%3Da%26b"
        );
    }
}
