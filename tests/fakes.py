"""Stand-ins for the engines, for tests of what happens between them. Tests of the whole use the real models."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
from numpy.typing import NDArray

from core.ports import ModelIdentity, Schema, Stop, never
from core.types import Claim, Completion, Document, Label, Prompt


class WordEncoder:
    """Encodes a text as the unit vector of its words' hashes: texts that share words are close."""

    identity = ModelIdentity("words", "0" * 64)

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        self.encoded += texts
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[zlib.crc32(word.strip(".,?").encode()) % 64] += 1.0
            row /= np.linalg.norm(row) or 1.0
        return rows


@dataclass
class ScriptedWriter:
    """Writes what it is told to, in order, and remembers what it was asked."""

    script: list[str] = field(default_factory=list)
    likelihoods: tuple[float, ...] = (-3.0, -1.0, -4.0, -5.0)
    context_tokens: int = 2048
    asked: list[Prompt] = field(default_factory=list)
    schemas: list[Schema | None] = field(default_factory=list)

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("scripted", "1" * 64, self.context_tokens)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def write(
        self,
        prompt: Prompt,
        *,
        schema: Schema | None = None,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
        stop: Stop = never,
    ) -> Completion:
        self.asked.append(prompt)
        self.schemas.append(schema)
        text = self.script.pop(0) if self.script else "What is known?"
        return Completion(prompt, text, 10, 4, 5, 0.01, seed)

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        self.asked.append(prompt)
        return np.array(self.likelihoods), Completion(prompt, choices[1], 10, 0, 4, 0.01, 0)


TOWER = Claim("The tower was finished in 1889.", speaker="A guide", date=date(2020, 5, 1), id="7")

DOCUMENTS = (
    Document("https://example.org/tower", "The tower was finished in 1889. It stands in Paris.", "The tower"),
    Document("https://example.org/paint", "The tower is painted every seven years.", published=date(2019, 1, 2)),
    Document("https://example.net/bridge", "The bridge was finished in 1937."),
)

PROBABILITIES = {Label.SUPPORTED: 0.6, Label.REFUTED: 0.3, Label.NOT_ENOUGH_EVIDENCE: 0.06, Label.CONFLICTING: 0.04}


def joint_answer(pairs: list[tuple[str, str, int]]) -> str:
    """Return what a model writes under the schema of the joint answer."""
    ratings = {"supported": 4, "refuted": 2, "not_enough_evidence": 1, "conflicting_evidence": 1}
    listed = [{"question": question, "answer": answer, "source": source} for question, answer, source in pairs]
    return json.dumps({"pairs": listed, "ratings": ratings})


class Clock:
    """A clock that a test turns by hand; it tells seconds since 1970."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now
