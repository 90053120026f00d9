"""WARC files on this machine: pages that a newsroom, or Veridesk itself, has kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from core.dates import parse_date
from core.errors import BadInput
from core.files import expanded
from core.retrieval.lexical import LexicalIndex
from core.search.extraction import page_document
from core.search.types import Capabilities, Page, ResultPage, SearchFailure, SearchResult

PAGE_SIZE = 10
MAX_BYTES = 10_000_000
SUFFIXES = (".warc", ".warc.gz")


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
    """Yield the pages of a WARC file that were answered with 200. Raises BadInput if it is broken."""
    from warcio.archiveiterator import ArchiveIterator

    try:
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                answered = record.http_headers if record.rec_type == "response" else None
                if answered and answered.get_statuscode() == "200":
                    yield _page(record)
    except Exception as error:  # warcio lets AttributeError, ValueError and more out of broken files
        raise BadInput(f"{file}: this WARC file is broken and cannot be read to its end.") from error


def _page(record) -> Page:  # type: ignore[no-untyped-def]  # warcio has no types
    kind, _, charset = (record.http_headers.get_header("Content-Type") or "").partition(";")
    return Page(
        record.rec_headers.get_header("WARC-Target-URI") or "",
        record.content_stream().read(MAX_BYTES),
        kind.strip().lower(),
        charset.partition("charset=")[2].strip("\" '"),
        published=parse_date(record.rec_headers.get_header("WARC-Veridesk-Published") or ""),
        date_source=record.rec_headers.get_header("WARC-Veridesk-Date-Source") or "",
        captured=parse_date(record.rec_headers.get_header("WARC-Date") or ""),
    )


def _text(page: Page) -> str:
    try:
        return page_document(page).text
    except BadInput:
        return ""
