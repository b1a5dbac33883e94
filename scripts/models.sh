#!/usr/bin/env bash
# Serves two small real models until Ctrl-C, for a first route that answers.
source "$(dirname "$0")/lib.sh"

python=$(scripts/python-env.sh e2e/requirements.txt)/python
cd e2e/real
exec "$python" -m models
