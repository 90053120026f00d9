"""Read the documents of a file, a folder, or a feed or sitemap on the web into an archive."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from core.archive.feeds import read_feed
from core.archive.file_readers import FileReaders, Unread
from core.archive.types import NewDocument
from core.dates import date_in_url, dated, parse_date
from core.documents.knowledge_store import printable
from core.errors import BadInput, Cancelled
from core.files import check_regular, expanded, json_of, read_bounded
from core.http.public_addresses import Allowed, is_public
from core.interfaces import Stop, never
from core.records import parse_records
from core.search.sources.warc import SUFFIXES as WARC
from core.search.sources.warc import read_warc
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


Stamp = tuple[int, int, int]
"""Two times of a file's change, in nanoseconds, and its bytes. All are 0 before the file is read."""


@dataclass
class FilesSeen:
    """The files of read folders, by path. `listed` counts those in each folder that was listed to the end.

    Files with the stamp that they had `before` are not read.
    """

    before: Mapping[str, Stamp] = field(default_factory=dict)
    stamps: dict[str, Stamp] = field(default_factory=dict)
    listed: dict[str, int] = field(default_factory=dict)

    def has(self, url: str) -> bool:
        """Say whether an address is a file, a record in one (FILE#…) or a file in a ZIP (FILE/…)."""
        files = {url, url.rpartition("#")[0], *map(str, PurePath(url).parents)}
        return not files.isdisjoint(self.stamps)


@dataclass(frozen=True)
class Intake:
    """How places are read. `kind` is given to the documents, `tell` gets a sentence on each that cannot be read.

    `known` returns the time of the last look at an address (see `read_feed`). `pages` is the most pages of a feed, and
    `pause` the seconds between two of them. `allowed` says which internet addresses may be contacted. A file's address
    is its path, and that of a file in `uploads` its name. `seen` gets the files of folders.
    """

    kind: str = ""
    tell: Callable[[str], None] = print
    known: Callable[[str], float | None] = lambda url: None
    stop: Stop = never
    pages: int = 500
    pause: float = 1.0
    allowed: Allowed = is_public
    uploads: Path | None = None
    seen: FilesSeen = field(default_factory=FilesSeen)
    readers: FileReaders = field(default_factory=FileReaders)

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
        for documents, problems in self.readers.in_order(self._found(path), self.stop):
            for problem in problems:
                self.tell(problem)
            for one in documents:
                yield replace(one, kind=self.kind)

    def _found(self, path: Path) -> Iterator[NewDocument | Unread]:
        """Yield the documents of records, and other files unread."""
        for file in self._files(path) if path.is_dir() else [path]:
            if self.stop():
                raise Cancelled("Stopped.")
            name = file.name if self.uploads in file.parents else address_of_file(file)
            try:
                stamp = stamp_of(file)
                if stamp != self.seen.before.get(name):
                    yield from self._file(file, name)
                self.seen.stamps[name] = stamp
            except BadInput as error:
                self.tell(str(error))
                if not isinstance(error.__cause__, OSError):  # else the next reading may succeed
                    self.seen.stamps[name] = stamp
            except OSError as error:
                self.tell(f"{name}: it cannot be read ({error.strerror or error}).")

    def _files(self, folder: Path) -> list[Path]:
        """Return the files in a folder, hidden ones left out, and note them as seen."""
        refused: list[OSError] = []
        found = []
        for parent, folders, names in os.walk(folder, onerror=refused.append):
            folders[:] = [name for name in folders if not name.startswith(".")]
            found += [Path(parent, name) for name in names if not name.startswith(".")]
        for error in refused:
            self.tell(f"{error.filename}: this folder cannot be read ({error.strerror}).")
        self.seen.stamps.update({address_of_file(file): (0, 0, 0) for file in found})
        if not refused:
            self.seen.listed[address_of_file(folder)] = len(found)
        return sorted(found)

    def _file(self, file: Path, name: str) -> Iterator[NewDocument | Unread]:
        check_regular(file)
        suffix = file.suffix.lower()
        if file.name.lower().endswith(WARC):
            yield from (replace(page, exchange=None) for page in read_warc(file))
        elif suffix in (".jsonl", ".json") and _begins(file) == b"{":
            yield from self._lines(file, name)
        elif suffix in (".csv", ".tsv", ".json"):
            content = read_bounded(file, MAX_FILE)
            for place, record in parse_records(name, content, csv_columns=("text",)).records:
                yield from self._record(name, place, record)
        else:
            yield name, read_bounded(file, MAX_FILE)

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
        yield NewDocument(document)


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


def address_of_file(path: Path) -> str:
    """Return the address of a file's document: its whole path, with signs that a database takes."""
    return printable(str(path.absolute()))


def stamp_of(file: Path) -> Stamp:
    found = file.stat()
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size


def _json(line: bytes) -> Any:
    try:
        return json_of(line)
    except ValueError:  # includes UnicodeDecodeError
        return None


def _begins(file: Path) -> bytes:
    with file.open("rb") as content:
        return content.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
