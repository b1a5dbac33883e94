mod contract;
mod openapi;
mod probing;
mod secrets;
mod two_processes;
