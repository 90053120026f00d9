"""What a store costs by its size: 1,000, 10,000 and 100,000 passages.

    python -m tests.benchmarks.store_size [--passages 1000 10000 100000] [--json]

The stores are made by `tests.benchmarks.recombined` of a public claim, or of an example. For each size: seconds to cut
the documents, to count and weigh their words, to make all static vectors, to link them with hnswlib and to open the
kept index; milliseconds of a search by words, of one by static vectors, exact and with the links; how many of the exact
ten nearest the links find; and the megabytes on disk. MiniLM encodes only what is compared, so its cost does not grow
with the store. The static encoder is distilled first where this machine has none, which is not counted.
"""

import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from core.documents.knowledge_store import read_store
from core.interfaces import Encoder
from core.retrieval.corpus import corpus_of
from core.retrieval.dense import load_encoder
from core.retrieval.index import Index, distilled
from core.retrieval.kept_index import KeptIndex, open_index
from core.retrieval.static import StaticEncoder
from core.types import Document
from tests.benchmarks.measuring import parser_of, timed
from tests.benchmarks.recombined import Source, source, write_store

TOKENS_A_PASSAGE = 66  # of the recombined stores: two new sentences of three
QUERIES = 20
K = 10


def milliseconds(search: Callable[[str], object], queries: list[str]) -> float:
    """Return the median over the queries."""
    return 1000 * median(timed(partial(search, query))[1] for query in queries)


def documents_of(made_of: Source, passages: int) -> list[Document]:
    """Return the documents of a store with about so many passages."""
    tokens = max(passages * TOKENS_A_PASSAGE, 6_000)
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "store.jsonl"
        write_store(file, made_of, documents=max(tokens // 4_200, len(made_of.own) + 1), tokens=tokens)
        return read_store(file)


def row(
    passages: int, made_of: Source, queries: list[str], encoder: Encoder, static: StaticEncoder
) -> dict[str, float]:
    """Return the figures of one size."""
    documents = documents_of(made_of, passages)
    corpus, cutting = timed(lambda: corpus_of(documents))

    def opened_static(**_: object) -> StaticEncoder:
        return static

    index, counting = timed(lambda: Index(corpus, encoder, static=opened_static))
    _, vectors = timed(lambda: index.search_dense(queries[0], k=K))
    with tempfile.TemporaryDirectory() as name:
        keep = partial(open_index, Path(name), documents, encoder, static=opened_static)
        first = keep()
        first.search_dense(queries[0], k=K)
        _, linking = timed(first.link)
        kept, opening = timed(keep)
        _, opening_links = timed(lambda: kept.search_dense(queries[0], k=K))
        size = sum(file.stat().st_size for file in Path(name).rglob("*") if file.is_file())
        return {
            "passages": len(corpus),
            "cut (s)": cutting,
            "count, weigh (s)": counting,
            "static vectors (s)": vectors,
            "links (s)": linking,
            "open kept (s)": opening,
            "open vectors, links (s)": opening_links,
            "by words (ms)": milliseconds(partial(index.search, k=K), queries),
            "by meaning, exact (ms)": milliseconds(partial(index.search_dense, k=K), queries),
            "by meaning, links (ms)": milliseconds(partial(kept.search_dense, k=K), queries),
            "of the exact ten": recall(index, kept, queries),
            "on disk (MB)": size / 1e6,
        }


def recall(exact: Index, linked: KeptIndex, queries: list[str]) -> float:
    """Return the share of the exact nearest that the links find."""
    nearest = [(exact.search_dense(query, k=K)[0], linked.search_dense(query, k=K)[0]) for query in queries]
    return sum(len(set(one.tolist()) & set(other.tolist())) for one, other in nearest) / (K * len(queries))


def table(rows: list[dict[str, float]]) -> str:
    lines = []
    for name in rows[0]:
        figures = (f"{row[name]:12,.0f}" if name == "passages" else f"{row[name]:12.3f}" for row in rows)
        lines.append(f"{name:26}{''.join(figures)}")
    return "\n".join(lines)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--passages", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--json", action="store_true", help="print one JSON list")
    arguments = parser.parse_args()
    made_of = source(0)
    queries = [text.split("\n")[0][:200] for text in made_of.others[:QUERIES]]
    encoder, static = load_encoder(), distilled()
    rows = [row(passages, made_of, queries, encoder, static) for passages in arguments.passages]
    print(json.dumps(rows) if arguments.json else table(rows))


if __name__ == "__main__":
    main()
