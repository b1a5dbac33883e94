#!/usr/bin/env bash
# All tests. `make test` calls it beside a Postgres (scripts/with-postgres.sh).
source "$(dirname "$0")/lib.sh"

# Whatever proxy the machine has does not stand between the tests and loopback.
export no_proxy=127.0.0.1,localhost NO_PROXY=127.0.0.1,localhost

# What the later stages need, first: a machine that lacks it should say so at once.
python=$(scripts/python-env.sh e2e/requirements.txt)/python
have curl || install_debian curl
scripts/chromium.sh >/dev/null
scripts/node-modules.sh e2e
scripts/node-programs.sh e2e/clients >/dev/null

stage "cargo test" cargo test --locked --workspace --exclude signalbox-frontend
stage "release build" scripts/build.sh
stage "kill -9" "$python" -m pytest -c e2e/pyproject.toml e2e/durability
stage "decision faults" "$python" -m pytest -c e2e/pyproject.toml e2e/policy
stage "clients" "$python" -m pytest -c e2e/pyproject.toml e2e/clients
stage "real models" "$python" -m pytest -c e2e/pyproject.toml e2e/real
stage "browser" npm --prefix e2e --silent test
