//! Signalbox, a self-hosted AI gateway: the library behind the binary, so that tests can run it whole.

pub mod admin;
pub mod api;
pub mod assets;
pub mod auth;
pub mod boxed;
pub mod cli;
pub mod connection;
mod cookies;
pub mod cross_origin;
pub mod gateway;
pub mod health_checks;
pub mod http;
pub mod inspector;
pub mod lanes;
pub mod listener;
pub mod monitoring;
pub mod own_wakes;
pub mod owner_archive;
pub mod pages;
pub mod playground;
pub mod prober;
pub mod request_archive;
pub mod request_id;
pub mod server;
pub mod snapshot;
pub mod store;
pub mod trace_export;
pub mod upstream_url;
pub mod vault;
pub mod weak_map;

#[cfg(test)]
#[path = "../tests/support/database.rs"]
mod testing;
