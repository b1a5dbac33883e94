"""What providers answer, in OpenAI's and Anthropic's shapes: whole, or as a stream of events."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

Json = dict[str, Any]

CREATED = 1_790_000_000
AUDIO = bytes(range(256)) * 64
IMAGE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
VECTOR = [0.25, -0.5, 0.75]


def event(data: Json | str, name: str | None = None) -> bytes:
    """One server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def pieces(words: str) -> list[str]:
    """As a model says it: word by word."""
    return [word + " " for word in words.split()[:-1]] + words.split()[-1:]


# /v1/chat/completions

WEATHER = {"id": "call_1", "name": "get_weather", "arguments": '{"city":"Paris"}'}


def chat_usage() -> Json:
    return {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}


def wants_weather(asked: Json) -> bool:
    """A tool is called once: its result is answered with words."""
    names = [tool.get("function", {}).get("name") for tool in asked.get("tools") or []]
    roles = [message["role"] for message in asked["messages"]]
    return WEATHER["name"] in names and "tool" not in roles


def chat(asked: Json, words: str) -> Json:
    message: Json = {"role": "assistant", "content": words, "refusal": None}
    finished = "stop"
    if wants_weather(asked):
        function = {"name": WEATHER["name"], "arguments": WEATHER["arguments"]}
        call = {"id": WEATHER["id"], "type": "function", "function": function}
        message |= {"content": None, "tool_calls": [call]}
        finished = "tool_calls"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finished}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": CREATED,
        "model": asked["model"],
        "choices": [choice],
        "usage": chat_usage(),
    }


def chat_events(asked: Json, words: str) -> list[bytes]:
    def chunk(delta: Json, finished: str | None = None) -> bytes:
        choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finished}]
        return event(whole | {"choices": choices})

    whole = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": asked["model"],
    }
    events = [chunk({"role": "assistant", "content": ""})]
    if wants_weather(asked):
        call = {"index": 0, "id": WEATHER["id"], "type": "function"}
        begun = call | {"function": {"name": WEATHER["name"], "arguments": ""}}
        events.append(chunk({"tool_calls": [begun]}))
        for part in (WEATHER["arguments"][:5], WEATHER["arguments"][5:]):
            more = {"index": 0, "function": {"arguments": part}}
            events.append(chunk({"tool_calls": [more]}))
        events.append(chunk({}, "tool_calls"))
    else:
        events += [chunk({"content": piece}) for piece in pieces(words)]
        events.append(chunk({}, "stop"))
    if (asked.get("stream_options") or {}).get("include_usage"):
        events.append(event(whole | {"choices": [], "usage": chat_usage()}))
    return [*events, event("[DONE]")]


# /v1/completions


def completion(asked: Json, words: str) -> Json:
    choice = {"index": 0, "text": words, "logprobs": None, "finish_reason": "stop"}
    return {
        "id": "cmpl-1",
        "object": "text_completion",
        "created": CREATED,
        "model": asked["model"],
        "choices": [choice],
        "usage": chat_usage(),
    }


def completion_events(asked: Json, words: str) -> list[bytes]:
    whole = completion(asked, "")
    whole.pop("usage")
    texts = [
        event(whole | {"choices": [{"index": 0, "text": piece, "finish_reason": None}]})
        for piece in pieces(words)
    ]
    return [*texts, event(whole), event("[DONE]")]


# /v1/responses


def response(asked: Json, identity: str, words: str) -> Json:
    content = {"type": "output_text", "text": words, "annotations": [], "logprobs": []}
    message = {
        "id": f"msg_of_{identity}",
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": [content],
    }
    return {
        "id": identity,
        "object": "response",
        "created_at": CREATED,
        "status": "completed",
        "background": asked.get("background", False),
        "error": None,
        "incomplete_details": None,
        "instructions": asked.get("instructions"),
        "max_output_tokens": None,
        "model": asked["model"],
        "output": [message],
        "parallel_tool_calls": True,
        "previous_response_id": asked.get("previous_response_id"),
        "reasoning": {"effort": None, "summary": None},
        "store": asked.get("store", True),
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": asked.get("tools", []),
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": {
            "input_tokens": 7,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 12,
        },
        "metadata": asked.get("metadata") or {},
    }


def compacted() -> Json:
    return {
        "id": "cmp_1",
        "object": "response.compaction",
        "created_at": CREATED,
        "output": [],
        "usage": {
            "input_tokens": 7,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 12,
        },
    }


def response_events(made: Json) -> list[bytes]:
    events: list[bytes] = []

    def say(kind: str, **fields: Any) -> None:
        numbered = {"type": kind, "sequence_number": len(events)} | fields
        events.append(event(numbered, kind))

    (message,) = made["output"]
    (content,) = message["content"]
    begun = made | {"status": "in_progress", "output": [], "usage": None}
    item = {"output_index": 0, "item": message | {"status": "in_progress", "content": []}}
    part = {"item_id": message["id"], "output_index": 0, "content_index": 0}
    say("response.created", response=begun)
    say("response.in_progress", response=begun)
    say("response.output_item.added", **item)
    say("response.content_part.added", **part, part=content | {"text": ""})
    for piece in pieces(content["text"]):
        say("response.output_text.delta", **part, delta=piece, logprobs=[])
    say("response.output_text.done", **part, text=content["text"], logprobs=[])
    say("response.content_part.done", **part, part=content)
    say("response.output_item.done", output_index=0, item=message)
    say("response.completed", response=made)
    return events


def input_items(asked: Json, identity: str) -> Json:
    content = [{"type": "input_text", "text": str(asked["input"])}]
    item = {
        "id": f"item_of_{identity}",
        "type": "message",
        "status": "completed",
        "role": "user",
        "content": content,
    }
    ends = {"first_id": item["id"], "last_id": item["id"], "has_more": False}
    return {"object": "list", "data": [item]} | ends


# The others of OpenAI's


def embeddings(asked: Json) -> Json:
    texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
    vector: Any = VECTOR
    if asked.get("encoding_format") == "base64":
        vector = base64.b64encode(struct.pack("<3f", *VECTOR)).decode()
    data = [{"object": "embedding", "index": i, "embedding": vector} for i in range(len(texts))]
    usage = {"prompt_tokens": 4, "total_tokens": 4}
    return {"object": "list", "data": data, "model": asked["model"], "usage": usage}


def moderation(asked: Json) -> Json:
    result = {
        "flagged": False,
        "categories": {"violence": False},
        "category_scores": {"violence": 0.01},
        "category_applied_input_types": {"violence": ["text"]},
    }
    return {"id": "modr-1", "model": asked["model"], "results": [result]}


def images() -> Json:
    return {"created": CREATED, "data": [{"b64_json": base64.b64encode(IMAGE).decode()}]}


def models(names: list[str]) -> Json:
    data = [
        {"id": name, "object": "model", "created": CREATED, "owned_by": "nobody"} for name in names
    ]
    return {"object": "list", "data": data}


def openai_error(kind: str, message: str) -> Json:
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


# Cohere's and vLLM's


def rerank(asked: Json) -> Json:
    """The last document fits best."""
    order = range(len(asked["documents"]) - 1, -1, -1)
    results = [
        {"index": index, "relevance_score": 1 / (place + 1)} for place, index in enumerate(order)
    ]
    return {"id": "rerank-1", "model": asked["model"], "results": results}


def score(asked: Json) -> Json:
    data = [{"index": i, "object": "score", "score": 0.5} for i in range(len(asked["text_2"]))]
    whole = {"id": "score-1", "object": "list", "created": CREATED, "model": asked["model"]}
    return whole | {"data": data, "usage": {"prompt_tokens": 4, "total_tokens": 4}}


# Anthropic's


def message(asked: Json, words: str) -> Json:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked["model"],
        "content": [{"type": "text", "text": words}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "output_tokens": 5},
    }


def message_events(asked: Json, words: str) -> list[bytes]:
    def say(kind: str, **fields: Any) -> bytes:
        return event({"type": kind} | fields, kind)

    begun = message(asked, words) | {"content": [], "stop_reason": None}
    deltas = [{"type": "text_delta", "text": piece} for piece in pieces(words)]
    return [
        say("message_start", message=begun),
        say("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        say("ping"),
        *(say("content_block_delta", index=0, delta=delta) for delta in deltas),
        say("content_block_stop", index=0),
        say(
            "message_delta",
            delta={"stop_reason": "end_turn", "stop_sequence": None},
            usage={"output_tokens": 5},
        ),
        say("message_stop"),
    ]


def anthropic_error(kind: str, message: str) -> Json:
    return {"type": "error", "error": {"type": kind, "message": message}}
