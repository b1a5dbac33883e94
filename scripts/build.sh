#!/usr/bin/env bash
# Builds the one binary that holds everything: target/release/signalbox.
source "$(dirname "$0")/lib.sh"

scripts/toolchain.sh
# The server's library needs nothing of the pages, and neither keeps two cores busy to its end.
CARGO_TERM_PROGRESS_WHEN=never cargo build --release --locked --package signalbox --lib &
library=$!
trap 'kill "$library" 2>/dev/null || true' EXIT
frontend/build.sh
wait "$library"
trap - EXIT
# The binary is built anew when its pages are others (server/src/main.rs).
SIGNALBOX_PAGES=$(cksum <frontend/dist/manifest.json) cargo build --release --locked --package signalbox
