"""vllm-router and sglang-router, which have one ancestor and nearly the same command line."""

from __future__ import annotations

from pathlib import Path

from signalbox import free_port

from .base import Contender, pinned, programs


class Router(Contender):
    requirements: str
    package: str
    program: str
    # A subcommand before the options, and options of its own behind them.
    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()

    def install(self) -> None:
        self._programs = programs(self.requirements)

    def version(self) -> str:
        return pinned(self.requirements, self.package)

    def command(self, folder: Path, ports: list[int]) -> list[str]:
        command = [str(self._programs / self.program), *self.before]
        command += ["--host", "127.0.0.1", "--port", str(self.port)]
        command += ["--worker-urls", *(f"http://127.0.0.1:{port}" for port in ports)]
        # Its cheapest way to choose: less work than its default, which remembers prompts.
        command += ["--policy", "round_robin", "--log-level", "error"]
        command += ["--prometheus-port", str(free_port())]
        # Asked every second at the start instead of every half minute.
        return [*command, "--worker-startup-check-interval", "1", *self.behind]


class VllmRouter(Router):
    name = "vllm-router"
    does = "passes on, instances in turn; no key, no score, no record"
    requirements = "vllm-router.txt"
    package = "vllm_router"
    program = "vllm-router"
    # Would otherwise refuse what is beyond its own limits.
    behind = ("--max-concurrent-requests", "100000")


class SglangRouter(Router):
    name = "sglang-router"
    does = (
        "reads the request into its own types, passes it on, instances in turn; no key, no record"
    )
    requirements = "sglang-router.txt"
    package = "sglang_router"
    program = "sglang-router"
    before = ("launch",)
