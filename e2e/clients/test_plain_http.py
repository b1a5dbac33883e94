"""What no SDK does: rerank, score, a look whether somebody is there, and forms in any order."""

from __future__ import annotations

import json
import random
import subprocess
import urllib.request
from pathlib import Path

import pytest

from signalbox import Signalbox
from upstream import Record

ROUTE = "everyday"
QUESTION = "What does a signal box do?"
DOCUMENTS = ["It bakes bread.", "It sets routes."]
BOUNDARY = b"a-boundary-of-our-own"
# No proxy of the machine's stands between us and loopback.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Client:
    def __init__(self, box: Signalbox, key: str) -> None:
        self.box = box
        self.key = key

    def post(self, path: str, body: bytes, kind: str = "application/json") -> bytes:
        headers = {"authorization": f"Bearer {self.key}", "content-type": kind}
        request = urllib.request.Request(self.box.url + path, body, headers)
        with OPENER.open(request, timeout=60) as answer:
            return answer.read()


@pytest.fixture
def client(signalbox: Signalbox, key: str) -> Client:
    return Client(signalbox, key)


def test_somebody_is_at_home(signalbox: Signalbox) -> None:
    """Claude Code looks, without a key, before its first request."""
    for method in ("HEAD", "GET"):
        look = urllib.request.Request(signalbox.url, method=method, headers={"accept": "*/*"})
        with OPENER.open(look, timeout=60) as answer:
            assert answer.status == 200


@pytest.mark.parametrize("path", ["/v1/rerank", "/v2/rerank"])  # Cohere's clients ask at the second
def test_rerank(client: Client, record: Record, path: str) -> None:
    asked = {"model": ROUTE, "query": QUESTION, "documents": DOCUMENTS, "top_n": 2}
    answer = json.loads(client.post(path, json.dumps(asked).encode()))
    assert [result["index"] for result in answer["results"]] == [1, 0]
    assert record.one("/v1/rerank").json | {"model": ROUTE} == asked


def test_score(client: Client, record: Record) -> None:
    asked = {"model": ROUTE, "text_1": QUESTION, "text_2": DOCUMENTS}
    answer = json.loads(client.post("/v1/score", json.dumps(asked).encode()))
    assert [result["score"] for result in answer["data"]] == [0.5, 0.5]
    assert record.one("/v1/score").json | {"model": ROUTE} == asked


def field(name: str, value: str) -> bytes:
    head = f'content-disposition: form-data; name="{name}"'
    return b"--%s\r\n%s\r\n\r\n%s\r\n" % (BOUNDARY, head.encode(), value.encode())


def file(content: bytes) -> bytes:
    head = b'content-disposition: form-data; name="file"; filename="a \xe2\x99\xab.wav"'
    return b"--%s\r\n%s\r\ncontent-type: audio/wav\r\n\r\n%s\r\n" % (BOUNDARY, head, content)


@pytest.mark.parametrize("size", [200, 3_000_000, 30_000_000])
@pytest.mark.parametrize("model", ["first", "last"])
def test_a_file_arrives_as_it_is(client: Client, record: Record, model: str, size: int) -> None:
    # Nearly a boundary, where one that is read in pieces may be taken for the end.
    content = random.Random(size).randbytes(size) + b"\r\n--" + BOUNDARY[:-1] + b"\r\n--\r\n"
    parts = [field("model", ROUTE), field("language", "en"), file(content)]
    if model == "last":
        parts.reverse()
    body = b"".join(parts) + b"--%s--\r\n" % BOUNDARY
    kind = f"multipart/form-data; boundary={BOUNDARY.decode()}"

    answer = json.loads(client.post("/v1/audio/transcriptions", body, kind))

    asked = record.one("/v1/audio/transcriptions")
    assert answer["text"] == asked.answered
    form = asked.form
    assert [part.name for part in asked.parts] == ["model", "language", "file"][
        :: 1 if model == "first" else -1
    ]
    assert form["language"].content == b"en"
    assert form["file"].kind == "audio/wav"
    # Compared aside: pytest would show how two that are this long differ.
    is_the_same = form["file"].content == content
    assert is_the_same


@pytest.mark.parametrize("coding", ["", "transfer-encoding: chunked"])
def test_curl_sends_a_file(
    signalbox: Signalbox, key: str, record: Record, tmp_path: Path, coding: str
) -> None:
    """As each maker's documentation shows it: the file first, and asking before so much is sent."""
    recording = tmp_path / "speech.wav"
    recording.write_bytes(random.Random(1).randbytes(3_000_000))
    command = ["curl", "-sS", "--fail", "--noproxy", "*", "--max-time", "60", "-H", coding]
    command += ["-H", f"authorization: Bearer {key}", "-F", f"file=@{recording}"]
    command += ["-F", f"model={ROUTE}", f"{signalbox.url}/v1/audio/transcriptions"]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    asked = record.one("/v1/audio/transcriptions")
    assert json.loads(ran.stdout)["text"] == asked.answered
    assert asked.form["file"].filename == "speech.wav"
    is_the_same = asked.form["file"].content == recording.read_bytes()
    assert is_the_same
