//! What the integration tests share.

#[path = "../../support/database.rs"]
mod database;
mod mock_upstream;
mod signalbox;

pub use mock_upstream::{MockUpstream, Received, completion};
pub use signalbox::{Database, PASSWORD, Signalbox, use_tls_provider};
