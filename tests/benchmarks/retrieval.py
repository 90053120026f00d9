"""Retrieval as Veridesk does it beside the published components, in one run on the same passages.

    python -m tests.benchmarks.retrieval [--claims 50] [--published-claims 5] [--json]

For each public claim the corpus is its own store, all other public stores and the haystack of ../shared/data.
Ours: `Index` and `hybrid` of core.retrieval.index. Published: nltk word_tokenize and rank_bm25 over all passages, then
the cosine of the best 1,500 by the same MiniLM in float32. Each starts cold for every claim: tokenising, indexing,
search and re-ranking are timed; reading, cutting into passages and loading the model are shared and are not.
Precision at 10 is the share of the ten passages whose document is in the claim's own store. A document whose text
occurs in several stores is read once, as `verify` does: else one passage, found many times, would count many times.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from core.documents.knowledge_store import read_store
from core.interfaces import Encoder
from core.retrieval.chunking import passages
from core.retrieval.dense import bundled_folder, load_encoder
from core.retrieval.index import Index, hybrid
from core.types import Passage
from tests.benchmarks.measuring import DATA, parser_of

K = 10
PUBLISHED_POOL = 1500
Retriever = Callable[[str, Sequence[Passage]], list[Passage]]


@dataclass(frozen=True)
class Task:
    """A claim, the passages to search, its own store's first, and the digests of its own documents."""

    claim: str
    passages: tuple[Passage, ...]
    own: frozenset[str]


@dataclass(frozen=True)
class Figure:
    """What one claim took, in seconds, and how many of the retrieved ten are the claim's own.

    `cpu_seconds` add up over the cores; they vary less than `seconds` on a machine that others use.
    """

    seconds: float
    cpu_seconds: float
    precision: float


def tasks(count: int) -> list[Task]:
    """Return the first `count` public claims with their corpora."""
    folder = DATA / "averitec"
    claims = [record["claim"] for record in json.loads((folder / "dev_public.json").read_text())]
    stores = [read_store(folder / "knowledge_store" / f"{number}.json") for number in range(len(claims))]
    haystack = read_store(folder / "haystack.jsonl")
    windows: dict[str, list[Passage]] = {}
    for document in chain(*stores, haystack):
        if document.digest not in windows:
            windows[document.digest] = passages(document)
    made = []
    for number, claim in enumerate(claims[:count]):
        own = dict.fromkeys(document.digest for document in stores[number])
        corpus = chain.from_iterable(windows[digest] for digest in own | dict.fromkeys(windows))
        made.append(Task(claim, tuple(corpus), frozenset(own)))
    return made


def ours(encoder: Encoder) -> Retriever:
    def retrieve(claim: str, corpus: Sequence[Passage]) -> list[Passage]:
        ranking = hybrid(Index(corpus, encoder), encoder, claim, k=K)
        return [hit.passage for hit in ranking.hits]

    return retrieve


def published() -> Retriever:
    import nltk
    import torch
    from rank_bm25 import BM25Okapi
    from sentence_transformers import SentenceTransformer

    nltk.data.path.append(str(DATA / "nltk_data"))
    cores = len(os.sched_getaffinity(0))
    model = SentenceTransformer(str(bundled_folder()), device="cpu", local_files_only=True)
    model.encode(["warm up"])

    def retrieve(claim: str, corpus: Sequence[Passage]) -> list[Passage]:
        torch.set_num_threads(cores)  # torch's default, which our encoder sets to 1 for the whole process
        texts = [passage.text for passage in corpus]
        bm25 = BM25Okapi([nltk.word_tokenize(text) for text in texts])
        scores = bm25.get_scores(nltk.word_tokenize(claim))
        pool = np.argsort(-scores, kind="stable")[:PUBLISHED_POOL]
        vectors = model.encode([texts[index] for index in pool], normalize_embeddings=True, show_progress_bar=False)
        cosines = vectors @ model.encode(claim, normalize_embeddings=True)
        torch.set_num_threads(1)
        return [corpus[pool[index]] for index in np.argsort(-cosines, kind="stable")[:K]]

    return retrieve


def measure(retrieve: Retriever, task: Task) -> Figure:
    started, cpu_started = time.perf_counter(), time.process_time()
    found = retrieve(task.claim, task.passages)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    return Figure(seconds, cpu_seconds, sum(passage.document.digest in task.own for passage in found) / K)


def summary(figures: Sequence[Figure]) -> dict[str, float]:
    seconds = [figure.seconds for figure in figures]
    return {
        "claims": len(figures),
        "median_seconds": round(float(np.median(seconds)), 3),
        "p95_seconds": round(float(np.percentile(seconds, 95)), 3),
        "median_cpu_seconds": round(float(np.median([figure.cpu_seconds for figure in figures])), 3),
        "precision_at_10": round(float(np.mean([figure.precision for figure in figures])), 4),
    }


def run(claims: int, published_claims: int) -> dict[str, Any]:
    """Return the figures of both; the ratio and the fair comparison are over the claims that both retrieved for."""
    todo = tasks(claims)
    encoder = load_encoder()
    ours_retrieve, published_retrieve = ours(encoder), published()
    encoder.encode(["warm up"])
    our_figures, their_figures = [], []
    for number, task in enumerate(todo):
        our_figures.append(measure(ours_retrieve, task))
        if number < published_claims:
            their_figures.append(measure(published_retrieve, task))
        print(f"{number + 1} of {len(todo)}: {our_figures[-1]}", *their_figures[number:], file=sys.stderr)
    same = our_figures[: len(their_figures)]
    pairs = list(zip(same, their_figures, strict=True))
    result: dict[str, Any] = {"passages": len(todo[0].passages), "encoder": encoder.identity.name}
    result["ours"] = summary(our_figures)
    if their_figures:
        result |= {"ours_on_the_same": summary(same), "published": summary(their_figures)}
        result["times_faster"] = round(float(np.median([b.seconds / a.seconds for a, b in pairs])), 1)
        result["times_less_cpu"] = round(float(np.median([b.cpu_seconds / a.cpu_seconds for a, b in pairs])), 1)
    return result


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--claims", type=int, default=50, help="public claims to retrieve for")
    parser.add_argument("--published-claims", type=int, default=5, help="how many of them the published way too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    result = run(arguments.claims, arguments.published_claims)
    if arguments.json:
        print(json.dumps(result))
        return
    print(f"{result['passages']:,} passages, {result['encoder']}")
    for name in ("ours", "ours_on_the_same", "published"):
        if name in result:
            print(f"{name:18}", "  ".join(f"{key} {value}" for key, value in result[name].items()))
    if "times_faster" in result:
        print(f"times faster: {result['times_faster']}, in CPU seconds: {result['times_less_cpu']} (medians)")


if __name__ == "__main__":
    main()
