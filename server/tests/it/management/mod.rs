mod contract;
mod metrics;
mod openapi;
mod probing;
mod requests;
mod secrets;
mod traffic;
mod two_processes;
