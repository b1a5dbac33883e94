"""Mixed traffic against upstreams that fail by chance; then everything must be as it was.

    $PY e2e/soak/soak.py [minutes]

Fails on an outcome that no fault explains, on requests still counted afterwards, on sockets that
stay open, and on memory that goes on growing after the first minutes.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import httpx2 as httpx

sys.path.insert(0, str(Path(__file__).parent.parent))

from signalbox import Signalbox
from upstream import Upstream

CLIENTS = 24
UPSTREAMS = 6
ENDPOINTS = [
    "chat/completions",
    "completions",
    "responses",
    "messages",
    "messages/count_tokens",
    "embeddings",
    "rerank",
    "moderations",
    "audio/speech",
]
# What the gateway itself may answer when its upstreams behave like that, by `code`.
OWN = {
    "upstream_unreachable",
    "upstream_timeout",
    "upstream_redirect",
    "all_full",
}
ROUTES = ["turns", "weights", "policy"]


class Soak:
    def __init__(self, box: Signalbox, key: str, seed: int) -> None:
        self.box = box
        self.random = random.Random(seed)
        self.outcomes: collections.Counter[str] = collections.Counter()
        self.unexplained: list[str] = []
        # Route and id.
        self.responses: collections.deque[tuple[str, str]] = collections.deque(maxlen=200)
        limits = httpx.Limits(max_connections=CLIENTS * 2)
        self.http = httpx.AsyncClient(
            base_url=box.url,
            headers={"authorization": f"Bearer {key}"},
            timeout=60,
            limits=limits,
            trust_env=False,
        )

    async def client(self, until: float) -> None:
        while time.monotonic() < until:
            act = self.random.choices(
                [self.ask, self.form, self.leave, self.nonsense, self.kept],
                [70, 8, 6, 6, 10],
            )[0]
            try:
                await act()
            except httpx.HTTPError as error:
                self.note(act.__name__, f"unexplained {type(error).__name__}: {error}")

    def note(self, act: str, outcome: str) -> None:
        self.outcomes[f"{act}: {outcome}"] += 1
        if outcome.startswith("unexplained"):
            self.unexplained.append(f"{act}: {outcome}")

    def body(self, **more: object) -> dict[str, object]:
        text = "x" * self.random.choice([10, 100, 5_000, 100_000, 600_000])
        messages = [{"role": "user", "content": text}]
        return {"model": self.random.choice(ROUTES), "messages": messages, **more}

    async def ask(self) -> None:
        path = self.random.choice(ENDPOINTS)
        headers = {"session-id": f"s{self.random.randrange(50)}"}
        await self.send("ask", "POST", f"/v1/{path}", json=self.body(stream=True), headers=headers)

    async def form(self) -> None:
        audio = os.urandom(self.random.choice([200, 50_000, 3_000_000]))
        fields = {"model": self.random.choice(ROUTES)}
        files = {"file": ("a.wav", audio)}
        await self.send("form", "POST", "/v1/audio/transcriptions", data=fields, files=files)

    async def leave(self) -> None:
        """Reads a little and goes."""
        sent = self.http.stream("POST", "/v1/chat/completions", json=self.body(stream=True))
        with contextlib.suppress(httpx.RemoteProtocolError):
            async with sent as answer:
                async for _ in answer.aiter_raw():
                    break
        self.note("leave", "left")

    async def nonsense(self) -> None:
        content, expected = self.random.choice(
            [
                (b"", 400),
                (b"[]", 400),
                (b'{"model":1}', 400),
                (b'{"model":"nowhere"}', 404),
                (b'{"model":"turns","model":"turns"}', 400),
                (b"[" * 5_000, 400),
            ]
        )
        headers = {"content-type": "application/json"}
        answer = await self.http.post("/v1/chat/completions", content=content, headers=headers)
        fits = answer.status_code == expected
        self.note("nonsense", "refused" if fits else f"unexplained {answer.status_code}")

    async def kept(self) -> None:
        if not self.responses:
            return
        route, id = self.random.choice(self.responses)
        if self.random.random() < 0.5:
            await self.send("kept", "GET", f"/v1/responses/{id}")
        else:
            body = self.body(previous_response_id=id) | {"model": route}
            await self.send("kept", "POST", "/v1/responses", json=body)

    async def send(self, act: str, method: str, path: str, **arguments: object) -> None:
        async with self.http.stream(method, path, **arguments) as answer:
            fault = answer.headers.get("x-fault", "")
            broken = None
            content = b""
            try:
                async for piece in answer.aiter_raw():
                    content += piece
            except httpx.HTTPError as error:
                broken = error
        self.note(act, self.judge(answer, fault, broken, content))
        is_kept = answer.status_code == 200 and fault in ("none", "close-after")
        if path == "/v1/responses" and is_kept:
            self.responses.append((arguments["json"]["model"], json.loads(content)["id"]))

    def judge(
        self, answer: httpx.Response, fault: str, broken: Exception | None, content: bytes
    ) -> str:
        status = answer.status_code
        if fault in ("cut", "silent"):
            done = b"[DONE]" in content
            return fault if broken and not done else f"unexplained end of a stream that was {fault}"
        if broken:
            return f"unexplained break ({fault}): {broken}"
        if fault in ("stream", "trickle"):
            whole = content.endswith(b"data: [DONE]\n\n") and content.count(b"[DONE]") == 1
            frames = [line for line in content.split(b"\n\n") if line.startswith(b"data: {")]
            numbers = [json.loads(frame[6:])["number"] for frame in frames]
            in_order = numbers == list(range(len(numbers)))
            return "streamed" if whole and in_order else "unexplained stream"
        if fault:
            told = {"none": 200, "gzip": 200, "large": 200, "close-after": 200, "late": 200}
            expected = told.get(fault) or int(fault.split("-")[0])
            return f"told {status}" if status == expected else f"unexplained {status} for {fault}"
        code = json.loads(content)["error"].get("code") or json.loads(content)["error"]["type"]
        own = OWN | {"api_error", "rate_limit_error", "overloaded_error"}
        return f"own {status} {code}" if code in own else f"unexplained {status} {code}"


def resident_kib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def open_sockets(pid: int) -> int:
    """Of all files, what requests leave open. The database's are kept for the next statement."""
    count = 0
    for number in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            count += os.readlink(f"/proc/{pid}/fd/{number}").startswith("socket:")
    return count


def set_up(box: Signalbox, upstreams: list[Upstream]) -> str:
    box.sign_in()
    timeouts = {"connect_ms": 1_000, "first_byte_ms": 3_000, "idle_ms": 4_000}
    for number, upstream in enumerate(upstreams):
        limit = 8 if number == 0 else None
        box.post(
            "/providers",
            {
                "name": f"p{number}",
                "kind": "openai",
                "instances": [{"url": upstream.url, "max_inflight": limit}],
                "models": [{"name": "m"}],
                "credentials": [{"secret": f"secret-{n}"} for n in range(2)],
                "timeouts": timeouts,
            },
        )
    targets = [{"provider": f"p{number}", "model": "m"} for number in range(UPSTREAMS - 1)]
    fallbacks = [{"provider": f"p{UPSTREAMS - 1}", "model": "m"}]
    weighted = [target | {"weight": 10 + 5 * n} for n, target in enumerate(targets)]
    policy = {"session_affinity": {}, "least_inflight": {}}
    box.post("/routes", {"name": "turns", "targets": targets, "fallbacks": fallbacks})
    box.post("/routes", {"name": "weights", "targets": weighted, "retry": {"attempts": 3}})
    box.post("/routes", {"name": "policy", "targets": targets, "policy": policy})
    return box.create_key("inference")


async def soak(minutes: float, folder: Path) -> int:
    seed = int(os.environ.get("SOAK_SEED") or time.time())
    print(f"seed {seed}, {minutes:g} minutes, {CLIENTS} clients, {UPSTREAMS} upstreams", flush=True)
    upstreams = [Upstream(seed + number) for number in range(UPSTREAMS)]
    for upstream in upstreams:
        await upstream.listen()
    box = Signalbox(folder)
    await asyncio.to_thread(box.start)
    try:
        return await run(minutes, box, upstreams, seed)
    finally:
        box.stop()


async def run(minutes: float, box: Signalbox, upstreams: list[Upstream], seed: int) -> int:
    key = await asyncio.to_thread(set_up, box, upstreams)
    before = open_sockets(box.pid)
    soaking = Soak(box, key, seed)
    until = time.monotonic() + minutes * 60
    coming_and_going = [asyncio.create_task(one.go_away_at_times()) for one in upstreams[1:4]]
    clients = [asyncio.create_task(soaking.client(until)) for _ in range(CLIENTS)]
    memory = []
    while time.monotonic() < until:
        await asyncio.sleep(min(60, max(0.1, until - time.monotonic())))
        memory.append(resident_kib(box.pid))
        total = sum(soaking.outcomes.values())
        print(
            f"{len(memory):3} min: {total} requests, {memory[-1] / 1024:.1f} MiB, "
            f"{open_sockets(box.pid)} sockets, {len(soaking.unexplained)} unexplained",
            flush=True,
        )
    await asyncio.gather(*clients)
    for task in coming_and_going:
        task.cancel()
    await soaking.http.aclose()

    problems = [f"unexplained: {what}" for what in sorted(set(soaking.unexplained))]
    counts = await counts_at_rest(box)
    if any(counts):
        problems.append(f"still counted: {counts}")
    # Connections to upstreams that have been idle for a minute are closed once a minute.
    after = open_sockets(box.pid)
    for _ in range(150):
        if after <= before:
            break
        await asyncio.sleep(1)
        after = open_sockets(box.pid)
    else:
        problems.append(f"{after} sockets open, {before} before")
    settled, last = max(memory[: max(1, len(memory) // 5)]), memory[-1]
    if len(memory) >= 10 and last > settled * 1.25:
        problems.append(f"memory grew from {settled} to {last} KiB")
    for outcome, count in sorted(soaking.outcomes.items(), key=lambda item: -item[1]):
        print(f"{count:8} {outcome}")
    print(
        f"{sum(soaking.outcomes.values())} requests, {sum(one.served for one in upstreams)} tries; "
        f"memory {settled / 1024:.1f} MiB early, {last / 1024:.1f} MiB at the end; "
        f"sockets {before} before, {after} after; in flight {counts}"
    )
    for problem in problems:
        print(f"PROBLEM {problem}")
    return 1 if problems else 0


async def counts_at_rest(box: Signalbox) -> list[int]:
    for _ in range(100):
        instances = await asyncio.to_thread(box.get, "/instances")
        counts = [instance["inflight"] for instance in instances["items"]]
        if not any(counts):
            break
        await asyncio.sleep(0.1)
    return counts


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(asyncio.run(soak(float(sys.argv[1]) if len(sys.argv) > 1 else 30, Path(folder))))
