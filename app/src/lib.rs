//! Signalbox's pages and the words they share with the server.

// Views nest as types, and the compiler counts how deep.
#![recursion_limit = "256"]
// Components own their properties, and the macro that makes them writes `pub` whatever we wrote.
#![allow(clippy::needless_pass_by_value, unreachable_pub)]

pub mod api;
mod app;
pub mod backend;
mod components;
pub mod error;
pub mod i18n;
mod json;
mod lazy;
mod live;
mod pages;
mod paths;
mod presets;
pub mod server_fns;
pub mod shell;
pub mod story;
pub mod summary;

pub use app::App;
#[cfg(feature = "hydrate")]
pub use live::hydrate;
