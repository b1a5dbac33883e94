"""The tutorial, ready to try: two real models, a decision service, and a Signalbox that asks it.

scripts/demo.sh                  until Ctrl-C, which ends all of it and removes its data
scripts/demo.sh --port 9000      Signalbox there; so too --small-port, --large-port, --jev-port
scripts/demo.sh --no-route       all but the route, to add it as the tutorial says
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import signal
import socket
import sys
import tempfile
import webbrowser
from pathlib import Path
from types import FrameType

import decision_server
import models
import tutorial
from signalbox import Signalbox

USUAL_PORT = 8080
INFERENCE = {"name": "demo", "scopes": ["inference"]}


class Taken(Exception):
    """Somebody else listens at a port that was asked for."""


def is_free(port: int) -> bool:
    with socket.socket() as listener:
        # As servers do: a connection that has ended holds no port.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def check_ports(arguments: argparse.Namespace) -> None:
    for flag in ("port", "small_port", "large_port", "jev_port"):
        port = getattr(arguments, flag)
        if port and not is_free(port):
            name = "--" + flag.replace("_", "-")
            raise Taken(f"port {port} is taken: stop what listens there, or give another {name}")
    if arguments.port is None:
        arguments.port = USUAL_PORT if is_free(USUAL_PORT) else 0


def say(words: str) -> None:
    print(f"signalbox: {words}", file=sys.stderr, flush=True)


def register(box: Signalbox, small: str, large: str, jev: str, jev_key: str) -> None:
    box.post("/providers", models.provider(tutorial.SMALL, small, name="local-a"))
    box.post("/providers", models.provider(tutorial.LARGE, large, name="local-b"))
    box.post(
        "/providers",
        {
            "name": "jev",
            "kind": "decision",
            "instances": [{"url": jev}],
            "credentials": [{"secret": jev_key}],
            "models": [{"name": decision_server.MODEL, "category": "decision"}],
        },
    )


def describe(box: Signalbox, page: str, key: str, small: str, large: str) -> str:
    label = "Add the route:" if page.endswith("/new") else "The route:"
    requests = [tutorial.curl(box.url, key, words) for words in (tutorial.GREETING, tutorial.PROOF)]
    return f"""
{label:<15}{box.url}{page}
Sign in as:    admin
Password:      {box.password}
API key:       {key}

{tutorial.SMALL} is {small} and {tutorial.LARGE} is {large}: far smaller than those names say, and
real. Which of them is asked is the point, and x-signalbox-target says it. A greeting goes to
{tutorial.SMALL}:

{requests[0]}

A proof goes to {tutorial.LARGE}:

{requests[1]}

All data is in a temporary folder. Ctrl-C ends everything and removes it.
"""


def open_browser(url: str) -> None:
    """Only where there is a screen: without, Python may start a browser within the terminal."""
    has_screen = sys.platform == "darwin" or {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
    if has_screen and sys.stdout.isatty():
        webbrowser.open(url)


def run(arguments: argparse.Namespace) -> None:
    check_ports(arguments)
    jev_key = secrets.token_urlsafe(24)
    small, large = "smollm2", "gemma3"
    with contextlib.ExitStack() as running:
        folder = running.enter_context(tempfile.TemporaryDirectory(prefix="signalbox-demo-"))
        say("starting two models, a decision service and Signalbox")
        small_url = running.enter_context(
            models.served(small, arguments.small_port, tutorial.SMALL)
        )
        large_url = running.enter_context(
            models.served(large, arguments.large_port, tutorial.LARGE)
        )
        jev_url = running.enter_context(decision_server.served(arguments.jev_port, jev_key))
        box = Signalbox(Path(folder), port=arguments.port, password=secrets.token_urlsafe(9))
        running.callback(box.stop)
        box.start()
        box.sign_in()
        register(box, small_url, large_url, jev_url, jev_key)
        page = "/routes/new"
        if not arguments.no_route:
            page = "/routes/" + box.post("/routes", tutorial.route())["id"]
        key = box.post("/keys", INFERENCE)["key"]
        aliases = [models.MODELS[name].alias for name in (small, large)]
        print(describe(box, page, key, *aliases), flush=True)
        open_browser(box.url + page)
        signal.pause()


def leave(signum: int, frame: FrameType | None) -> None:
    # Once is enough: a second Ctrl-C does not keep the first from putting everything away.
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, help="of Signalbox (default: 8080, or any free one)")
    parser.add_argument("--small-port", type=int, default=0, help="of the small model")
    parser.add_argument("--large-port", type=int, default=0, help="of the large model")
    parser.add_argument("--jev-port", type=int, default=0, help="of the decision service")
    parser.add_argument("--no-route", action="store_true", help="leave the route to you")
    arguments = parser.parse_args()
    # Set, not left: a shell's background job begins with SIGINT ignored.
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, leave)
    try:
        run(arguments)
    except KeyboardInterrupt:
        say("all of it has ended")
    except (Taken, RuntimeError, AssertionError) as failure:
        sys.exit(f"signalbox: {failure}")


if __name__ == "__main__":
    main()
