//! Signalbox from outside: real sockets, a real database, an upstream that behaves as told.

#![expect(
    unreachable_pub,
    reason = "modules of one test binary share what they hold"
)]

mod gateway;
mod management;
mod page_functions;
mod process;
mod sessions;
mod support;
