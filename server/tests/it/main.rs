//! Signalbox from outside: real sockets, a real database, an upstream that behaves as told.

#![expect(
    unreachable_pub,
    reason = "modules of one test binary share what they hold"
)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod gateway;
mod management;
mod page_functions;
mod playground;
mod policy;
mod process;
mod sessions;
mod support;
