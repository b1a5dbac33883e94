//! What travels between the pages, the management API and the service layer: one shape each,
//! whoever asks.

pub mod account;
pub mod explain;
pub mod instance;
pub mod key;
pub mod list;
pub mod price;
pub mod provider;
pub mod ranking;
pub mod request;
pub mod route;
pub mod traffic;
pub mod usage;
