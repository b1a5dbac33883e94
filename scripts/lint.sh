#!/usr/bin/env bash
# Everything that can be said about the code without running it.
source "$(dirname "$0")/lib.sh"

tools=frontend/tools/Cargo.toml

scripts/toolchain.sh
if ! cargo clippy --version >/dev/null 2>&1 || ! cargo fmt --version >/dev/null 2>&1; then
	say "installing rustfmt and clippy"
	rustup component add rustfmt clippy
fi
# All platforms' dependencies: once they are here, the check of licences needs no network.
cargo fetch --locked --quiet
cargo fetch --locked --quiet --manifest-path "$tools"
have shellcheck || install_debian shellcheck

stage "rustfmt" cargo fmt --all --check
stage "rustfmt, tools" cargo fmt --manifest-path "$tools" --check
stage "clippy" cargo clippy --locked --workspace --exclude signalbox-frontend --all-targets -- -D warnings
# The pages a second time, as the browser gets them.
stage "clippy, wasm" cargo clippy --locked --package signalbox-frontend \
	--target wasm32-unknown-unknown -- -D warnings
stage "clippy, tools" cargo clippy --locked --manifest-path "$tools" --target-dir target/tools -- -D warnings
# Also says whether they are of the version that the pages are linked with.
stage "wasm tools" scripts/wasm-tools.sh
stage "licences, bans, sources" python3 scripts/licences.py Cargo.toml "$tools"

ruff=$(scripts/python-env.sh scripts/lint-requirements.txt)/ruff
stage "ruff" "$ruff" check --config e2e/pyproject.toml --no-cache e2e scripts
stage "ruff format" "$ruff" format --config e2e/pyproject.toml --no-cache --check e2e scripts

scripts/node-modules.sh e2e
stage "tsc, prettier" npm --prefix e2e run --silent check

mapfile -t shell_scripts < <(git ls-files '*.sh' .ci/run)
stage "shellcheck" shellcheck --external-sources --source-path=SCRIPTDIR "${shell_scripts[@]}"
