#!/usr/bin/env bash
# Builds the browser's side of the pages into frontend/dist: Rust to wasm, wasm to a bundle.
# Each step does nothing when its input has not changed.
#
#   --dev  compiles faster, and leaves out what only makes files smaller
set -euo pipefail
cd "$(dirname "$0")/.."

profile="wasm-release"
folder="wasm-release"
if [[ ${1:-} == --dev ]]; then
	profile=dev
	folder=debug
fi
target_dir=${CARGO_TARGET_DIR:-$(cargo metadata --format-version 1 --no-deps | node -p 'JSON.parse(fs.readFileSync(0)).target_directory')}
wasm=$target_dir/wasm32-unknown-unknown/$folder/signalbox_frontend.wasm
glue=$target_dir/wasm32-unknown-unknown/$folder/bindgen

scripts/toolchain.sh
# Two cores are not kept busy by either: building the tools takes what compiling leaves.
tools_path=$(mktemp)
trap 'rm -f "$tools_path"' EXIT
{ scripts/wasm-tools.sh >"$tools_path" && scripts/node-modules.sh frontend; } &
tools_job=$!
cargo build --locked --package signalbox-frontend --target wasm32-unknown-unknown --profile "$profile"
wait "$tools_job"
wasm_tools=$(<"$tools_path")

if [[ ! $glue/signalbox.js -nt $wasm || ! $glue/signalbox.js -nt $wasm_tools ]]; then
	rm -rf "$glue"
	"$wasm_tools" "$wasm" "$glue"
fi

node frontend/bundle.mjs "$glue" "$@"
