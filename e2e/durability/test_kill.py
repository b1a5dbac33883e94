"""`kill -9` at any moment: whatever was answered with 2xx is still there, and whole."""

from __future__ import annotations

import http.client
import os
import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from signalbox import Signalbox

SAVES = 200  # acknowledged, before we are content
SAVES_A_LIFE = 4  # on average; a restart costs more than many saves
WRITERS = 2
SECONDS = 90  # for one database: several times what it takes on two busy cores

Route = dict[str, Any]
ABSENT = None


@pytest.fixture
def dice() -> random.Random:
    seed = os.environ.get("SIGNALBOX_KILL_SEED") or str(random.randrange(2**32))
    print(f"SIGNALBOX_KILL_SEED={seed}")  # shown when the test fails
    return random.Random(seed)


@dataclass
class Writer:
    """Saves routes of its own, one after the other, and remembers what it was told."""

    signalbox: Signalbox
    name: str
    dice: random.Random
    kept: dict[str, Route] = field(default_factory=dict)
    # The save under way, if any: the route's name and the two states that it may be in.
    doubt: tuple[str, Route | None, Route | None] | None = None
    acknowledged: int = 0
    seconds: float = 0.0
    trouble: Exception | None = None

    def run(self) -> None:
        try:
            while True:
                started = time.monotonic()
                self.save_something()
                self.seconds += time.monotonic() - started
                self.acknowledged += 1
        except (OSError, http.client.HTTPException):
            pass  # killed under our hands: the doubt stays
        except Exception as trouble:
            self.trouble = trouble

    def save_something(self) -> None:
        action = self.dice.choices(["create", "update", "delete"], [6, 3, 1])[0]
        if not self.kept:
            action = "create"
        if action == "create":
            name = f"{self.name}-{self.acknowledged}-{self.dice.randrange(10**6)}"
            route: Route = {"name": name, "description": "", "targets": self.some_targets()}
            self.doubt = (name, ABSENT, essence(route))
            self.kept[name] = self.signalbox.post("/routes", route)
        else:
            name = self.dice.choice(sorted(self.kept))
            before = self.kept[name]
            if action == "update":
                after = before | {
                    "description": f"edited {self.dice.randrange(10**6)} times",
                    "targets": self.some_targets(),
                }
                self.doubt = (name, essence(before), essence(after))
                self.kept[name] = self.signalbox.put(f"/routes/{before['id']}", after)
            else:
                self.doubt = (name, essence(before), ABSENT)
                self.signalbox.call("DELETE", f"/api/v1/routes/{before['id']}")
                del self.kept[name]
        self.doubt = None

    def some_targets(self) -> list[dict[str, Any]]:
        # All with a weight: then a route that lost one of its targets would show.
        models = self.dice.sample(["m1", "m2", "m3"], self.dice.randint(1, 3))
        return [
            {"provider": "p", "model": model, "weight": self.dice.randint(1, 999)}
            for model in models
        ]

    def compare(self, found: dict[str, Route]) -> bool:
        """Checks what is there against what we know; True if a save in doubt had been kept."""
        there = {name: r for name, r in found.items() if name.startswith(f"{self.name}-")}
        states = {name: essence(route) for name, route in there.items()}
        known = {name: essence(route) for name, route in self.kept.items()}
        was_kept = False
        if self.doubt:
            name, before, after = self.doubt
            state = states.pop(name, ABSENT)
            assert state in (before, after), f"{name} is there by half"
            was_kept = state == after
            known.pop(name, None)
            self.doubt = None
        assert states == known
        self.kept = there
        return was_kept


def essence(route: Route) -> Route:
    """What a save says about a route, without what the server adds."""
    targets = [(t["provider"], t["model"], t["weight"]) for t in route["targets"]]
    return {"description": route["description"], "targets": targets}


def all_routes(signalbox: Signalbox) -> dict[str, Route]:
    routes: dict[str, Route] = {}
    after = ""
    while True:
        page = signalbox.get(f"/routes?limit=50{after}")
        routes |= {route["name"]: route for route in page["items"]}
        if page["next"] is None:
            return routes
        after = f"&after={page['next']}"


def test_no_acknowledged_save_is_lost(
    signalbox: Signalbox, dice: random.Random, capsys: pytest.CaptureFixture[str]
) -> None:
    signalbox.start()
    signalbox.sign_in()
    # A key, as everything else here, was acknowledged once and must work ever after.
    signalbox.bearer = signalbox.create_key("management", "inference")
    signalbox.post(
        "/providers",
        {
            "name": "p",
            "kind": "openai",
            "instances": [{"url": "http://127.0.0.1:9/v1"}],
            "models": [{"name": f"m{n}", "category": "llm"} for n in (1, 2, 3)],
        },
    )
    writers = [Writer(signalbox, f"w{n}", random.Random(dice.random())) for n in range(WRITERS)]
    lives = doubts = kept_in_doubt = 0
    a_save = 0.02
    started = time.monotonic()
    while (acknowledged := sum(writer.acknowledged for writer in writers)) < SAVES:
        assert time.monotonic() - started < SECONDS, f"only {acknowledged} saves in {SECONDS} s"
        if acknowledged:
            a_save = sum(writer.seconds for writer in writers) / acknowledged
        threads = [threading.Thread(target=writer.run) for writer in writers]
        for thread in threads:
            thread.start()
        time.sleep(dice.uniform(0, 2 * SAVES_A_LIFE / WRITERS * a_save))
        signalbox.kill()
        for thread in threads:
            thread.join()
        for writer in writers:
            if writer.trouble:
                raise writer.trouble

        signalbox.start()
        lives += 1
        doubts += sum(writer.doubt is not None for writer in writers)
        found = all_routes(signalbox)
        kept_in_doubt += sum(writer.compare(found) for writer in writers)
        assert set(found) == {model["id"] for model in signalbox.call("GET", "/v1/models")["data"]}

    with capsys.disabled():
        print(
            f"\n  {acknowledged} saves of {a_save * 1000:.0f} ms acknowledged over {lives} kills; "
            f"{doubts} were under way at a kill, {kept_in_doubt} of them kept"
        )
    # Else the kills fell between the saves, and nothing was tried.
    assert doubts >= lives / 2
    assert signalbox.stop() == 0


def test_a_first_start_may_be_killed(signalbox: Signalbox, dice: random.Random) -> None:
    """Migrations, the secret key's file and the administrator come whole or are made again."""
    for _ in range(20):
        signalbox.spawn()
        time.sleep(dice.uniform(0, 0.25))
        signalbox.kill()
    signalbox.start()
    signalbox.sign_in()
    assert signalbox.get("/routes") == {"items": [], "next": None}
    assert signalbox.stop() == 0
