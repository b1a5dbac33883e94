#!/usr/bin/env bash
# Makes sure of what wasm is processed with, and prints the folder of wasm-bindgen and wasm-split-cli.
source "$(dirname "$0")/lib.sh"

# wasm-bindgen works only with the very version that the code was linked with.
bindgen=$(awk '/^name = "wasm-bindgen"$/ { getline; gsub(/"/, "", $3); print $3 }' Cargo.lock)
[[ -n $bindgen ]] || die "Cargo.lock names no wasm-bindgen"
# Takes apart what wasm_split_helpers, of leptos, marked.
split=0.2.4

home=$cache/tools/wasm-$bindgen-$split
tools_are_there() { [[ -x $home/bin/wasm-bindgen && -x $home/bin/wasm-split-cli ]]; }

tools_are_there || one_at_a_time wasm-tools
if ! tools_are_there; then
	say "building wasm-bindgen $bindgen and wasm-split $split, once (about two minutes)"
	build=$(mktemp -d)
	trap 'rm -rf "$build"' EXIT
	# Run for seconds, so built for a quick build rather than a quick program.
	export CARGO_TARGET_DIR=$build CARGO_PROFILE_RELEASE_OPT_LEVEL=0
	# A registry that lags behind may lack a version which the tool's own lock names.
	install() { cargo install --root "$home" --locked "$@" >&2 || cargo install --root "$home" "$@" >&2; }
	install wasm-bindgen-cli --version "$bindgen" --bin wasm-bindgen
	install wasm_split_cli_support --version "$split" --features build-binary
fi
echo "$home/bin"
