"""The vocabulary of an archive: documents with versions, filters, findings, figures, and the interface of an engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from core.types import Document

PREFIX = "archive:"
"""The beginning of an archive's address, which a request names among its stores; its id follows."""
MAX_NAME = 100
MOST_COUNTED = 1_000


class Readers(StrEnum):
    """Who may read an archive: its owner, those who opened its link, or everybody on the server."""

    PERSON = "person"
    TEAM = "team"
    EVERYBODY = "everybody"


@dataclass(frozen=True)
class ArchiveEntry:
    """One archive in a list. `created` is in seconds since 1970, `generation` counts its published changes."""

    id: str
    owner: str
    name: str
    readers: Readers
    created: float
    generation: int

    @property
    def address(self) -> str:
        return f"{PREFIX}{self.id}"


@dataclass(frozen=True)
class NewDocument:
    """A document to add. `seen` is the day on which its address had this text, if known. `kind` is the owner's word."""

    document: Document
    seen: date | None = None
    kind: str = ""


@dataclass(frozen=True)
class Version:
    """One text of an address. It was there from `since` until the day before `until`; None means unknown or now.

    `source` is its host, or the folder of a file. `looked` is the time at which it was added, or last found on the web,
    in seconds since 1970.
    """

    number: int
    url: str
    title: str
    digest: str
    published: date | None
    since: date | None
    until: date | None
    source: str
    kind: str
    looked: float


@dataclass(frozen=True)
class Filters:
    """The searched part: the versions of the day `before`, of these hosts, of these kinds; empty for all.

    Without a day the newest versions are searched.
    """

    before: date | None = None
    sources: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


EVERYTHING = Filters()


@dataclass(frozen=True)
class Found:
    """A passage of a version: characters `start` to `end` of its text. Ranks count from 1; None where not found."""

    version: Version
    start: int
    end: int
    text: str
    word_rank: int | None
    meaning_rank: int | None


@dataclass(frozen=True)
class Added:
    """The result of an addition: new documents, new versions of known ones, known texts, and problems in sentences.

    `gone` counts documents that ended, because their files are gone.
    """

    new: int = 0
    changed: int = 0
    known: int = 0
    problems: tuple[str, ...] = ()
    gone: int = 0

    def __add__(self, other: Added) -> Added:
        return Added(
            self.new + other.new,
            self.changed + other.changed,
            self.known + other.known,
            self.problems + other.problems,
            self.gone + other.gone,
        )


@dataclass(frozen=True)
class Stats:
    """The figures of an archive; `size` is in bytes.

    `kinds` and `sources` count documents, most first, and have up to MOST_COUNTED lines.
    """

    documents: int
    versions: int
    passages: int
    undated: int
    first: date | None
    last: date | None
    segments: int
    size: int
    kinds: tuple[tuple[str, int], ...]
    sources: tuple[tuple[str, int], ...]


Report = Callable[[int, int], None]
"""Gets the documents done and their total, 0 if unknown."""


def silent(done: int, total: int) -> None:
    """Ignore a report."""
