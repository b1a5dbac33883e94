#!/usr/bin/env bash
# Installs the command lines of an npm package list, exactly as locked and once for all clones, and
# prints their folder.
#
#     "$(scripts/node-programs.sh e2e/clients)/codex" --version
folder=$(realpath "$1")
source "$(dirname "$0")/lib.sh"

have npm || die "please install Node.js 20 or newer with npm, then run this again"

# One for each content of the lock.
home=$cache/npm/$(git hash-object "$folder/package-lock.json" | cut -c 1-16)
complete() { [[ -e $home/complete ]]; }
complete || one_at_a_time npm
if ! complete; then
	say "installing the programs of ${folder#"$root/"}"
	rm -rf "$home"
	mkdir -p "$home"
	cp "$folder"/package{,-lock}.json "$home"
	# Not `npm ci`, which wants every platform's program in the lock: not every registry has them all.
	npm install --prefix "$home" --no-save --no-audit --no-fund --loglevel=error >&2
fi
touch "$home/complete"
# Those of older locks go when nobody has asked for them in a month.
find "$cache/npm" -mindepth 2 -maxdepth 2 -name complete -mtime +30 \
	-exec sh -c 'rm -rf "$(dirname "$1")"' _ {} \;
echo "$home/node_modules/.bin"
