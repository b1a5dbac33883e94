"""Thousands of routes and keys that nobody asks for, put into a stopped Signalbox's database.

By the management API each would be a save of its own, durable and seen by the gateway before the
next begins: ten thousand take minutes. They are copies of one that the API made.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def add(database: Path, routes: int, keys: int) -> None:
    """So many more of each."""
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.row_factory = sqlite3.Row
        route = _first(connection, "SELECT * FROM routes")
        target = _first(connection, "SELECT * FROM targets WHERE route_id = ?", route["id"])
        copies = [route | _named() for _ in range(routes)]
        _insert(connection, "routes", copies)
        _insert(connection, "targets", (target | _owned(copy["id"]) for copy in copies))
        key = _first(connection, "SELECT * FROM api_keys")
        _insert(connection, "api_keys", (key | _locked(key) for _ in range(keys)))


def _named() -> Row:
    new = uuid.uuid4()
    return {"id": new.bytes, "name": f"filler-{new}"}


def _owned(route: bytes) -> Row:
    return {"id": uuid.uuid4().bytes, "route_id": route}


def _locked(key: Row) -> Row:
    """A key whose secret nobody knows."""
    new = uuid.uuid4()
    public = new.hex[: len(key["public"])]
    return {"id": new.bytes, "public": public, "hash": os.urandom(len(key["hash"]))}


def _first(connection: sqlite3.Connection, select: str, *values: object) -> Row:
    return dict(connection.execute(f"{select} LIMIT 1", values).fetchone())


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
    for row in rows:
        places = ", ".join("?" * len(row))
        columns = ", ".join(row)
        insert = f"INSERT INTO {table} ({columns}) VALUES ({places})"
        connection.execute(insert, list(row.values()))
