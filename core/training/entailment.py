"""Read the sets of passages and claims in `shared/data/entailment`, and say which rows are held out for measuring."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput, BadRecord
from core.verification.written_claims import LABELS

HELD_OUT = {"fever_symmetric": 1, "fm2": 5, "scifact": 5, "negnli": 5, "mnli_dev": 20}
"""One claim in this many is held out of a set without a dev split of its own."""

ENDING = ".jsonl.gz"


@dataclass(frozen=True)
class LabelledPair:
    """A passage and a claim, the place in LABELS of their relation, and the set they belong to."""

    premise: str
    claim: str
    label: int
    source: str


def read_sets(folder: Path, names: Sequence[str]) -> tuple[list[LabelledPair], list[LabelledPair]]:
    """Return the pairs to learn from and the pairs to measure on, of the sets that are named.

    Raises BadInput for a set that is not there, BadRecord for a row that is no pair.
    """
    train: list[LabelledPair] = []
    dev: list[LabelledPair] = []
    for name in names:
        for pair, held in _rows(folder / f"{name}{ENDING}", name):
            (dev if held else train).append(pair)
    return train, dev


def set_names(folder: Path) -> list[str]:
    """Return the names of the sets in a folder. Raises BadInput if there are none."""
    names = sorted(path.name.removesuffix(ENDING) for path in folder.glob(f"*{ENDING}"))
    if not names:
        raise BadInput(f"{folder} holds no {ENDING} files: name the folder of the entailment sets with --data.")
    return names


def _rows(path: Path, name: str) -> Iterator[tuple[LabelledPair, bool]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    row = json.loads(line)
                    pair = LabelledPair(row["premise"], row["claim"], LABELS.index(row["label"]), name)
                    yield pair, row["split"] == "dev" or _held_out(pair.claim, name)
                except (ValueError, KeyError, TypeError) as error:
                    raise BadRecord(
                        f"{path}:{number}: a row needs premise, claim, label and split ({error})."
                    ) from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from error


def drawn(pairs: Sequence[LabelledPair], each: int, *, seed: int = 0) -> list[LabelledPair]:
    """Return up to `each` pairs of each set and label."""
    groups: dict[tuple[str, int], list[LabelledPair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.source, pair.label].append(pair)
    chance = random.Random(seed)
    return [pair for _, group in sorted(groups.items()) for pair in chance.sample(group, min(each, len(group)))]


def halves(pairs: Sequence[LabelledPair]) -> tuple[list[LabelledPair], list[LabelledPair]]:
    """Return held-out pairs in two halves by their claims: the stance classifier is fitted on one, measured on one."""
    first = [pair for pair in pairs if zlib.crc32(pair.claim.encode()) % 2 == 0]
    return first, [pair for pair in pairs if zlib.crc32(pair.claim.encode()) % 2]


def _held_out(claim: str, name: str) -> bool:
    """Say whether a claim is held out: by its words, so that all its passages are."""
    return name in HELD_OUT and zlib.crc32(claim.encode()) % HELD_OUT[name] == 0
