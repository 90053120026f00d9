"""A dossier as a collection: made once, opened for every claim.

    python -m tests.benchmarks.dossier --store haystack.jsonl [--documents 200]

Keeps the first documents of a knowledge store as a collection, and says how many seconds it takes to keep them, to
build their index, and (median of ten) to open both again, as each claim does.
"""

from __future__ import annotations

import argparse
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

from core.documents.collections import Collection, Collections
from core.documents.knowledge_store import read_store
from core.interfaces import Encoder
from core.retrieval.dense import load_encoder
from core.retrieval.kept_index import KeptIndex, open_index
from tests.benchmarks.measuring import timed

TIMES = 10


def opened(here: Collections, kept: Collection, indexes: Path, encoder: Encoder) -> KeptIndex:
    """Read a collection's documents and open their index, as every claim does."""
    return open_index(indexes, here.documents(kept), encoder, name=kept.name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=200)
    args = parser.parse_args()
    documents = read_store(args.store)[: args.documents]
    encoder = load_encoder()
    with tempfile.TemporaryDirectory() as folder:
        here = Collections(Path(folder) / "collections")
        kept, keeping = timed(partial(here.keep, "anna", "Dossier", documents))
        again = partial(opened, here, kept, Path(folder) / "indexes", encoder)
        index, building = timed(again)
        opening = median(timed(again)[1] for _ in range(TIMES))
    characters = sum(len(document.text) for document in documents)
    print(f"{len(documents)} documents, {len(index.passages):,} passages, {characters:,} characters")
    print(f"kept in {keeping:.2f} s, indexed in {building:.2f} s, opened in {opening:.3f} s")


if __name__ == "__main__":
    main()
