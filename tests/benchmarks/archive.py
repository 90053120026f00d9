"""What an archive costs by its size, how near its answers are to an exact search, and what kills leave of it.

    python -m tests.benchmarks.archive size [--passages 10000 100000] [--url postgresql://…]
    python -m tests.benchmarks.archive kills [--times 20]

The texts are those of `tests.benchmarks.recombined`. For each size: seconds to add all, the most memory, seconds to
add 1,000 more documents and find one, and to open the archive and search (files may be in the system's cache).
Then milliseconds of a search for ten passages, and how many of an exact search's ten it finds. That is BM25
over all passages at once, and all static vectors compared. `kills` ends a process that adds, at moments drawn at
random, and then counts the documents that it had reported. The static encoder is distilled first, not counted.
"""

from __future__ import annotations

import json
import os
import random
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import median

from core.archive import engine
from core.archive.catalogue import Archives
from core.archive.engine import KeptArchive, fused
from core.archive.tables import database
from core.archive.types import NewDocument
from core.retrieval.corpus import corpus_of
from core.retrieval.dense import load_encoder
from core.retrieval.index import Index, distilled
from core.types import Document
from tests.benchmarks.measuring import megabytes, parser_of, timed
from tests.benchmarks.recombined import _lines, source

LINES_A_DOCUMENT = 12
QUERIES, K, POOL = 20, 10, 100
MORE = 1_000


def documents(seed: int = 0) -> Iterator[Document]:
    """Yield documents without end, each of lines of real sentences; no two have one text."""
    lines = _lines(source(0).others, random.Random(seed))
    number = 0
    while True:
        number += 1
        yield Document(f"https://site{number % 50}.invalid/{seed}/{number}", "\n".join(islice(lines, LINES_A_DOCUMENT)))


def enough(passages: int, seed: int = 0) -> Iterator[NewDocument]:
    """Yield documents that have about so many passages."""
    found = 0
    for document in documents(seed):
        if found >= passages:
            return
        found += len(corpus_of([document]))
        yield NewDocument(document)


def opened(url: str, folder: Path, archive_id: str = "") -> KeptArchive:
    archives = Archives(url, folder)
    return archives.open(archive_id or archives.create("benchmark", f"Benchmark {time.time()}").id)


def row(passages: int, url: str, queries: list[str]) -> dict[str, float]:
    """Return the figures of one size."""
    with tempfile.TemporaryDirectory() as name:
        place = url or f"sqlite:///{name}/archives.db"
        archive = opened(place, Path(name))
        _, adding = timed(lambda: archive.add(enough(passages)))
        stats = archive.stats()
        memory = megabytes("self", "VmHWM")
        more = [NewDocument(one) for one in islice(documents(1), MORE)]
        more[-1] = NewDocument(replace(more[-1].document, text="Zanzibar xylophone", digest=""))

        def add_and_find() -> None:
            archive.add(more)
            assert archive.search("Zanzibar xylophone", k=1)[0].version.url == more[-1].document.url

        _, later = timed(add_and_find)
        archive.remove([one.document.url for one in more])
        (_, cold) = timed(lambda: opened(place, Path(name), archive.id).search(queries[0], k=K))
        warm = 1000 * median(timed(lambda query=query: archive.search(query, k=K))[1] for query in queries)
        kept = corpus_of([one.document for one in enough(passages)])
        exact = Index(kept, load_encoder(), static=lambda **_: archive.static)
        return {
            "passages": stats.passages,
            "parts": stats.segments,
            "add all (s)": adding,
            "most memory (MB)": memory,
            "1,000 more, found (s)": later,
            "open and search (s)": cold,
            "search (ms)": warm,
            "of the exact ten": sum(overlap(archive, exact, query) for query in queries) / len(queries),
            "index on disk (MB)": stats.size / 1e6,
        }


def overlap(archive: KeptArchive, exact: Index, query: str) -> float:
    """Return the share of the exact ten passages that the archive finds among its ten."""
    words, meaning = exact.search(query, k=POOL)[0], exact.search_dense(query, k=POOL)[0]
    best = fused([(at, 0, 0) for at in words.tolist()], [(at, 0, 0) for at in meaning.tolist()])
    wanted = list(dict.fromkeys(" ".join(exact.passages[at].text.split()).casefold() for at, *_ in best[: 3 * K]))[:K]
    found = {" ".join(one.text.split()).casefold() for one in archive.search(query, k=K)}
    return len(found & set(wanted)) / len(wanted)


def add_and_report(url: str, folder: Path, archive_id: str, pipe: int, seed: int) -> None:
    """Add documents in small batches, and write the number of those that are confirmed to a pipe; for `kills`."""
    database.cache_clear()  # connections do not outlive a fork
    engine.BATCH_DOCUMENTS, engine.FAN = 40, 4
    added = map(NewDocument, islice(documents(seed), 100_000))
    opened(url, folder, archive_id).add(added, report=lambda done, _: os.write(pipe, f"{done}\n".encode()) and None)


def kills(times: int, url: str) -> dict[str, int]:
    """Kill a process that adds, so many times, and return the numbers of lost and of doubled documents."""
    draw = random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        place = url or f"sqlite:///{name}/archives.db"
        archive = opened(place, Path(name))
        next(documents())  # read the texts before the first fork
        confirmed = lost = twice = 0
        for number in range(times):
            reading, writing = os.pipe()
            if not (child := os.fork()):
                add_and_report(place, Path(name), archive.id, writing, number)
                os._exit(0)
            os.close(writing)
            with os.fdopen(reading) as told:
                heard = [int(told.readline()) for _ in range(draw.randrange(1, 4))]
                time.sleep(draw.random())
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                heard += [int(line) for line in told if line.endswith("\n")]
            confirmed += max(heard)
            stats = opened(place, Path(name), archive.id).stats()
            lost += max(0, confirmed - stats.documents)
            twice = stats.versions - stats.documents
            assert archive.search("the government said on Monday", k=K)
        return {"kills": times, "confirmed": confirmed, "kept": stats.documents, "lost": lost, "twice": twice}


def main() -> None:
    parser = parser_of(__doc__)
    chosen = parser.add_subparsers(dest="what", required=True)
    size, killed = (chosen.add_parser(name) for name in ("size", "kills"))
    size.add_argument("--passages", type=int, nargs="+", default=[10_000, 100_000])
    killed.add_argument("--times", type=int, default=20)
    for each in (size, killed):
        each.add_argument("--url", default="", help="a PostgreSQL database; SQLite without it")
    given = parser.parse_args()
    if given.what == "kills":
        print(json.dumps(kills(given.times, given.url)))
    else:
        queries = [text.split("\n")[0][:200] for text in source(0).others[:QUERIES]]
        for passages in given.passages:
            print(json.dumps(row(passages, given.url, queries)), flush=True)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    distilled()
    main()
