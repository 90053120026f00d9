"""The rows of a store, in AVeriTeC's form, and the manifest that names their sources."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from core.retrieval.chunking import sentence_spans
from core.search.addresses import page_key
from core.search.crawl import Candidate, Reading, Selection
from core.search.queries import QueryKind
from core.search.stores.claims import StoreClaim
from core.search.text import Duplicates
from core.search.types import Source
from core.search_report import LeftOut, Reason

NO_ROW = frozenset({Reason.LATE, Reason.GIVES_AWAY, Reason.DUPLICATE, Reason.REFUSED})
"""Reasons to leave a page out of a store. Other unreadable pages have a row without text, as in the official stores."""

MAX_FAILURES = 20
"""The most sentences about missing answers in a manifest; the most frequent are first."""

Json = dict[str, Any]


@dataclass(frozen=True)
class StorePlan:
    """How a store is built. `pages` counts the pages of results asked for a query; `same_day` is as in a search."""

    kinds: tuple[QueryKind, ...]
    pages: int = 1
    same_day: bool = True
    seed: int = 0


def each_page_once(
    typed: Sequence[tuple[str, Candidate]], *, without: Sequence[Candidate]
) -> list[tuple[str, Candidate]]:
    """Return each page as the first query that found it names it, and none of `without`."""
    seen = {page_key(candidate.result.url) for candidate in without}
    first: dict[str, tuple[str, Candidate]] = {}
    for kind, candidate in typed:
        first.setdefault(page_key(candidate.result.url), (kind, candidate))
    return [one for key, one in first.items() if key not in seen]


@dataclass
class Chooser:
    """The rows of one claim: each page once, in the order in which it was found."""

    claim_id: str
    rows: list[Json] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    without_text: Counter[str] = field(default_factory=Counter)
    duplicates: Duplicates = field(default_factory=Duplicates)
    keys: dict[str, str] = field(default_factory=dict)

    def take_all(
        self, typed: Sequence[tuple[str, Candidate]], readings: Sequence[Reading], selection: Selection
    ) -> None:
        """Take pages in, or count why they are left out."""
        selection.duplicates, selection.keys = self.duplicates, self.keys
        for (kind, candidate), reading in zip(typed, readings, strict=True):
            before = len(selection.documents)
            selection.take(candidate, reading)
            if len(selection.documents) > before:
                self.add(kind, candidate, selection.documents[-1].text)
            else:
                self.leave(kind, candidate, selection.left_out[-1])

    def add(self, kind: str, candidate: Candidate, text: str) -> None:
        sentences = [text[start:end] for start, end in sentence_spans(text)]
        self.rows.append(
            {
                "claim_id": self.claim_id,
                "type": kind,
                "query": candidate.query,
                "url": candidate.result.url,
                "url2text": sentences,
            }
        )

    def leave(self, kind: str, candidate: Candidate, item: LeftOut) -> None:
        if item.reason in NO_ROW:
            self.left_out[str(item.reason)] += 1
        else:
            self.without_text[str(item.reason)] += 1
            self.add(kind, candidate, "")

    @property
    def counts(self) -> Json:
        with_text = sum(bool(row["url2text"]) for row in self.rows)
        apart = {"left_out": dict(self.left_out), "without_text": dict(self.without_text)}
        return {"rows": len(self.rows), "with_text": with_text, **apart}


def manifest_of(
    folder: Path,
    plan: StorePlan,
    sources: Sequence[Source],
    model: str,
    claims: Sequence[StoreClaim],
    counts: Sequence[Json],
) -> Json:
    """Return a store's manifest: its sources and figures."""
    dates = sorted(str(claim.claim.date) for claim in claims if claim.claim.date)
    files = {f"{claim.id}.json": (folder / f"{claim.id}.json").read_bytes() for claim in claims}
    return {
        "program": "Veridesk 0.1",
        "sources": [{"name": source.name, "place": source.place} for source in sources],
        "kinds": [kind.name for kind in plan.kinds],
        "result_pages": plan.pages,
        "same_day": plan.same_day,
        "seed": plan.seed,
        "model": model or None,
        "claims": len(claims),
        "claim_dates": [dates[0], dates[-1]] if dates else None,
        "rows": sum(count["rows"] for count in counts),
        "with_text": sum(count["with_text"] for count in counts),
        "asked": _summed(count["asked"] for count in counts),
        "failures": dict(Counter(_summed(count["failures"] for count in counts)).most_common(MAX_FAILURES)),
        "left_out": _summed(count["left_out"] for count in counts),
        "without_text": _summed(count["without_text"] for count in counts),
        "gold_found": {claim.id: count.get("gold_found", {}) for claim, count in zip(claims, counts, strict=True)},
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        "built": f"{date.today()}",
    }


def _summed(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return dict(sorted(total.items()))
