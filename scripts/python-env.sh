#!/usr/bin/env bash
# Makes the Python environment of a requirements file, once, and prints its folder of programs.
#
#     "$(scripts/python-env.sh e2e/requirements.txt)/python" -m pytest e2e/real
requirements=$(realpath "$1")
source "$(dirname "$0")/lib.sh"

have python3 || install_debian python3 python3-venv
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
	die "please install Python 3.11 or newer: this is $(python3 --version)"
python3 -c 'import ensurepip, venv' 2>/dev/null || install_debian python3-venv

# One for each content of the file and each Python.
key=$(python3 -c '
import hashlib, sys
print(hashlib.sha256(open(sys.argv[1], "rb").read() + sys.version.encode()).hexdigest()[:16])
' "$requirements")
home=$cache/python/$key
complete() { [[ -e $home/complete && -x $home/bin/python ]]; }
complete || one_at_a_time python
if ! complete; then
	say "installing ${requirements#"$root/"}"
	python3 -m venv --clear "$home"
	# Every package is pinned, dependencies included; see the file.
	"$home/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
		--requirement "$requirements" >&2
fi
touch "$home/complete"
# Those of older requirements go when nobody has asked for them in a month.
find "$cache/python" -mindepth 2 -maxdepth 2 -name complete -mtime +30 \
	-exec sh -c 'rm -rf "$(dirname "$1")"' _ {} \;
echo "$home/bin"
