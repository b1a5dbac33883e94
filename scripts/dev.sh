#!/usr/bin/env bash
# Builds and serves, again after every change: pages, styles and server.
source "$(dirname "$0")/lib.sh"

sources=(app frontend migrations routing server style Cargo.toml Cargo.lock)
stamp=$(mktemp)
server=

stop() {
	if [[ -n $server ]]; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
		server=
	fi
}
trap 'stop; rm -f "$stamp"' EXIT
trap 'exit 130' INT TERM

changed() {
	[[ -n $(find "${sources[@]}" \( -path frontend/dist -o -path frontend/node_modules \) -prune -o -type f -newer "$stamp" -print -quit) ]]
}

while true; do
	touch "$stamp"
	# The old server goes on until the new one is built.
	if frontend/build.sh --dev && cargo build --package signalbox; then
		stop
		target/debug/signalbox serve "$@" &
		server=$!
	else
		say "the build failed; the next change tries again"
	fi
	until changed; do sleep 0.5; done
done
