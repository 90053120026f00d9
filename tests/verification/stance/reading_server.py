"""A server that answers the calibration claims, rightly or in one of many wrong ways."""

import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.interfaces import Stop, never
from core.types import Passage
from core.verification.stance.chosen_reader import NEITHER, PassageReading, ReaderIdentity, reading
from core.verification.written_claims import CALIBRATING, LABELS, MOST_CLAIMS, calibration_claims
from tests.llm.local_server import Asked, LocalServer, events, local_server

CLAIMS = {one.claim: one for language in CALIBRATING for one in calibration_claims(MOST_CLAIMS, language)}


@dataclass
class Answers:
    """How a server answers: the share of right sides, its manner, and its name for the system behind it.

    `manner` is "weighs", "silent on weights", "refuses weights", "strays", "over-long", "fails", "invents".
    `truth` are the sides of claims beyond the calibration claims, `asked` counts the prompts about passages. `verdict`
    is the letter for questions and answers. Answers wait while `answering` is not set.
    """

    right: float = 0.9
    manner: str = "weighs"
    system: str = "first"
    truth: dict[str, int] = field(default_factory=dict)
    reason: str = "The passage says otherwise."
    verdict: str = "B"
    asked: int = 0
    answering: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.answering.set()

    def __call__(self, asked: Asked, body: dict[str, Any]) -> None:
        prompt = body["messages"][-1]["content"]
        about = {"model": "small", "system_fingerprint": self.system}
        judges = "Which verdict" in prompt
        if not judges and not body["messages"][0]["content"].startswith("You compare a passage"):
            schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
            written = json.dumps(instance_of(schema)) if schema else "What is known about the trains of Veldersruh?"
            asked.json({**about, "choices": [{"message": {"content": written}, "finish_reason": "stop"}]})
            return
        if "Say why" in prompt:
            events(json.dumps({"reason": self.reason}))(asked, body)
            return
        self.asked += 1
        self.answering.wait(300)
        claim = prompt.partition("Claim: ")[2].partition("\n")[0]
        side = self._side(claim)
        letter = self.verdict if judges else "ABC"[side]
        if self.manner == "fails":
            asked.json({"error": {"message": "out of memory"}}, status=500)
        elif body.get("logprobs") and self.manner == "refuses weights":
            asked.json({"error": {"message": "logprobs is not supported"}}, status=400)
        elif body.get("logprobs"):
            first = str(self._sentence(claim, prompt)) if "number alone" in prompt else letter
            weighed = {"content": [{"top_logprobs": self._weights(first)}]} if self.manner == "weighs" else None
            asked.json({**about, "choices": [{"logprobs": weighed, "message": {"content": first}}]})
        else:
            events(self._text(claim, prompt, side), finish="length" if self.manner == "over-long" else "stop")(
                asked, body
            )

    def _weights(self, first: str) -> list[dict[str, Any]]:
        rest = [token for token in "ABC123456789" if token != first]
        return [{"token": first, "logprob": -0.2}, *({"token": token, "logprob": -4.0} for token in rest)]

    def _side(self, claim: str) -> int:
        """Return the right side in a share of `right`, else another, the same for one claim each time."""
        chance = random.Random(claim)
        truth = self.truth[claim] if claim in self.truth else CLAIMS[claim].label
        others = [side for side in range(len(LABELS)) if side != truth]
        return truth if chance.random() < self.right else chance.choice(others)

    def _sentence(self, claim: str, prompt: str) -> int:
        """Return the number of the last sentence."""
        return prompt.partition("\n\nClaim: ")[0].count("\n[")

    def _text(self, claim: str, prompt: str, side: int) -> str:
        if self.manner == "strays":
            return "I would rather speak of the weather."
        if "Which verdict" in prompt:
            return json.dumps({"letter": self.verdict})
        lines = prompt.partition("Passage:\n")[2].partition("\n\nClaim: ")[0].splitlines()
        quoted = "These words are nowhere in it at all." if self.manner == "invents" else max(lines, key=len)
        return json.dumps({"sentence": quoted, "answer": LABELS[side]})


def instance_of(schema: dict[str, Any], number: int = 0) -> Any:
    """Return a value of a schema: as few items as it allows, and texts that look like questions."""
    if "enum" in schema:
        return schema["enum"][-1]
    if schema["type"] == "object":
        return {key: instance_of(one, number) for key, one in schema["properties"].items()}
    if schema["type"] == "array":
        return [instance_of(schema["items"], place) for place in range(schema.get("minItems", 1))]
    words = ("trains", "towns", "rivers", "years", "stops", "lines", "bridges", "roads")
    return f"What is known about the {words[number % len(words)]} of Veldersruh?"


@dataclass(frozen=True)
class Careful:
    """Stands for the built-in reader, which takes seconds: right in .4 of the sides, wrong in .1, else silent."""

    encoder: object = None

    @property
    def identity(self) -> ReaderIdentity:
        return ReaderIdentity("the built-in reader", "0" * 64)

    def read(self, claim: str, passage: Passage, *, stop: Stop = never) -> PassageReading:
        chance, label = random.Random(f"built-in {claim}").random(), CLAIMS[claim].label
        side = NEITHER if label == NEITHER or chance > 0.5 else label if chance < 0.4 else 1 - label
        return reading(np.log([0.7 if side == place else 0.15 for place in range(3)]), None, time.perf_counter())


@contextmanager
def reading_server(answers: Answers) -> Iterator[LocalServer]:
    """Run a server that answers so while the block lasts."""
    with local_server() as server:
        server.answers["/v1/chat/completions"] = answers
        yield server
