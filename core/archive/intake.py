"""Read the documents of a file, a folder, or a feed or sitemap on the web into an archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.archive.feeds import read_feed
from core.archive.types import NewDocument
from core.confined import confined
from core.dates import date_in_url, dated, parse_date
from core.documents.documents import read_files
from core.documents.knowledge_store import printable
from core.errors import BadInput, Cancelled
from core.files import expanded, json_of, read_bounded
from core.http.public_addresses import Allowed, is_public
from core.interfaces import Stop, never
from core.records import parse_records
from core.search.extraction import page_document
from core.search.sources.warc import SUFFIXES as WARC
from core.search.sources.warc import read_warc
from core.search.types import Page
from core.types import Document, is_web_address

MAX_FILE = 300_000_000
MAX_LINE = 64_000_000
FIELDS = {
    "text": ("text", "url2text", "content", "body"),
    "title": ("title", "headline"),
    "date": ("published", "date", "day"),
    "url": ("url", "address", "link"),
}
"""The names of a record's fields, those that count first at the front."""


@dataclass(frozen=True)
class Intake:
    """How places are read. `kind` is given to the documents, `tell` gets a sentence on each that cannot be read.

    `known` returns the time of the last look at an address (see `read_feed`). `pages` is the most pages of a feed, and
    `pause` the seconds between two of them. `allowed` says which internet addresses may be contacted. A file's address
    is its path, and that of a file in `uploads` its name.
    """

    kind: str = ""
    tell: Callable[[str], None] = print
    known: Callable[[str], float | None] = lambda url: None
    stop: Stop = never
    pages: int = 500
    pause: float = 1.0
    allowed: Allowed = is_public
    uploads: Path | None = None

    def read(self, place: str) -> Iterator[NewDocument]:
        """Yield the documents of a place, each file or page when it is asked for. Raises BadInput for no place."""
        if is_web_address(place):
            yield from read_feed(
                place, known=self.known, tell=self.tell, kind=self.kind, stop=self.stop, most=self.pages,
                pause=self.pause, allowed=self.allowed,
            )  # fmt: skip
            return
        path = expanded(Path(place))
        if not path.exists():
            raise BadInput(f"{place}: there is no such file or folder; write a path, or an address with https://.")
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        for file in files:
            name = file.name if self.uploads in file.parents else str(file.absolute())
            if any(part.startswith(".") for part in file.relative_to(path).parts):
                continue
            if self.stop():
                raise Cancelled("Stopped.")
            try:
                yield from self._file(file, name)
            except BadInput as error:
                self.tell(str(error))
            except OSError as error:
                self.tell(f"{name}: it cannot be read ({error.strerror or error}).")

    def _file(self, file: Path, name: str) -> Iterator[NewDocument]:
        suffix = file.suffix.lower()
        if file.name.lower().endswith(WARC):
            for page in read_warc(file):
                yield from self._page(page)
        elif suffix in (".jsonl", ".json") and _begins(file) == b"{":
            yield from self._lines(file, name)
        elif suffix in (".csv", ".tsv", ".json"):
            content = read_bounded(file, MAX_FILE)
            for place, record in parse_records(name, content, csv_columns=("text",)).records:
                yield from self._record(name, place, record)
        else:
            reading = read_files([(name, read_bounded(file, MAX_FILE))])
            for problem in reading.problems:
                self.tell(problem)
            for document in reading.documents:
                yield NewDocument(replace(document, title=document.title or Path(document.url).name), kind=self.kind)

    def _page(self, page: Page) -> Iterator[NewDocument]:
        try:
            document = confined(_page_in, page.url, replace(page, exchange=None), stop=self.stop)
        except BadInput as error:
            self.tell(str(error))
            return
        if document.text.strip():
            captured = page.captured
            known = document if document.published else dated(document, captured, "capture")
            yield NewDocument(known, captured, self.kind)

    def _lines(self, file: Path, name: str) -> Iterator[NewDocument]:
        """Yield the records of JSON lines, one line in memory at a time."""
        with file.open("rb") as lines:
            number = 0
            while line := lines.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise BadInput(f"{name}: line {number} is longer than {MAX_LINE // 1_000_000} MB; split it.")
                if not line.isspace():
                    yield from self._record(name, f"line {number}", _json(line))

    def _record(self, name: str, place: str, record: Any) -> Iterator[NewDocument]:
        try:
            document = document_in(name, record)
        except BadInput as error:
            self.tell(f"{name}: {place} {error}")
            return
        yield NewDocument(document, kind=self.kind)


def document_in(name: str, record: Any) -> Document:
    """Return the document of a record: text, and title, date and url if there are any. Raises BadInput."""
    if not isinstance(record, dict):
        raise BadInput("is no JSON object: each record must be one.")
    given = {field: next((record[key] for key in keys if record.get(key)), "") for field, keys in FIELDS.items()}
    if isinstance(given["text"], list):
        given["text"] = "\n".join(map(str, given["text"]))
    texts = {field: printable(value).strip() if isinstance(value, str) else "" for field, value in given.items()}
    if not texts["text"]:
        raise BadInput(f"has no text: it must be in a field {', '.join(FIELDS['text'])}.")
    made = Document(texts["url"], texts["text"], texts["title"])
    if not made.url:
        made = replace(made, url=f"{name}#{made.digest[:16]}")
    stated = parse_date(texts["date"])
    return dated(made, stated or date_in_url(made.url), "record" if stated else "address")


def _json(line: bytes) -> Any:
    try:
        return json_of(line)
    except ValueError:  # includes UnicodeDecodeError
        return None


def _page_in(name: str, page: Page) -> Document:
    return page_document(page)


def _begins(file: Path) -> bytes:
    with file.open("rb") as content:
        return content.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
