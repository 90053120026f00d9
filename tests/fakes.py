"""Stand-ins for the models, for tests of what happens between them. Tests of the whole use the real models."""

import json
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
from numpy.typing import NDArray

from core.annotations import GoldAnswer, GoldClaim, GoldQuestion
from core.errors import Cancelled
from core.interfaces import ModelIdentity, Schema, Stop, TokenVectors, never
from core.retrieval.dense import DIMENSIONS
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

    def token_vectors(self, texts: Sequence[str], *, stop: Stop = never) -> list[TokenVectors]:
        return [self._pieces(text) for text in texts]

    def _pieces(self, text: str) -> TokenVectors:
        spans = [found.span() for found in re.finditer(r"\S+", text)]
        rows = np.zeros((len(spans), 64), dtype=np.float32)
        for row, (start, end) in zip(rows, spans, strict=True):
            row[zlib.crc32(text[start:end].lower().strip(".,?").encode()) % 64] = 1.0
        return TokenVectors(np.array(spans, dtype=np.int64).reshape(-1, 2), rows)


class SilentEncoder:
    """Encodes every text as nothing, in as many numbers as the bundled encoder: readable features alone decide."""

    identity = ModelIdentity("silent", "0" * 64)

    def __init__(self) -> None:
        self.read: list[str] = []

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        if stop():
            raise Cancelled("Stopped.")
        self.read += texts
        return np.zeros((len(texts), DIMENSIONS), dtype=np.float32)

    def token_vectors(self, texts: Sequence[str], *, stop: Stop = never) -> list[TokenVectors]:
        return []


@dataclass
class ScriptedModel:
    """Writes what it is told to, in order, and remembers what it was asked."""

    script: list[str] = field(default_factory=list)
    likelihoods: tuple[float, ...] = (-3.0, -1.0, -4.0, -5.0)
    context_tokens: int = 2048
    asked: list[Prompt] = field(default_factory=list)
    schemas: list[Schema | None] = field(default_factory=list)
    temperatures: list[float] = field(default_factory=list)
    closed: bool = False

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("scripted", "1" * 64, self.context_tokens)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def generate(
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
        self.temperatures.append(temperature)
        return Completion(prompt, self.said(prompt, seed), 10, 4, 5, 0.01, seed)

    def said(self, prompt: Prompt, seed: int) -> str:
        if self.script:
            return self.script.pop(0)
        passage = prompt[-1].text.partition("Passage: ")[2]
        return f"What of {' '.join(passage.split()[1:4])}?" if passage else "What is known?"

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        self.asked.append(prompt)
        found = np.array(self.likelihoods)
        return found, Completion(prompt, choices[int(found.argmax())], 10, 0, 4, 0.01, 0)

    def close(self) -> None:
        self.closed = True


@dataclass
class Reader(ScriptedModel):
    """A judge that splits answers at full stops and finds a fact where its words stand in the evidence."""

    reply: Callable[[Prompt], str] | None = None
    digest: str = "d" * 64

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("reader", self.digest, self.context_tokens)

    def said(self, prompt: Prompt, seed: int) -> str:
        answer = prompt[-1].text.partition("Answer: ")[2]
        facts = [part.strip() for part in answer.split(".") if part.strip()]
        return self.reply(prompt) if self.reply else json.dumps({"facts": facts})

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        if stop():
            raise Cancelled("stopped")
        self.asked.append(prompt)
        evidence, _, fact = prompt[-1].text.rpartition("\n\n")
        yes = fact.partition(": ")[2].lower() in evidence.lower()
        return np.array([-1.0, -2.0] if yes else [-2.0, -1.0]), Completion(prompt, "", 1, 0, 0, 0.0, 0)


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


class Training:
    """Knows many training claims."""

    def nearest(self, claim: str, *, k: int) -> tuple[GoldClaim, ...]:
        return tuple(
            GoldClaim(
                Claim(f"Claim {n}."), Label.REFUTED, (GoldQuestion(f"Question {n}?", (GoldAnswer(f"Answer {n}."),)),)
            )
            for n in range(k)
        )


class Clock:
    """A clock that a test turns by hand; it tells seconds since 1970."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now
