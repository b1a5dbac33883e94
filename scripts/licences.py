"""Checks licences, bans and sources of every dependency against deny.toml, offline.

    licences.py Cargo.toml...

It knows as much of cargo-deny's format as deny.toml uses, and refuses the rest. Building
cargo-deny itself takes longer than all other checks together.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

KNOWN = {
    "licenses": {"allow"},
    "bans": {"multiple-versions", "deny"},
    "sources": {"unknown-registry", "unknown-git"},
}


def allows(expression: str, allowed: set[str]) -> bool:
    """Whether an SPDX expression can be met with allowed licences. `/` is an old way to say OR."""
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def either() -> bool:
        verdict = both()
        while tokens[:1] == ["OR"]:
            tokens.pop(0)
            verdict = both() or verdict
        return verdict

    def both() -> bool:
        verdict = one()
        while tokens[:1] == ["AND"]:
            tokens.pop(0)
            verdict = one() and verdict
        return verdict

    def one() -> bool:
        token = tokens.pop(0)
        if token == "(":
            verdict = either()
            if tokens.pop(0) != ")":
                raise ValueError(expression)
            return verdict
        if tokens[:1] == ["WITH"]:
            token = " ".join([token, tokens.pop(0), tokens.pop(0)])
        return token in allowed

    verdict = either()
    if tokens:
        raise ValueError(expression)
    return verdict


def unknown_settings(policy: dict[str, Any]) -> Iterator[str]:
    for section, settings in policy.items():
        for setting in settings.keys() - KNOWN.get(section, set()):
            yield f"deny.toml: [{section}] {setting} is not known here"


def problems(packages: list[dict[str, Any]], policy: dict[str, Any]) -> Iterator[str]:
    yield from unknown_settings(policy)
    allowed = set(policy["licenses"]["allow"])
    banned = {ban["crate"]: ban["reason"] for ban in policy["bans"]["deny"]}
    foreign = [package for package in packages if package["source"]]
    registries = {package["source"] for package in foreign}

    for package in foreign:
        name = f"{package['name']} {package['version']}"
        licence = package["license"] or ""
        try:
            if not allows(licence, allowed):
                yield f"{name}: licence '{licence}' is not allowed"
        except (IndexError, ValueError):
            yield f"{name}: licence '{licence}' is not an SPDX expression"
        if package["name"] in banned:
            yield f"{name}: banned ({banned[package['name']]})"
        if not package["source"].startswith("registry+"):
            yield f"{name}: comes from {package['source']}, not from the registry"
    if len(registries) > 1:
        yield f"more than one source: {', '.join(sorted(registries))}"

    root = Path.cwd()
    for package in packages:
        if not package["source"] and not Path(package["manifest_path"]).is_relative_to(root):
            yield f"{package['name']}: comes from outside of this repository"


def duplicates(packages: list[dict[str, Any]]) -> list[str]:
    versions: dict[str, list[str]] = defaultdict(list)
    for package in packages:
        versions[package["name"]].append(package["version"])
    return [
        f"{name} ({', '.join(sorted(found))})"
        for name, found in sorted(versions.items())
        if len(found) > 1
    ]


def packages_of(manifest: str) -> list[dict[str, Any]]:
    command = ["cargo", "metadata", "--offline", "--locked", "--format-version", "1"]
    command += ["--manifest-path", manifest]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return metadata["packages"]


def main() -> None:
    policy = tomllib.loads(Path("deny.toml").read_text())
    failed = False
    for manifest in sys.argv[1:]:
        packages = packages_of(manifest)
        if policy["bans"]["multiple-versions"] == "warn" and (several := duplicates(packages)):
            print(f"warning: in several versions: {'; '.join(several)}")
        found = list(problems(packages, policy))
        for problem in found:
            print(f"error: {problem}")
        failed = failed or bool(found)
        print(f"{manifest}: {len(packages)} packages, {len(found)} against deny.toml")
    sys.exit(failed)


if __name__ == "__main__":
    main()
