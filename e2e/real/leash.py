"""Servers in processes of their own that end with the process that started them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent


@contextlib.contextmanager
def served(module: str, *arguments: str, secret: tuple[str, str] | None = None) -> Iterator[str]:
    """Runs a module of this folder, yields the URL that it says, and ends it.

    A secret goes by the environment, which is not in everybody's list of processes.
    """
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(
            [sys.executable, "-m", module, *arguments, "--until-eof"],
            cwd=HERE,
            env=os.environ | dict([secret] if secret else []),
            stdin=subprocess.PIPE,  # the leash: should this process die, the server ends too
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        assert process.stdin
        assert process.stdout
        try:
            ready = process.stdout.readline()
            if not ready:
                log.seek(0)
                said = log.read().decode(errors="replace")
                raise RuntimeError(f"`{module} {' '.join(arguments)}` did not start:\n{said}")
            yield json.loads(ready)["url"]
        finally:
            process.stdin.close()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()


def wait(until_eof: bool) -> None:
    """In the server: returns when it is to end."""
    if until_eof:
        sys.stdin.read()
    else:
        signal.pause()
