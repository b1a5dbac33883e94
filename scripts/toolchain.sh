#!/usr/bin/env bash
# Makes sure of what the pages' wasm is compiled with.
source "$(dirname "$0")/lib.sh"

have cargo || die "please install Rust (rustup), then run this again"

target=wasm32-unknown-unknown
if [[ ! -d $(rustc --print target-libdir --target $target) ]]; then
	have rustup || die "please install the Rust target $target, then run this again"
	say "installing the Rust target $target"
	rustup target add $target >&2
fi
