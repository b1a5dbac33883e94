mod contract;
mod metrics;
mod openapi;
mod probing;
mod requests;
mod secrets;
mod two_processes;
