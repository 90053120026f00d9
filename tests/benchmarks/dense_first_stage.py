"""Two first stages: BM25, static vectors of every passage, and both fused by reciprocal rank.

    python -m tests.benchmarks.dense_first_stage [--claims 250] [--rerank 20] [--json]

For each public claim of ../shared/data the corpus is as in `tests.benchmarks.retrieval`: its own store, all other
public stores and the haystack. Of the claim's own passages, how many are among the first 10 and 100 of each stage?
And, for the first `--rerank` claims, the precision at 10 after MiniLM has compared a pool of 100: chosen by BM25, and
by both.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from statistics import mean
from typing import Any

from core.retrieval.corpus import Corpus
from core.retrieval.dense import load_encoder
from core.retrieval.index import Index, distilled, hybrid
from core.retrieval.ranking import reciprocal_rank_fusion
from tests.benchmarks.retrieval import Task, tasks

K = 10
POOL = 100


def first_stages(index: Index) -> dict[str, Callable[[str], list[int]]]:
    """Return, by name, what finds the positions of the best POOL passages."""

    def by_words(claim: str) -> list[int]:
        return index.search(claim, k=POOL)[0].tolist()

    def by_meaning(claim: str) -> list[int]:
        return index.search_dense(claim, k=POOL)[0].tolist()

    def fused(claim: str) -> list[int]:
        return reciprocal_rank_fusion([by_words(claim), by_meaning(claim)])[:POOL]

    return {"BM25": by_words, "static vectors": by_meaning, "both, fused": fused}


def share_own(index: Index, task: Task, positions: list[int], *, of: int) -> float:
    """Return how many of `of` passages are the claim's own."""
    return sum(index.passages[position].document.digest in task.own for position in positions) / of


def stages(index: Index, claims: list[Task]) -> dict[str, dict[str, float]]:
    """Return for each first stage its precision at 10, its recall at 100, and milliseconds a search."""
    held = Counter(passage.document.digest for passage in index.passages)
    own = [sum(held[digest] for digest in task.own) for task in claims]
    found = {}
    for name, search in first_stages(index).items():
        started = time.perf_counter()
        ranked = [search(task.claim) for task in claims]
        seconds = (time.perf_counter() - started) / len(claims)
        pairs = list(zip(claims, ranked, own, strict=True))
        found[name] = {
            "precision at 10": mean(share_own(index, task, best[:K], of=K) for task, best, _ in pairs),
            "recall at 100": mean(share_own(index, task, best, of=count) for task, best, count in pairs),
            "milliseconds": 1000 * seconds,
        }
    return found


def reranked(index: Index, claims: list[Task]) -> dict[str, float]:
    """Return the precision at 10 after MiniLM, for either pool."""
    search = partial(hybrid, index, load_encoder(), pool=POOL, k=K)
    return {
        name: mean(
            sum(
                hit.passage.document.digest in task.own
                for hit in search(task.claim, dense_first_stage=dense_first_stage).hits
            )
            / K
            for task in claims
        )
        for name, dense_first_stage in (("BM25", False), ("both, fused", True))
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.dense_first_stage",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--claims", type=int, default=250)
    parser.add_argument("--rerank", type=int, default=20, help="claims whose pools MiniLM compares (default: 20)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    todo = tasks(arguments.claims)
    index = Index(Corpus.of(todo[0].passages), load_encoder())
    distilled()
    started = time.perf_counter()
    index.search_dense("", k=1)
    per_second = len(index.passages) / (time.perf_counter() - started)
    figures: dict[str, Any] = {
        "passages": len(index.passages),
        "static vectors per second": round(per_second),
        "first stages": stages(index, todo),
        f"precision at 10 after MiniLM, {arguments.rerank} claims": reranked(index, todo[: arguments.rerank]),
    }
    print(json.dumps(figures) if arguments.json else json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
