#!/usr/bin/env bash
# Installs the npm packages of a folder, exactly as locked, unless they are there already.
folder=$(realpath "$1")
source "$(dirname "$0")/lib.sh"

have npm || die "please install Node.js 20 or newer with npm, then run this again"
cd "$folder"
if ! cmp -s package-lock.json node_modules/.installed; then
	say "installing the npm packages of ${folder#"$root/"}"
	npm ci --no-audit --no-fund >&2
	cp package-lock.json node_modules/.installed
fi
