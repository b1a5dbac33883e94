# Sourced by the scripts of this folder: where things are, and how we speak.
# shellcheck shell=bash
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Tools, Python environments and models, each under its version: shared by all clones.
# shellcheck disable=SC2034 # used by those who source this
cache=${XDG_CACHE_HOME:-$HOME/.cache}/signalbox
cd "$root"

# On standard error: standard output belongs to what a script was asked for.
say() { printf 'signalbox: %s\n' "$*" >&2; }

die() {
	say "$@"
	exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# install_debian PACKAGE...: installs them where we may, else says what to install.
install_debian() {
	if ! have apt-get || [[ $(id -u) -ne 0 ]]; then
		die "please install $* (on Debian: sudo apt-get install $*), then run this again"
	fi
	say "installing $*"
	apt-get update -qq >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

# stage NAME COMMAND...: runs it under a heading and says how long it took.
stage() {
	local name=$1 started=$SECONDS
	shift
	printf '\n== %s\n' "$name"
	"$@" || {
		local status=$?
		printf '== %s: FAILED after %d s\n' "$name" $((SECONDS - started))
		exit "$status"
	}
	printf '== %s: %d s\n' "$name" $((SECONDS - started))
}

# one_at_a_time NAME: waits for whoever prepares the same thing under the cache.
one_at_a_time() {
	mkdir -p "$cache"
	exec 9>"$cache/$1.lock"
	if have flock; then flock 9; fi
}
