"""Runs the benchmark: `scripts/bench.sh [--quick] [--only requests,streaming] [--peers envoy]`."""

from __future__ import annotations

import argparse
import json
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from . import contenders, machine, report, sections
from .bench import Bench, say

# For the client, the upstream and every contender, who inherit it: a stream is two files.
FILES = 20_000


def names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def arguments() -> argparse.Namespace:
    everybody = [one.name for one in contenders.ALL]
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round, to try the bench")
    parser.add_argument("--only", type=names, default=list(sections.ALL), metavar="SECTIONS")
    parser.add_argument("--peers", type=names, default=everybody, metavar="NAMES")
    parser.add_argument("--render", action="store_true", help="only write the page from the JSON")
    chosen = parser.parse_args()
    for given, known in [(chosen.only, list(sections.ALL)), (chosen.peers, everybody)]:
        if unknown := set(given) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return chosen


def take_part(wanted: list[str]) -> tuple[list[contenders.Contender], dict[str, str]]:
    """Installs who is wanted. Without direct and Signalbox there would be nothing to compare."""
    present, absent = [], {}
    for kind in contenders.ALL:
        if kind.name not in [*wanted, "direct", "signalbox"]:
            continue
        one = kind()
        try:
            one.install()
            present.append(one)
        except contenders.Absent as why:
            say(f"{one.name} does not take part: {why}")
            absent[one.name] = str(why)
    return present, absent


def allow_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (enough, most))


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    began = time.monotonic()
    allow_files()
    present, absent = take_part(chosen.peers)
    whole: dict[str, Any] = {
        "at": time.strftime("%Y-%m-%d", time.gmtime()),
        "quick": chosen.quick,
        "machine": machine.describe(),
        "contenders": {one.name: [one.version(), one.does] for one in present},
        "absent": absent,
        "sections": {},
    }
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), present, chosen.quick, absent)
        for name in chosen.only:
            whole["sections"][name] = sections.ALL[name].measure(bench)
            whole["minutes"] = (time.monotonic() - began) / 60
            # After each: a run that is broken off leaves what it has.
            report.save(whole)
    return whole


def main() -> None:
    chosen = arguments()
    if chosen.render:
        report.write_page(json.loads(report.JSON.read_text()))
        return
    # Whoever ends us ends what we started too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    done = run(chosen)
    for text in report.parts(done).values():
        print(f"\n{text}")
    print(f"\n{done['minutes']:.1f} min; {report.JSON}")
    # The page shows whole runs only: all its tables come from one.
    if not chosen.quick and chosen.only == list(sections.ALL):
        report.write_page(done)


main()
