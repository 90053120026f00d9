"""Search one corpus by words, then by meaning. An index is cold (in memory) or kept (on disk as well)."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.engines.lexical import LexicalIndex
from core.engines.neighbours import NeighbourIndex
from core.errors import BadInput
from core.ports import Encoder, Searcher, Stop, never, silent
from core.types import Hit, Passage, Ranking

FORMAT = 1
"""Raise it when words are counted or files are written in another way: kept indexes are then built again."""

MOST_KEPT = 20
ENCODED_AT_ONCE = 512
WORDS = "words"
VECTORS = "vectors.hnsw"
MANIFEST = "manifest.json"
BUILDING = ".building-"
DAY = 24 * 3600


class Index:
    """A cold index: BM25 over all passages is built at once, vectors when they are asked for."""

    def __init__(self, passages: Sequence[Passage], encoder: Encoder, *, stop: Stop = never) -> None:
        """Index `passages`. Raises Cancelled if `stop` says so."""
        self.passages = passages
        self._encoder = encoder
        self._lexical = LexicalIndex([passage.text for passage in passages], stop=stop)
        self._vectors: dict[int, NDArray[np.float32]] = {}

    def search(self, query: str, *, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """See `Searcher.search`."""
        return self._lexical.search(query, k=k)

    def vectors(self, positions: Sequence[int], *, stop: Stop = never) -> NDArray[np.float32]:
        """See `Searcher.vectors`."""
        missing = sorted(set(positions) - self._vectors.keys())
        encoded = self._encoder.encode([self.passages[position].text for position in missing], stop=stop)
        self._vectors.update(zip(missing, encoded, strict=True))
        return np.array([self._vectors[position] for position in positions]).reshape(-1, encoded.shape[1])


class KeptIndex:
    """An index that lies on disk with the vectors of all its passages; `open_index` opens or builds it."""

    def __init__(self, passages: Sequence[Passage], folder: Path) -> None:
        """Read the index of `passages` from `folder`, whose files must be whole."""
        self.passages = passages
        self._lexical = LexicalIndex.load(folder / WORDS)
        dimensions = json.loads((folder / MANIFEST).read_text())["dimensions"]
        self._neighbours = NeighbourIndex.load(folder / VECTORS, dimensions=dimensions)

    def search(self, query: str, *, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """See `Searcher.search`."""
        return self._lexical.search(query, k=k)

    def vectors(self, positions: Sequence[int], *, stop: Stop = never) -> NDArray[np.float32]:
        """See `Searcher.vectors`."""
        return self._neighbours.vectors(positions)

    def nearest(self, vector: NDArray[np.float32], *, k: int) -> NDArray[np.int64]:
        """Return the positions of the `k` passages whose vectors are nearest to `vector`, nearest first."""
        return self._neighbours.nearest(vector, k=k)


def hybrid(
    searcher: Searcher,
    encoder: Encoder,
    query: str,
    *,
    pool: int = 100,
    k: int = 40,
    lexical_weight: float = 0.4,
    stop: Stop = never,
) -> Ranking:
    """Return up to `k` passages: the best `pool` by BM25, ordered by words and meaning together.

    The order is by cosine + lexical_weight · (BM25 score / best BM25 score); a weight of 0 leaves the cosine
    alone. A kept index adds the `pool` nearest passages of all, which may share no word with the query. A text
    that occurs more than once is one hit.
    """
    vector = encoder.encode([query], stop=stop)[0]
    found, scores = searcher.search(query, k=pool)
    bm25 = dict(zip(found.tolist(), zip(range(1, len(found) + 1), scores.tolist(), strict=True), strict=True))
    near = searcher.nearest(vector, k=pool).tolist() if isinstance(searcher, KeptIndex) else []
    candidates = distinct(searcher.passages, [*bm25, *near])
    cosines = searcher.vectors(candidates, stop=stop) @ vector
    by_words = np.array([bm25[position][1] if position in bm25 else 0.0 for position in candidates])
    mixed = cosines + lexical_weight * by_words / max(by_words.max(initial=0.0), 1e-9)
    dense_rank = np.argsort(np.argsort(-cosines, kind="stable")) + 1
    hits = []
    for rank, index in enumerate(np.argsort(-mixed, kind="stable")[:k].tolist(), start=1):
        bm25_rank, bm25_score = bm25.get(candidates[index], (None, None))
        passage = searcher.passages[candidates[index]]
        hits.append(Hit(passage, rank, bm25_rank, int(dense_rank[index]), bm25_score, float(cosines[index])))
    return Ranking(query, tuple(hits))


def lexical(searcher: Searcher, query: str, *, k: int) -> Ranking:
    """Return the best `k` passages by BM25 alone, without encoding anything. A text that occurs twice is one hit."""
    found, scores = searcher.search(query, k=k)
    kept = distinct(searcher.passages, found.tolist())
    score_of = dict(zip(found.tolist(), scores.tolist(), strict=True))
    hits = (
        Hit(searcher.passages[position], rank, bm25_rank=rank, bm25_score=score_of[position])
        for rank, position in enumerate(kept, start=1)
    )
    return Ranking(query, tuple(hits))


def passage_vectors(
    searcher: Searcher, encoder: Encoder, passages: Sequence[Passage], *, stop: Stop = never
) -> NDArray[np.float32]:
    """Return the unit vectors of passages, shape (len(passages), dimensions).

    Those of the searcher's own passages come from it; others, such as groups of sentences, are encoded.
    """
    wanted = set(passages)
    place = {each: position for position, each in enumerate(searcher.passages) if each in wanted}
    if len(place) < len(wanted):
        return encoder.encode([passage.text for passage in passages], stop=stop)
    return searcher.vectors([place[passage] for passage in passages], stop=stop)


def distinct(passages: Sequence[Passage], positions: Sequence[int]) -> list[int]:
    """Return the first of the positions of each text, whatever its capitals and spaces."""
    first: dict[str, int] = {}
    for position in positions:
        first.setdefault(" ".join(passages[position].text.split()).casefold(), position)
    return list(first.values())


def open_index(
    indexes: Path,
    passages: Sequence[Passage],
    encoder: Encoder,
    *,
    stop: Stop = never,
    report: Callable[[str], None] = silent,
) -> KeptIndex:
    """Return the index of `passages` kept under `indexes`, built first where there is none or it is damaged.

    It is found by a hash of the documents, the passages' borders and the encoder, so none outlives a change.
    Building encodes every passage, about 100 a second on two cores; `report` hears how far that is. The
    MOST_KEPT used last are kept. Raises Cancelled if `stop` says so, BadInput if the disk does not take it or
    there are no passages.
    """
    if not passages:
        raise BadInput("There are no passages to index: none of the documents has any text.")
    folder = indexes / content_key(passages, encoder)[:32]
    if not _whole(folder):
        if folder.exists():
            report("The kept index is damaged and is built again")
        try:
            _build(folder, passages, encoder, stop, report)
        except OSError as error:
            raise BadInput(
                f"The index cannot be kept in {indexes} ({error}): free some space, or search without keeping it."
            ) from error
    os.utime(folder)
    _forget_oldest(indexes)
    return KeptIndex(passages, folder)


def content_key(passages: Sequence[Passage], encoder: Encoder) -> str:
    """Return the SHA-256, in hex, of all that a kept index depends on."""
    key = hashlib.sha256(f"{FORMAT}\n{encoder.identity.name}\n{encoder.identity.digest}\n".encode())
    for passage in passages:
        key.update(f"{passage.document.digest} {passage.start} {passage.end}\n".encode())
    return key.hexdigest()


def _build(
    folder: Path, passages: Sequence[Passage], encoder: Encoder, stop: Stop, report: Callable[[str], None]
) -> None:
    """Write the index beside its place and move it there, so that nobody ever opens half of one."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=BUILDING, dir=folder.parent) as name:
        new = Path(name) / folder.name
        new.mkdir()
        texts = [passage.text for passage in passages]
        LexicalIndex(texts, stop=stop).save(new / WORDS)
        vectors = _encoded(texts, encoder, stop, report)
        NeighbourIndex(vectors).save(new / VECTORS)
        manifest = {"dimensions": vectors.shape[1], "files": _digests(new)}
        (new / MANIFEST).write_text(json.dumps(manifest, indent=1))
        if folder.exists() and not _whole(folder):
            folder.rename(Path(name) / "damaged")
        try:
            new.rename(folder)
        except OSError:
            if not _whole(folder):  # otherwise another process was quicker with the same index
                raise


def _encoded(texts: Sequence[str], encoder: Encoder, stop: Stop, report: Callable[[str], None]) -> NDArray[np.float32]:
    blocks = []
    for start in range(0, len(texts), ENCODED_AT_ONCE):
        report(f"{start:,} of {len(texts):,} passages encoded for the kept index")
        blocks.append(encoder.encode(texts[start : start + ENCODED_AT_ONCE], stop=stop))
    return np.concatenate(blocks)


def _whole(folder: Path) -> bool:
    """Say whether an index is there with every file as it was written."""
    try:
        return bool(json.loads((folder / MANIFEST).read_text())["files"] == _digests(folder))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in `folder` but the manifest, by its path in it."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != MANIFEST)
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _forget_oldest(indexes: Path) -> None:
    """Delete all but the MOST_KEPT indexes used last, and what a killed process left a day ago or earlier.

    An index that is open elsewhere stays usable: it is in memory.
    """
    for folder in indexes.glob(BUILDING + "*"):
        with suppress(FileNotFoundError):  # another process may be done with it by now
            if folder.stat().st_mtime < time.time() - DAY:
                shutil.rmtree(folder, ignore_errors=True)
    kept = [folder for folder in indexes.iterdir() if (folder / MANIFEST).is_file()]
    for folder in sorted(kept, key=lambda folder: folder.stat().st_mtime, reverse=True)[MOST_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
