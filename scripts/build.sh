#!/usr/bin/env bash
# Builds the one binary that holds everything: target/release/signalbox.
source "$(dirname "$0")/lib.sh"

frontend/build.sh
cargo build --release --locked --package signalbox
