"""The paper's figures of a store: addresses, texts, sentences and tokens a claim; gold evidence by kind."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.annotations import GoldClaim
from core.errors import BadInput, BadRecord
from core.files import json_of
from core.search.addresses import page_key
from core.search.stores.claims import MANIFEST

_TOKEN = re.compile(r"\w+|[^\w\s]")
Row = dict[str, Any]


@dataclass(frozen=True)
class ClaimStats:
    """One claim's store: addresses, those with text, its sentences, and its tokens (words and signs)."""

    claim_id: str
    addresses: int
    with_text: int
    sentences: int
    tokens: int


@dataclass(frozen=True)
class StoreStats:
    """A store's claims; how many rows each kind of query brought, and how much gold evidence each found.

    `gold_found[kind]` counts the gold addresses that a query of that kind found with text, of `gold` in all. The
    manifest names those that have a row of their own; such rows count under "gold".
    """

    claims: tuple[ClaimStats, ...]
    rows: dict[str, int]
    gold: int
    gold_found: dict[str, int]

    def mean(self, name: str) -> float:
        """Return the mean over claims of a field of `ClaimStats`."""
        return float(sum(getattr(claim, name) for claim in self.claims) / len(self.claims))


def store_stats(folder: Path, gold: Sequence[GoldClaim] = ()) -> StoreStats:
    """Return the figures of a store. Raises BadInput if there is none, BadRecord for a broken line."""
    files = sorted(file for file in folder.glob("*.json") if file.name != MANIFEST)
    if not files:
        raise BadInput(f"{folder}: there is no store here, which is a folder of files CLAIM_ID.json.")
    wanted = {claim.id: gold_keys(claim) for claim in gold}
    rows: Counter[str] = Counter()
    found: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    claims = []
    noted = _noted(folder / MANIFEST)
    for file in files:
        stats, of_claim = _claim_stats(file)
        claims.append(stats)
        rows.update(kind for kind, _, _ in of_claim)
        readable = {key for _, key, has_text in of_claim if has_text}
        for kind, keys in noted.get(file.stem, {}).items():
            found[kind] |= {(file.stem, key) for key in readable & wanted.get(file.stem, set()) & set(keys)}
        for kind, key, has_text in of_claim:
            if has_text and key in wanted.get(file.stem, ()):
                found[kind].add((file.stem, key))
    total = sum(len(wanted.get(claim.claim_id, ())) for claim in claims)
    return StoreStats(tuple(claims), dict(rows), total, {kind: len(keys) for kind, keys in found.items() if keys})


def _noted(manifest: Path) -> dict[str, dict[str, list[str]]]:
    """Return the gold pages that each type of query found for each claim, as the builder noted them; {} if it did not.

    Raises BadRecord for a broken manifest.
    """
    if not manifest.is_file():
        return {}
    try:
        noted = json_of(manifest.read_bytes())
        kinds = noted.get("gold_found", {})
        return {claim: {kind: list(keys) for kind, keys in found.items()} for claim, found in kinds.items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise BadRecord(f"{manifest}: this is not the manifest of a store.") from error


def gold_keys(claim: GoldClaim) -> set[str]:
    """Return the pages behind a claim's annotated answers."""
    urls = [answer.url for question in claim.questions for answer in question.answers]
    return {page_key(url) for url in urls if url.strip()}


def _claim_stats(file: Path) -> tuple[ClaimStats, list[tuple[str, str, bool]]]:
    """Return a claim's figures, and of each row its kind, its page, and whether it has text."""
    kinds: list[tuple[str, str, bool]] = []
    sentences = tokens = 0
    for row in _rows(file):
        text = [sentence for sentence in row["url2text"] if isinstance(sentence, str) and sentence.strip()]
        sentences += len(text)
        tokens += sum(len(_TOKEN.findall(sentence)) for sentence in text)
        kinds.append((str(row.get("type", "")), page_key(str(row.get("url", ""))), bool(text)))
    with_text = sum(has_text for _, _, has_text in kinds)
    return ClaimStats(file.stem, len({key for _, key, _ in kinds}), with_text, sentences, tokens), kinds


def _rows(file: Path) -> Iterator[Row]:
    for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
        if line.strip():
            try:
                row = json_of(line)
            except ValueError as error:
                raise BadRecord(f"{file}:{number}: this line is not JSON.") from error
            if not isinstance(row, dict) or not isinstance(row.get("url2text"), list):
                raise BadRecord(f"{file}:{number}: 'url2text' must be a list of sentences.")
            yield row
