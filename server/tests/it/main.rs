//! Signalbox from outside: real sockets, a real database, an upstream that behaves as told.

mod gateway;
mod management;
mod sessions;
mod support;
