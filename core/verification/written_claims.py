"""Claims in free words about documents, written for Veridesk in `assets/claims`; some of them measure readers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadRecord
from core.files import ASSETS
from core.retrieval.chunking import MAX_CHARACTERS, sentence_spans
from core.types import Document, Passage, Span

CLAIMS = ASSETS / "claims"
LABELS = ("for", "against", "neither")
"""The answers of a document to a claim, in the order of a reader's three classes."""

CALIBRATING = {"en": "w5", "de": "de", "fr": "fr", "es": "es"}
"""The writers of the claims that measure a chosen reader, by language. The built-in reader has learned from none."""

FEW_CLAIMS, MOST_CLAIMS = 40, 120
"""How many claims a measurement in English reads at first, and on request."""

FOREIGN_CLAIMS = 20
"""How many claims a measurement in another language reads."""

MOST_SENTENCES = 9


@dataclass(frozen=True)
class ClaimOnDocument:
    """A claim on a document, and its answer.

    label: its place in LABELS. evidence: the characters of the document that give the answer.
    """

    claim: str
    document: Document
    label: int
    kind: str
    evidence: tuple[Span, ...]
    writer: str


def read_written(writers: Sequence[str], folder: Path = CLAIMS) -> list[ClaimOnDocument]:
    """Return the claims of some writers. Raises BadRecord where a file is no set of claims."""
    return [one for writer in writers for one in _read(folder / f"{writer}.jsonl", writer)]


def _read(path: Path, writer: str) -> Iterator[ClaimOnDocument]:
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            document = Document(row["id"], row["text"], row["title"])
            for one in row["claims"]:
                evidence = tuple((at := row["text"].index(said), at + len(said)) for said in one["evidence"])
                yield ClaimOnDocument(one["claim"], document, LABELS.index(one["label"]), one["kind"], evidence, writer)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecord(f"{path} holds no written claims ({error}).") from error


@dataclass(frozen=True)
class CalibrationClaim:
    """A claim, a passage that settles it or leaves it open, and its answer: the place in LABELS."""

    claim: str
    passage: Passage
    label: int


def few_claims(language: str) -> int:
    """Return how many claims a measurement in a language reads at first."""
    return FEW_CLAIMS if language == "en" else FOREIGN_CLAIMS


def calibration_claims(count: int, language: str = "en") -> list[CalibrationClaim]:
    """Return up to MOST_CLAIMS claims that measure a reader, the labels in turn; fewer are the first of more."""
    by_document: dict[str, list[CalibrationClaim]] = {}
    for one in read_written([CALIBRATING[language]]):
        if passage := _around(one):
            by_document.setdefault(one.document.url, []).append(CalibrationClaim(one.claim, passage, one.label))
    found: list[CalibrationClaim] = []
    for claims in [*by_document.values()] * MOST_CLAIMS:
        wanted = len(found) % len(LABELS)
        if chosen := next((one for one in claims if one.label == wanted), None):
            claims.remove(chosen)
            found.append(chosen)
    return found[: min(count, MOST_CLAIMS)]


def _around(one: ClaimOnDocument) -> Passage | None:
    """Return the sentences from the first to the last with evidence, and both neighbours; None if they are too long."""
    spans = sentence_spans(one.document.text)
    held = [at for at, (start, end) in enumerate(spans) if any(a < end and start < b for a, b in one.evidence)]
    if not held:
        return None
    chosen = spans[max(0, held[0] - 1) : held[-1] + 2]
    passage = Passage(one.document, chosen[0][0], chosen[-1][1])
    fits = len(chosen) <= MOST_SENTENCES and passage.end - passage.start <= MAX_CHARACTERS
    return passage if fits else None
