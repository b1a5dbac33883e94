"""A provider that answers as OpenAI and Anthropic do, and remembers what it was asked.

What may never happen it refuses, so that every test notices: a request without the provider's own
credential, one that still carries a key of Signalbox, and one for a model of another name.
"""

from __future__ import annotations

import email
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import answers
from answers import Json
from signalbox import Signalbox

CLIENT_KEY = "sb_"  # how each key of Signalbox begins


def words_of(upstream: str) -> str:
    """All that its models ever say."""
    return f"You are speaking with {upstream} now."


@dataclass
class Part:
    """One part of a multipart body."""

    name: str
    filename: str | None
    kind: str | None
    content: bytes


@dataclass
class Asked:
    """A request, as it arrived."""

    upstream: str
    method: str
    path: str
    query: str
    headers: Message  # names in any case
    body: bytes

    @cached_property
    def json(self) -> Json:
        return json.loads(self.body)

    @cached_property
    def parts(self) -> list[Part]:
        boundary = self.headers.get_boundary()
        assert boundary, self.headers["content-type"]
        _, *parts, end = (b"\r\n" + self.body).split(b"\r\n--" + boundary.encode())
        assert end.strip() == b"--"
        return [self._part(part) for part in parts]

    @staticmethod
    def _part(text: bytes) -> Part:
        head, _, content = text.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        headers = email.message_from_bytes(head)
        name = headers.get_param("name", header="content-disposition")
        kind = headers["content-type"]
        return Part(str(name), headers.get_filename(), kind, content)

    @property
    def form(self) -> dict[str, Part]:
        return {part.name: part for part in self.parts}

    @property
    def is_form(self) -> bool:
        return self.headers.get_content_type() == "multipart/form-data"

    @property
    def fields(self) -> Json:
        """What a form says in words, as JSON would."""
        texts = (part for part in self.parts if part.filename is None)
        return {part.name: part.content.decode() for part in texts}

    @property
    def said(self) -> Json:
        return self.fields if self.is_form else self.json

    @property
    def answered(self) -> str:
        """The words of whoever was asked."""
        return words_of(self.upstream)


@dataclass
class Answer:
    """Several pieces are sent one by one."""

    pieces: list[bytes]
    kind: str = "application/json"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    breaks: bool = False  # in its middle


def whole(body: Json, status: int = 200) -> Answer:
    return Answer([json.dumps(body).encode()], status=status)


def stream(events: list[bytes]) -> Answer:
    return Answer(events, "text/event-stream")


class Record:
    """What all upstreams were asked, in the order of arrival."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.upstreams: list[Upstream] = []
        # Closed, it holds every answer of several pieces in its middle.
        self.gate = threading.Event()
        self.gate.set()

    def clear(self) -> None:
        self.asked.clear()

    def one(self, path: str) -> Asked:
        """The only request that arrived."""
        (asked,) = self.asked
        assert asked.path == path, asked.path
        return asked

    @contextmanager
    def held(self) -> Iterator[Callable[[], None]]:
        """Within, answers stop in their middle, until released."""
        self.gate.clear()
        try:
            yield self.gate.set
        finally:
            self.gate.set()


class Upstream:
    """One server that serves one model; an instance of a provider."""

    def __init__(
        self, name: str, model: str, record: Record, kind: str = "openai", provider: str = ""
    ) -> None:
        self.name = name
        self.model = model
        self.record = record
        self.kind = kind
        self.provider = provider or name
        self.secret = f"credential-of-{self.provider}"
        # What a test wants to be the answer to whatever comes.
        self.trouble: Answer | None = None
        self._made: dict[str, tuple[Json, Json]] = {}  # responses, and what had been asked
        self._numbers = itertools.count(1)
        handler = type("Handler", (_Handler,), {"upstream": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        record.upstreams.append(self)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def words(self) -> str:
        return words_of(self.name)

    def answer(self, asked: Asked) -> Answer:
        is_anthropic = self.kind == "anthropic"
        given = asked.headers["x-api-key" if is_anthropic else "authorization"]
        if CLIENT_KEY in f"{asked.headers}{asked.query}":
            return self._error(400, "invalid_request_error", "A client's key came along.")
        if given != (self.secret if is_anthropic else f"Bearer {self.secret}"):
            return self._error(401, "authentication_error", "This is not my credential.")
        if asked.body and asked.said.get("model") != self.model:
            return self._error(404, "not_found_error", f"There is only {self.model} here.")
        return self.trouble or self._served(asked)

    def _served(self, asked: Asked) -> Answer:
        streamed = bool(asked.body) and asked.said.get("stream") in (True, "true")
        match asked.method, *asked.path.split("/")[1:]:
            case "POST", "v1", "chat", "completions":
                if streamed:
                    return stream(answers.chat_events(asked.json, self.words))
                return whole(answers.chat(asked.json, self.words))
            case "POST", "v1", "completions":
                if streamed:
                    return stream(answers.completion_events(asked.json, self.words))
                return whole(answers.completion(asked.json, self.words))
            case "POST", "v1", "responses":
                return self._respond(asked.json, streamed)
            case "POST", "v1", "responses", "compact":
                return whole(answers.compacted())
            case "POST", "v1", "responses", "input_tokens":
                return whole({"object": "response.input_tokens", "input_tokens": 7})
            case _, "v1", "responses", identity, *rest:
                return self._made_before(asked, identity, rest)
            case "POST", "v1", "messages":
                if streamed:
                    return stream(answers.message_events(asked.json, self.words))
                return whole(answers.message(asked.json, self.words))
            case "POST", "v1", "messages", "count_tokens":
                return whole({"input_tokens": 7})
            case "POST", "v1", "embeddings":
                return whole(answers.embeddings(asked.json))
            case "POST", "v1", "moderations":
                return whole(answers.moderation(asked.json))
            case "POST", "v1", "images", "generations" | "edits" | "variations":
                return whole(answers.images())
            case "POST", "v1", "audio", "speech":
                half = len(answers.AUDIO) // 2
                return Answer([answers.AUDIO[:half], answers.AUDIO[half:]], "audio/mpeg")
            case "POST", "v1", "audio", "transcriptions" | "translations":
                return self._transcribe(asked.fields)
            case "POST", "v1", "rerank":
                return whole(answers.rerank(asked.json))
            case "POST", "v1", "score":
                return whole(answers.score(asked.json))
            case "GET", "v1", "models":
                return whole(answers.models([self.model]))
        return self._error(404, "not_found_error", f"No {asked.method} {asked.path} here.")

    def _respond(self, asked: Json, streamed: bool) -> Answer:
        before = asked.get("previous_response_id")
        if before and before not in self._made:
            return self._error(404, "not_found_error", f"No response {before} here.")
        identity = f"resp_{self.name}_{next(self._numbers)}"
        made = answers.response(asked, identity, self.words)
        if made["store"]:
            self._made[identity] = made, asked
        return stream(answers.response_events(made)) if streamed else whole(made)

    def _made_before(self, asked: Asked, identity: str, rest: list[str]) -> Answer:
        made, made_of = self._made.get(identity, ({}, {}))
        match asked.method, *rest:
            case _ if not made:
                pass
            case ("GET",) if "stream=true" in asked.query:
                return stream(answers.response_events(made))
            case ("GET",):
                return whole(made)
            case ("DELETE",):
                del self._made[identity]
                return whole({"id": identity, "object": "response.deleted", "deleted": True})
            case "POST", "cancel":
                made["status"] = "cancelled"
                return whole(made)
            case "GET", "input_items":
                return whole(answers.input_items(made_of, identity))
        return self._error(404, "not_found_error", f"No response {identity} here.")

    def _transcribe(self, fields: Json) -> Answer:
        if fields.get("response_format") == "text":
            return Answer([self.words.encode()], "text/plain; charset=utf-8")
        if fields.get("stream") == "true":
            kind = "transcript.text"
            deltas = [
                answers.event({"type": f"{kind}.delta", "delta": piece})
                for piece in answers.pieces(self.words)
            ]
            return stream([*deltas, answers.event({"type": f"{kind}.done", "text": self.words})])
        return whole({"text": self.words})

    def _error(self, status: int, kind: str, message: str) -> Answer:
        shape = answers.anthropic_error if self.kind == "anthropic" else answers.openai_error
        return whole(shape(kind, message), status)


def register(box: Signalbox, *instances: Upstream, max_inflight: int | None = None) -> None:
    """Makes a provider of them."""
    one = instances[0]
    box.post(
        "/providers",
        {
            "name": one.provider,
            "kind": one.kind,
            "instances": [{"url": each.url, "max_inflight": max_inflight} for each in instances],
            "credentials": [{"secret": one.secret}],
            "models": [{"name": one.model}],
        },
    )


def target(upstream: Upstream) -> Json:
    """As a route names it."""
    return {"provider": upstream.provider, "model": upstream.model}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    upstream: Upstream

    def _serve(self) -> None:
        path, _, query = self.path.partition("?")
        asked = Asked(self.upstream.name, self.command, path, query, self.headers, self._body())
        self.upstream.record.asked.append(asked)
        self._send(self.upstream.answer(asked))

    do_GET = do_POST = do_DELETE = do_HEAD = _serve

    def _body(self) -> bytes:
        if self.headers["transfer-encoding"] != "chunked":
            return self.rfile.read(int(self.headers["content-length"] or 0))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("content-type", answer.kind)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        match answer.pieces:
            case [body]:
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            case pieces:
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                for index, piece in enumerate(pieces):
                    if index == len(pieces) // 2:
                        if answer.breaks:
                            self.close_connection = True
                            return
                        self.upstream.record.gate.wait(timeout=60)
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        pass
