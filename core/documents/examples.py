"""Load example claims with documents from assets/examples, so that a first visit needs no file.

Titles mark each document as our own short summary of a real page. One document is invented and gives orders to the
model; its title says so. `note` describes the sources; no example states a verdict.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from core.dates import dated
from core.files import ASSETS
from core.types import Claim, Document

FOLDER = ASSETS / "examples"


@dataclass(frozen=True)
class Example:
    """A claim with its documents; `id` is the file's name without suffix."""

    id: str
    title: str
    note: str
    claim: Claim
    documents: tuple[Document, ...]


def examples() -> tuple[Example, ...]:
    """Return the bundled examples in the order of their files' names."""
    return tuple(_example(path) for path in sorted(FOLDER.glob("*.json")))


def examples_json() -> bytes:
    """Return the claims of the bundled examples as the shared task's JSON."""
    rows = [
        {
            "claim_id": one.id,
            "claim": one.claim.text,
            "claim_date": f"{one.claim.date:%d-%m-%Y}" if one.claim.date else "",
        }
        for one in examples()
    ]
    return json.dumps(rows).encode()


def _example(path: Path) -> Example:
    record = json.loads(path.read_text(encoding="utf-8"))
    claim = record["claim"]
    return Example(
        id=path.stem,
        title=record["title"],
        note=record["note"],
        claim=Claim(
            claim["text"],
            speaker=claim.get("speaker", ""),
            date=_date(claim.get("date")),
            source=claim.get("source", ""),
            place=claim.get("place", ""),
        ),
        documents=tuple(
            dated(Document(item["url"], item["text"], item["title"]), _date(item.get("published")), "record")
            for item in record["documents"]
        ),
    )


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
