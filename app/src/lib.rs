//! Signalbox's pages and the words they share with the server.

pub mod api;
pub mod backend;
pub mod error;
