#!/usr/bin/env bash
# Builds the browser's side of the pages into frontend/dist: Rust to wasm, wasm to a bundle.
# Each step does nothing when its input has not changed.
#
#   --dev  compiles faster, and leaves out what only makes files smaller
set -euo pipefail
cd "$(dirname "$0")/.."

profile=wasm-release
folder=wasm-release
if [[ ${1:-} == --dev ]]; then
	profile=dev
	folder=debug
fi
target_dir=${CARGO_TARGET_DIR:-$(cargo metadata --format-version 1 --no-deps | node -p 'JSON.parse(fs.readFileSync(0)).target_directory')}
wasm=$target_dir/wasm32-unknown-unknown/$folder/signalbox_frontend.wasm
glue=$target_dir/wasm32-unknown-unknown/$folder/bindgen

# The command must be of the very version of the library in Cargo.lock.
version=$(awk '/^name = "wasm-bindgen"$/ { getline; gsub(/[^0-9.]/, ""); print; exit }' Cargo.lock)
tools=${XDG_CACHE_HOME:-$HOME/.cache}/signalbox/tools/wasm-bindgen-$version
if [[ ! -x $tools/bin/wasm-bindgen ]]; then
	echo "Installing wasm-bindgen $version: once, a few minutes." >&2
	CARGO_TARGET_DIR=$target_dir/tools cargo install --quiet wasm-bindgen-cli --version "$version" --root "$tools"
fi

cargo build --locked --package signalbox-frontend --target wasm32-unknown-unknown --profile "$profile"

if [[ ! $glue/signalbox.js -nt $wasm ]]; then
	"$tools/bin/wasm-bindgen" "$wasm" --target web --no-typescript --omit-default-module-path \
		--out-dir "$glue" --out-name signalbox
fi

if [[ ! frontend/node_modules/.package-lock.json -nt frontend/package-lock.json ]]; then
	npm --prefix frontend ci --ignore-scripts
fi

node frontend/bundle.mjs "$glue" "$@"
