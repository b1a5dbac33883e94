"""A place for the data, on each of the two databases."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from signalbox import Signalbox


def psql(server: str, statement: str) -> None:
    subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", "-c", statement, server], check=True)


@pytest.fixture(params=["sqlite", "postgres"])
def signalbox(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Signalbox]:
    """Not started yet, with no data yet; ended when the test ends."""
    if request.param == "sqlite":
        box = Signalbox(tmp_path)
        yield box
        box.kill()
        return
    server = os.environ.get("SIGNALBOX_TEST_POSTGRES_URL")
    assert server, "SIGNALBOX_TEST_POSTGRES_URL is not set: run under scripts/with-postgres.sh"
    database = f"signalbox_kill_{os.getpid()}_{request.node.originalname}".lower()
    psql(server, f"create database {database}")
    box = Signalbox(tmp_path, urlunsplit(urlsplit(server)._replace(path=f"/{database}")))
    yield box
    box.kill()
    psql(server, f"drop database {database} with (force)")
