//! What the integration tests share.

mod mock_upstream;
mod signalbox;

pub use mock_upstream::{MockUpstream, Received, completion};
pub use signalbox::{Database, PASSWORD, Signalbox};
