#!/usr/bin/env bash
# Makes sure of what wasm is processed with (frontend/tools), and prints where that program is.
source "$(dirname "$0")/lib.sh"

version_of() { awk -v name="name = \"$1\"" '$0 == name { getline; gsub(/"/, "", $3); print $3 }' "$2"; }

# wasm-bindgen works only with the very version that the code was linked with.
linked=$(version_of wasm-bindgen Cargo.lock)
ours=$(version_of wasm-bindgen-cli-support frontend/tools/Cargo.lock)
[[ -n $linked && $linked == "$ours" ]] ||
	die "Cargo.lock has wasm-bindgen ${linked:-none}, frontend/tools ${ours:-none}: they have to be the same"

# One for each content of the sources.
key=$(cat frontend/tools/Cargo.{toml,lock} frontend/tools/src/main.rs | cksum | tr ' ' -)
program=$cache/tools/wasm-tools-$key

[[ -x $program ]] || one_at_a_time wasm-tools
if [[ ! -x $program ]]; then
	say "building what processes the pages' wasm, once (about a minute)"
	build=$(mktemp -d)
	trap 'rm -rf "$build"' EXIT
	cargo build --release --locked --manifest-path frontend/tools/Cargo.toml --target-dir "$build" >&2
	mkdir -p "$cache/tools"
	# Under its name only when it is whole.
	cp "$build/release/wasm-tools" "$program.new"
	mv "$program.new" "$program"
fi
echo "$program"
