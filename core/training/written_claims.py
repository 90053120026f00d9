"""Claims in free words about documents, written for Veridesk in `assets/claims`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadRecord
from core.files import ASSETS
from core.training.entailment import LABELS
from core.types import Document, Span

CLAIMS = ASSETS / "claims"
LEARNT = ("w1", "w2", "w3", "w4", "w6", "w7")
"""The writers of the claims that the reader learns from."""

MEASURED = ("w5",)
"""Claims by this writer choose between ways to learn, and the thresholds."""

UNSEEN = ("w8", "w9")
"""Claims by these two are only looked at once, at the end."""


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
