#!/usr/bin/env bash
# Makes sure of the command wasm-bindgen, and prints where it is.
source "$(dirname "$0")/lib.sh"

# wasm-bindgen works only with the very version that the code was linked with.
version=$(awk '/^name = "wasm-bindgen"$/ { getline; gsub(/"/, "", $3); print $3 }' Cargo.lock)
[[ -n $version ]] || die "Cargo.lock names no wasm-bindgen"
home=$cache/tools/wasm-bindgen-$version
[[ -x $home/bin/wasm-bindgen ]] || one_at_a_time wasm-bindgen
if [[ ! -x $home/bin/wasm-bindgen ]]; then
	say "building wasm-bindgen $version, once (about two minutes)"
	build=$(mktemp -d)
	trap 'rm -rf "$build"' EXIT
	# Run for seconds, so built for a quick build rather than a quick program.
	export CARGO_TARGET_DIR=$build CARGO_PROFILE_RELEASE_OPT_LEVEL=0
	install=(cargo install wasm-bindgen-cli --version "$version" --root "$home")
	# A registry that lags behind may lack a version which the tool's own lock names.
	"${install[@]}" --locked >&2 || "${install[@]}" >&2
fi
echo "$home/bin/wasm-bindgen"
