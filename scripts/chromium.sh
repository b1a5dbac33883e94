#!/usr/bin/env bash
# Prints where Chromium is; installs Debian's where there is none.
source "$(dirname "$0")/lib.sh"

find_chromium() {
	local name
	for name in "${SIGNALBOX_CHROMIUM:-}" chromium chromium-browser google-chrome; do
		if [[ -n $name ]] && have "$name"; then
			command -v "$name"
			return
		fi
	done
	return 1
}

find_chromium || {
	install_debian chromium
	find_chromium
}
