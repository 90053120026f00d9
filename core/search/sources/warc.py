"""WARC files on this machine: pages that a newsroom, or Veridesk itself, has kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from core.dates import parse_date
from core.errors import BadInput
from core.files import expanded
from core.retrieval.lexical import LexicalIndex
from core.search.extraction import page_document
from core.search.types import Capabilities, HttpExchange, Page, ResultPage, SearchFailure, SearchResult

PAGE_SIZE = 10
MAX_BYTES = 10_000_000
SUFFIXES = (".warc", ".warc.gz")
PUBLISHED, DATE_SOURCE, CAPTURED = (f"WARC-Veridesk-{name}" for name in ("Published", "Date-Source", "Captured"))
"""The headers of a page's own dates; `WARC-Date` is the time of reading."""
AS_SENT = "X-Orig-"
"""Before the names of headers that describe the body as it was sent; a record holds it unpacked."""


@dataclass(frozen=True)
class Warc:
    """The pages of WARC files, searched by BM25; of several copies of an address the last one before the claim."""

    path: Path
    pages: tuple[Page, ...]
    title: str = "WARC files"
    name: str = "warc"
    can = Capabilities(dated=True, longest_query=2000, page_size=PAGE_SIZE, pause=0.0)

    @property
    def place(self) -> str:
        return self.path.name

    def search(self, query: str, page: int, before: date | None) -> ResultPage | SearchFailure:
        start = page * PAGE_SIZE
        order = self._ranked(query)
        best = [self.pages[at] for at in order if self._is_last(self.pages[at], before)]
        shown = best[start : start + PAGE_SIZE]
        return ResultPage(
            tuple(SearchResult(found.url, page=found) for found in shown), more=len(best) > start + PAGE_SIZE
        )

    def _ranked(self, query: str) -> list[int]:
        positions, _ = self._index.search(query, k=len(self.pages))
        return [int(position) for position in positions]

    @cached_property
    def _index(self) -> LexicalIndex:
        return LexicalIndex([_text(page) for page in self.pages])

    @cached_property
    def _captures(self) -> dict[str, list[date]]:
        captures: dict[str, list[date]] = defaultdict(list)
        for page in self.pages:
            captures[page.url].append(page.captured or date.min)
        return captures

    def _is_last(self, page: Page, before: date | None) -> bool:
        """Say whether this is the last copy of its address before a day, or the first where all are later."""
        days = self._captures[page.url]
        early = [day for day in days if before is None or day < before]
        return (page.captured or date.min) == (max(early) if early else min(days))


def warc(address: str) -> Warc:
    """Open a WARC file or a folder of them. Raises BadInput if there is none or one cannot be read."""
    path = expanded(Path(address))
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.name.endswith(SUFFIXES))
    if not address or not files:
        raise BadInput(f"{address or 'warc'}: there is no WARC file; name one, or a folder, as warc=/folder.")
    pages = {(page.url, page.captured): page for file in files for page in read_warc(file)}
    if not pages:
        raise BadInput(f"{path}: no page was found in this WARC file.")
    return Warc(path, tuple(pages.values()))


def read_warc(file: Path) -> Iterator[Page]:
    """Yield the pages of a WARC file: answers with status 200, and resources. Raises BadInput if it is broken.

    The answer of an API that a resource refers to is no page of its own.
    """
    from warcio.archiveiterator import ArchiveIterator

    try:
        with file.open("rb") as stream:
            yield from _pages(ArchiveIterator(stream))
    except Exception as error:  # warcio lets AttributeError, ValueError and more out of broken files
        raise BadInput(f"{file}: this WARC file is broken and cannot be read to its end.") from error


def _pages(records: Iterable[Any]) -> Iterator[Page]:
    answer, answer_id = None, ""  # the last answer, until it is known whether its request or a resource follows
    for record in records:
        belongs = bool(answer) and record.rec_headers.get_header("WARC-Concurrent-To") == answer_id
        if belongs and answer and answer.exchange and record.rec_type == "request" and record.http_headers:
            answer = replace(answer, exchange=replace(answer.exchange, sent=tuple(record.http_headers.headers)))
            continue
        if answer and not (belongs and record.rec_type == "resource"):
            yield answer
        if record.rec_type == "resource" and _is_page(record):
            yield replace(_page(record), exchange=answer.exchange if answer and belongs else None)
        answered = record.rec_type == "response" and record.http_headers
        answer = _page(record) if answered and record.http_headers.get_statuscode() == "200" else None
        answer_id = record.rec_headers.get_header("WARC-Record-ID") or ""
    if answer:
        yield answer


def _is_page(record: Any) -> bool:
    """Say whether a resource is a page: other programs keep pictures and logs as resources too."""
    return str(record.rec_headers.get_header("WARC-Target-URI") or "").startswith(("http://", "https://", "zim://"))


def _page(record: Any) -> Page:
    headers, http = record.rec_headers, record.http_headers
    said = http.get_header("Content-Type") if http else headers.get_header("Content-Type")
    kind, _, charset = (said or "").partition(";")
    url, written = headers.get_header("WARC-Target-URI") or "", headers.get_header("WARC-Date") or ""
    body = record.content_stream().read(MAX_BYTES)
    return Page(
        url,
        body,
        kind.strip().lower(),
        charset.partition("charset=")[2].strip("\" '"),
        published=parse_date(headers.get_header(PUBLISHED) or ""),
        date_source=headers.get_header(DATE_SOURCE) or "",
        captured=parse_date(headers.get_header(CAPTURED) or written),
        exchange=_exchange(url, written, http, body) if http else None,
    )


def _exchange(url: str, written: str, http: Any, body: bytes) -> HttpExchange | None:
    try:
        at = datetime.fromisoformat(written).astimezone(UTC).replace(microsecond=0)
    except ValueError:
        return None
    received = tuple((name.removeprefix(AS_SENT), value) for name, value in http.headers)
    return HttpExchange(url, at, int(http.get_statuscode()), (), received, body)


def _text(page: Page) -> str:
    try:
        return page_document(page).text
    except BadInput:
        return ""
