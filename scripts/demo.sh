#!/usr/bin/env bash
# The tutorial, ready to try, until Ctrl-C; `scripts/demo.sh --help` says with what flags.
source "$(dirname "$0")/lib.sh"

python=$(scripts/python-env.sh e2e/requirements.txt)/python
[[ -n ${SIGNALBOX_BIN:-} ]] || scripts/build.sh
PYTHONPATH=$root/e2e:$root/e2e/real exec "$python" -m demo "$@"
