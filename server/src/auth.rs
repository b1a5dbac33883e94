//! Who is asking: people by password and session cookie, programs by API key, and whether a browser
//! was led here by another site.

pub mod api_key;
pub mod client_address;
pub mod origin;
pub mod password;
pub mod session;
pub mod throttle;

pub use session::{Sessions, SignedIn};
