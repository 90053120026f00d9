"""Where time and memory go in a store of the official size: about 593 documents and 2.5 million tokens.

    python -m tests.benchmarks.full_size [--claims 3] [--documents 593] [--tokens 2500000] [--dense] [--json]

The store of each claim is made by `tests.benchmarks.recombined`. Each run is a process of its own, whose peak memory
(resident set) stands beside each stage. "cold" reads, cuts, indexes and searches to ten passages; the models are loaded
before, as in a running app, and shown as a stage that is not added up. "keep" does that with an index that stays on the
disk, and "kept" opens it in a new process: for the claim it was made with, and for the next claim, whose passages were
never asked for. Goals: cold at most 5 s and 2 GB; warm at most 0.5 s. With --dense_first_stage, static vectors of all
passages choose the pool as well. Precision at 10 is the share of the ten from the claim's own documents.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any, TypeVar
from unittest import mock

import core.retrieval.index
from core.documents.knowledge_store import read_store
from core.interfaces import Encoder
from core.retrieval.corpus import corpus_of
from core.retrieval.dense import load_encoder
from core.retrieval.index import Index, distilled, hybrid
from core.retrieval.kept_index import open_index
from core.types import Document
from tests.benchmarks.measuring import parser_of
from tests.benchmarks.recombined import DOCUMENTS, OWN, TOKENS, source, write_store

K = 10
KINDS = ("cold", "keep", "kept")
BEFORE = ("load MiniLM", "load the static vectors")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Stage:
    """What one stage took, and the most memory that the process had taken by its end."""

    name: str
    seconds: float
    cpu_seconds: float
    peak_megabytes: float


class Stopwatch:
    """Times stages one after the other."""

    def __init__(self) -> None:
        self.stages: list[Stage] = []

    def __call__(self, name: str, work: Callable[..., Found], *given: Any, **named: Any) -> Found:
        started, cpu = time.perf_counter(), time.process_time()
        found = work(*given, **named)
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        self.stages.append(Stage(name, seconds, cpu_seconds, peak))
        return found


def measure(kind: str, store: Path, claims: list[str], indexes: Path, dense_first_stage: bool) -> dict[str, Any]:
    """Do one run in this process. `claims` are the store's own claim and another one."""
    watch = Stopwatch()
    encoder = watch("load MiniLM", load_encoder)
    encoder.encode(["warm up"])
    if dense_first_stage:
        watch("load the static vectors", distilled)
    documents = watch("read the file", read_store, store)
    index = cold_index(documents, encoder, watch) if kind == "cold" else watch(
        "open the kept index" if kind == "kept" else "cut, count and write the index",
        partial(open_index, indexes, documents, encoder),
    )  # fmt: skip
    if dense_first_stage:
        watch("search by meaning, first", index.search_dense, claims[0], k=K)
    search = partial(hybrid, index, encoder, k=K, dense_first_stage=dense_first_stage)
    ranking = watch("search to ten passages", search, claims[0])
    if kind == "kept":
        watch("search for another claim", search, claims[1])
        watch("search for that one again", search, claims[1])
    own = sum(hit.passage.document.url.startswith(OWN) for hit in ranking.hits)
    return {
        "passages": len(index.passages),
        "precision_at_10": own / K,
        "stages": [asdict(stage) for stage in watch.stages],
    }


def cold_index(documents: list[Document], encoder: Encoder, watch: Stopwatch) -> Index:
    """Return the index in memory, with the halves of its making timed apart."""
    corpus = watch("cut into passages", corpus_of, documents)
    count, weigh = core.retrieval.index.tokens_of_corpus, core.retrieval.index.LexicalIndex.of
    with (
        mock.patch.object(core.retrieval.index, "tokens_of_corpus", partial(watch, "count the words", count)),
        mock.patch.object(core.retrieval.index.LexicalIndex, "of", partial(watch, "weigh them (BM25 matrix)", weigh)),
    ):
        return Index(corpus, encoder)


def in_process(kind: str, store: Path, claims: list[str], indexes: Path, dense_first_stage: bool) -> dict[str, Any]:
    """Do one run in a new process, so that its memory is its own."""
    given = json.dumps({"kind": kind, "store": str(store), "claims": claims, "indexes": str(indexes)})
    command = [sys.executable, "-m", "tests.benchmarks.full_size", "--run", given]
    done = subprocess.run(command + ["--dense"] * dense_first_stage, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def runs(claims: int, documents: int, tokens: int, dense_first_stage: bool) -> list[dict[str, Any]]:
    found = []
    with tempfile.TemporaryDirectory(prefix="full-size-") as name:
        for claim in range(claims):
            made_of, store = source(claim), Path(name) / f"{claim}.jsonl"
            written = write_store(store, made_of, documents=documents, tokens=tokens, seed=claim)
            asked = [made_of.claim, source(claim + 1).claim]
            indexes = Path(name) / f"indexes-{claim}"
            run = {kind: in_process(kind, store, asked, indexes, dense_first_stage) for kind in KINDS}
            size = sum(file.stat().st_size for file in indexes.rglob("*") if file.is_file())
            found.append({"claim": asked[0], "tokens": written, "index_megabytes": size / 1e6, **run})
            print(f"{claim + 1} of {claims}: cold {total(run['cold']):.2f} s", file=sys.stderr)
    return found


def total(run: dict[str, Any]) -> float:
    """Return the seconds to the first ten passages."""
    names = [stage["name"] for stage in run["stages"]]
    counted = run["stages"][: names.index("search to ten passages") + 1]
    return float(sum(stage["seconds"] for stage in counted if stage["name"] not in BEFORE))


def table(found: list[dict[str, Any]]) -> str:
    """Return medians over the claims: a line a stage, and a total a kind."""
    first = found[0]
    lines = [
        f"{len(found)} stores: {median(run['tokens'] for run in found):,.0f} tokens, "
        f"{median(run['cold']['passages'] for run in found):,.0f} passages; "
        f"index on disk {median(run['index_megabytes'] for run in found):.0f} MB; "
        f"precision at 10: {mean(run['cold']['precision_at_10'] for run in found):.3f}",
        f"{'':6}{'stage':34}{'seconds':>9}{'CPU':>7}{'peak MB':>9}",
    ]
    for kind in KINDS:
        for place, stage in enumerate(first[kind]["stages"]):
            same = [run[kind]["stages"][place] for run in found]
            figures = [median(each[key] for each in same) for key in ("seconds", "cpu_seconds", "peak_megabytes")]
            lines.append(f"{kind:6}{stage['name']:34}{figures[0]:9.3f}{figures[1]:7.2f}{figures[2]:9.0f}")
        lines.append(f"{kind:6}{'to ten passages, without loading':34}{median(total(run[kind]) for run in found):9.3f}")
    return "\n".join(lines)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--claims", type=int, default=3)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--dense", action="store_true", help="static vectors of all passages choose as well")
    parser.add_argument("--json", action="store_true", help="print every figure as JSON")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        given = json.loads(arguments.run)
        print(
            json.dumps(
                measure(given["kind"], Path(given["store"]), given["claims"], Path(given["indexes"]), arguments.dense)
            )
        )
        return
    found = runs(arguments.claims, arguments.documents, arguments.tokens, arguments.dense)
    print(json.dumps(found) if arguments.json else table(found))


if __name__ == "__main__":
    main()
