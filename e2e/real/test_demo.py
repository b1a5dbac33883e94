"""`make demo` as a person runs it: what it prints is pasted, and Ctrl-C leaves nothing behind."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import tutorial
from signalbox import BINARY, Signalbox

SCRIPT = Path(__file__).parents[2] / "scripts" / "demo.sh"
MARK = "DEMO_OF_THE_TESTS"


@dataclass
class Demo:
    process: subprocess.Popen[str]
    mark: str
    temporary: Path
    printed: str

    def shown(self, pattern: str) -> str:
        found = re.search(pattern, self.printed)
        assert found, f"there is no {pattern} in:\n{self.printed}"
        return found[1]

    def curls(self) -> list[str]:
        return [part for part in self.printed.split("\n\n") if part.startswith("curl ")]

    def processes(self) -> list[str]:
        """All that it started, whoever their parent is by now."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                environment = (process / "environ").read_bytes()
                command = (process / "cmdline").read_bytes()
            except OSError:
                continue  # it has ended meanwhile, or is not ours
            if f"{MARK}={self.mark}\0".encode() in environment:
                found.append(command.replace(b"\0", b" ").decode())
        return found


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    mark, temporary = uuid.uuid4().hex, tmp_path_factory.mktemp("demo")
    environment = {MARK: mark, "TMPDIR": str(temporary), "SIGNALBOX_BIN": str(BINARY)}
    with subprocess.Popen(
        [SCRIPT],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # as a shell does, so that Ctrl-C has a group to go to
    ) as process:
        try:
            printed = ""
            assert process.stdout
            for line in process.stdout:
                printed += line
                if "Ctrl-C" in line:
                    break
            yield Demo(process, mark, temporary, printed)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(timeout=60)


@pytest.fixture(scope="module")
def signalbox(demo: Demo) -> Signalbox:
    """The one that the demonstration has started."""
    port = int(demo.shown(r"http://127\.0\.0\.1:(\d+)/routes/"))
    box = Signalbox(demo.temporary, port=port, password=demo.shown(r"Password: +(\S+)"))
    box.sign_in()
    return box


def test_the_printed_requests_go_where_the_tutorial_says(demo: Demo) -> None:
    targets = []
    for curl in demo.curls():
        asked = subprocess.run(["bash", "-c", curl], capture_output=True, text=True, timeout=120)
        assert asked.stdout.startswith("HTTP/1.1 200"), asked
        targets.append(re.search(r"(?m)^x-signalbox-target: (\S+)$", asked.stdout)[1])
        assert '"content":' in asked.stdout
    assert targets == [f"local-a/{tutorial.SMALL}", f"local-b/{tutorial.LARGE}"]


def test_the_tutorials_commands_work(demo: Demo, signalbox: Signalbox, tmp_path: Path) -> None:
    variables = {
        "BOX": signalbox.url,
        "KEY": demo.shown(r"API key: +(\S+)"),
        "ROUTE": demo.shown(r"/routes/(\S+)"),
        "PASSWORD": signalbox.password,
    }
    said = []
    for command in tutorial.commands(tutorial.DOCS / "tutorial.md"):
        if "curl" in command:
            # The variables are ours: what stands there is for a person to fill in.
            script = "set -euo pipefail\n" + re.sub(r"(?m)^[A-Z]+=…\n", "", command)
            asked = subprocess.run(
                ["bash", "-c", script],
                env=os.environ | variables,
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=120,
            )
            assert asked.returncode == 0, (command, asked)
            said.append(asked.stdout)
    taking_turns, one_session, greeting, proof, explained = said
    assert taking_turns.count(f"x-signalbox-target: local-a/{tutorial.SMALL}") == 4
    assert one_session == taking_turns  # by now the decision service knows a greeting
    assert f"x-signalbox-target: local-a/{tutorial.SMALL}" in greeting
    assert f"x-signalbox-target: local-b/{tutorial.LARGE}" in proof
    best = json.loads(explained)["ranking"][0]
    assert best["target"] == f"local-a/{tutorial.SMALL}"
    # The table of the tutorial; the session's owner differs from one start to the next.
    assert best["scorers"]["decision_service"]["share"] == pytest.approx(0.9997, abs=0.0002)


def test_the_printed_page_is_the_routes(demo: Demo, signalbox: Signalbox) -> None:
    route = signalbox.get("/routes/" + demo.shown(r"/routes/(\S+)"))
    assert (route["name"], route["route_by"]) == (tutorial.ROUTE, "policy")
    assert all(scorer["enabled"] for scorer in route["policy"].values())


def test_fetch_models_and_test_work_for_each_provider(signalbox: Signalbox) -> None:
    for provider in signalbox.get("/providers")["items"]:
        path = f"/providers/{provider['id']}"
        assert signalbox.post(f"{path}/test", {})["ok"], provider
        listed = signalbox.get(f"{path}/upstream-models")["items"]
        names = {model["name"] for model in provider["models"]}
        assert names == set(listed)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_both_languages_decide_clearly(signalbox: Signalbox, language: str) -> None:
    made = signalbox.post("/routes", tutorial.route(language, f"criteria-{language}"))
    for words, model in ((tutorial.GREETING, tutorial.SMALL), (tutorial.PROOF, tutorial.LARGE)):
        request = {"headers": {"session-id": tutorial.SESSION}, "body": tutorial.chat(words)}
        explained = signalbox.post(f"/routes/{made['id']}/explain", request)
        assert explained["abstained"] == {}
        assert explained["decision"]["probabilities"][model] >= 0.75
        assert explained["ranking"][0]["target"].endswith(f"/{model}")


def test_a_port_that_is_taken_is_said_to_be() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        tried = subprocess.run(
            [SCRIPT, "--jev-port", str(port)],
            env=os.environ | {"SIGNALBOX_BIN": str(BINARY)},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert tried.returncode == 1
    assert f"port {port} is taken" in tried.stderr
    assert "--jev-port" in tried.stderr
    assert "Traceback" not in tried.stderr


def test_ctrl_c_leaves_no_process_and_no_data(demo: Demo) -> None:
    assert len(demo.processes()) == 5
    os.killpg(demo.process.pid, signal.SIGINT)
    assert demo.process.wait(timeout=60) == 0
    assert demo.processes() == []
    assert list(demo.temporary.iterdir()) == []
