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
tools=$(<"$tools_path")

# First the pages that are loaded when needed are taken out; then the rest gets its JavaScript.
if [[ ! $glue/signalbox.js -nt $wasm ]]; then
	rm -rf "$glue"
	"$tools/wasm-split-cli" "$wasm" "$glue" --out-name signalbox
	"$tools/wasm-bindgen" "$glue/signalbox.wasm" --target web --no-typescript \
		--omit-default-module-path --keep-lld-exports --out-dir "$glue" --out-name signalbox
fi

node frontend/bundle.mjs "$glue" "$@"
