"""The commands on archives: add, sync, remove, stats and search."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from core.actions.action import Action, ActionContext
from core.actions.fields import BadField, Between, Choices, Help, OptionName, Place, Reads
from core.archive.types import Added, ArchiveEntry, Filters, Found, NewDocument, Readers, Stats
from core.errors import BadInput, Cancelled, VerideskError
from core.files import expanded
from core.types import is_web_address
from core.wording import counted, readable_name, size_words

if TYPE_CHECKING:
    from core.archive.engine import KeptArchive
    from core.archive.file_readers import FileReaders
    from core.archive.intake import FilesSeen
    from core.tabular.table import Table

NAME = Annotated[str, Place("ARCHIVE"), Help("its name or id")]
Scheduler = Annotated[str, OptionName(metavar="ADDRESS"), Help("have files read on a Dask cluster: tcp://host:8786")]
MAX_TOLD = 20
"""The problems of an addition that are kept; more are only counted."""
WATCH_SECONDS = 1.0


@dataclass(frozen=True)
class Add:
    """Add files, folders and feeds to an archive, which is made if there is none of this name."""

    archive: NAME
    places: Annotated[
        tuple[str, ...],
        Place("PLACE"),
        Reads(),
        Help("files or folders (PDF, Word, HTML, text, CSV, JSON lines, WARC, ZIP), or a feed or sitemap as https://…"),
    ]
    kind: Annotated[str, Help("the kind of these documents in a word, such as article or minutes")] = ""
    replace: Annotated[bool, Help("delete the former versions of documents that changed")] = False
    readers: Annotated[str, Choices([str(one) for one in Readers]), Help("who may read a new archive")] = str(
        Readers.EVERYBODY
    )
    pages: Annotated[int, Between(1, 100_000), Help("the most pages of a feed or sitemap")] = 500
    scheduler: Scheduler = ""


@dataclass(frozen=True)
class Sync:
    """Read the folders and feeds of an archive again, for new, changed and removed documents."""

    archive: NAME
    places: Annotated[tuple[str, ...], Reads(), Help("folders and feeds to read now and at every later sync")] = ()
    kind: Annotated[str, Help("the kind of the documents of these places")] = ""
    forget: Annotated[tuple[str, ...], Reads(), Help("places to read no more; their documents stay")] = ()
    every: Annotated[
        float | None, Between(0.01, 10_080), Help("go on, and look again after this number of minutes")
    ] = None
    pages: Annotated[int, Between(1, 100_000), Help("the most pages of a feed or sitemap")] = 500
    scheduler: Scheduler = ""


@dataclass(frozen=True)
class Remove:
    """Delete documents with all of their versions, or a whole archive."""

    archive: NAME
    urls: Annotated[tuple[str, ...], Help("the addresses of the documents")] = ()
    below: Annotated[tuple[str, ...], Reads(), Help("a folder, a file or https://SITE: all of its documents")] = ()
    whole: Annotated[bool, Help("delete the archive itself")] = False


@dataclass(frozen=True)
class ArchiveFigures:
    """Show the figures of one archive, or list all."""

    archive: Annotated[str, Place("ARCHIVE"), Help("its name or id; all are listed without it")] = ""


@dataclass(frozen=True)
class Search:
    """Search an archive by words and by meaning."""

    archive: NAME
    query: Annotated[str, Place("WORDS"), Help("a claim or a few words")]
    before: Annotated[date | None, Help("the versions of this day; the newest without it")] = None
    sources: Annotated[tuple[str, ...], Help("only documents of these hosts or folders")] = ()
    kinds: Annotated[tuple[str, ...], Help("only documents of these kinds")] = ()
    first: Annotated[int, Between(1, 1000), Help("the most passages")] = 10

    @property
    def filters(self) -> Filters:
        return Filters(self.before, self.sources, self.kinds)


@dataclass(frozen=True)
class Addition:
    """The result of an addition to the archive `name`, and its seconds. `problems` counts also those not shown."""

    name: str
    added: Added
    problems: int
    seconds: float


@dataclass(frozen=True)
class Removal:
    """The number of deleted versions; `whole` says that the archive itself is gone."""

    name: str
    versions: int
    whole: bool


def fill(
    entry: ArchiveEntry,
    places: Sequence[tuple[str, str]],
    context: ActionContext,
    *,
    replace: bool = False,
    pages: int = 500,
    uploads: Path | None = None,
    seen: FilesSeen | None = None,
    scheduler: str = "",
) -> Addition:
    """Add the documents of places, each with its kind, and return the result. `uploads` is as of `Intake`.

    With `seen`, documents of deleted files end (see `end_gone`). The workers of a Dask `scheduler` read the files, or
    processes here without one. Raises as `KeptArchive.add`, `readers_at` and `Intake`.
    """
    from core.archive.catalogue import own_archives
    from core.archive.file_readers import readers_at
    from core.archive.intake import FilesSeen, Intake

    archive, begun = own_archives().open(entry.id), time.monotonic()
    problems: list[str] = []
    unread, files = 0, seen or FilesSeen()

    def tell(problem: str) -> None:
        nonlocal unread
        unread += 1
        if unread <= MAX_TOLD:
            problems.append(problem)
            context.tell(problem)

    def known(url: str) -> float | None:
        return max((one.looked for one in archive.versions(url)), default=None)

    def documents(readers: FileReaders) -> Iterator[NewDocument]:
        intake = Intake("", tell, known, context.stop, pages, uploads=uploads, seen=files, readers=readers)
        for place, kind in places:
            context.begin(place)
            try:
                yield from replaced(intake, kind=kind).read(place)
            except BadInput as error:  # a site that is down stops none of the others
                if len(places) == 1:
                    raise
                tell(str(error))

    with readers_at(scheduler) as readers:
        added = archive.add(
            documents(readers), replace=replace, stop=context.stop, report=context.advance, tell=context.tell
        )
    gone = end_gone(archive, seen, tell) if seen else 0
    shown = replaced(added, problems=(*problems, *added.problems)[:MAX_TOLD], gone=gone)
    return Addition(entry.name, shown, unread + len(added.problems), time.monotonic() - begun)


def end_gone(archive: KeptArchive, seen: FilesSeen, tell: Callable[[str], None]) -> int:
    """End the documents of files that are gone from listed folders; return their number. Raises as `KeptArchive.add`.

    An empty folder ends nothing: its disk may be away.
    """
    gone: list[str] = []
    for folder, files in seen.listed.items():
        known = archive.below(folder)
        if known and not files:
            tell(f"{folder} is empty, so its documents stay: connect its disk, or use `archive remove --below`.")
        gone += [url for url in known if files and not seen.has(url)]
    return archive.end(gone) if gone else 0


def add(request: Add, context: ActionContext) -> Addition:
    from core.archive.catalogue import COMMAND_LINE, archive_named, own_archives

    archives = own_archives()
    known = {name for one in archives.every() for name in (one.id, one.name, one.address)}
    if request.archive in known:
        entry = archive_named(request.archive)
    else:
        entry = archives.create(COMMAND_LINE, request.archive, Readers(request.readers))
    places = [(place, request.kind) for place in request.places]
    return fill(entry, places, context, replace=request.replace, pages=request.pages, scheduler=request.scheduler)


def sync(request: Sync, context: ActionContext) -> Addition:
    from core.archive.catalogue import archive_named, own_archives
    from core.archive.intake import FilesSeen

    archives, entry = own_archives(), archive_named(request.archive)
    archives.remember(entry, [kept_place(place) for place in request.places], request.kind)
    for place in request.forget:
        archives.forget(entry, place)
    places = archives.places(entry)
    if not places:
        raise BadField("places", "this archive has no places to read: name folders or feeds")
    seen = FilesSeen()
    done = fill(entry, places, context, pages=request.pages, seen=seen, scheduler=request.scheduler)
    if request.every is not None:
        context.tell(filled(done))
    while request.every is not None and waited(request.every * 60, context):
        look = FilesSeen(seen.stamps)
        try:
            done = fill(entry, places, context, pages=request.pages, seen=look, scheduler=request.scheduler)
        except Cancelled:
            raise
        except VerideskError as error:  # the next look may succeed
            context.tell(str(error))
        else:
            seen = look
            if done.added.new or done.added.changed or done.added.gone:
                context.tell(filled(done))
    return done


def kept_place(place: str) -> str:
    """Return a feed's address, or a folder's whole path. Raises BadField for a path that is not there."""
    path = expanded(Path(place))
    if is_web_address(place):
        return place
    if not path.exists():
        raise BadField("places", f"{place[:200]} is no file, no folder and no address with https://")
    return str(path.absolute())


def waited(seconds: float, context: ActionContext) -> bool:
    """Wait, and return whether nobody stopped it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not context.stop():
        time.sleep(min(WATCH_SECONDS, seconds))
    return not context.stop()


def remove(request: Remove, context: ActionContext) -> Removal:
    from core.archive.catalogue import archive_named, own_archives
    from core.archive.intake import address_of_file

    entry = archive_named(request.archive)
    if request.whole == bool(request.urls or request.below):
        raise BadInput("Name the documents with --urls or --below, or say --whole to delete the archive itself.")
    if request.whole:
        own_archives().delete(entry, entry.owner)
        return Removal(entry.name, 0, whole=True)
    archive = own_archives().open(entry.id)
    places = (place if is_web_address(place) else address_of_file(expanded(Path(place))) for place in request.below)
    below = [url for place in places for url in archive.below(place.rstrip("/"))]
    return Removal(entry.name, archive.remove([*request.urls, *below]), whole=False)


def figures(request: ArchiveFigures, context: ActionContext) -> tuple[tuple[ArchiveEntry, Stats], ...]:
    from core.archive.catalogue import archive_named, own_archives

    archives = own_archives()
    entries = [archive_named(request.archive)] if request.archive else archives.every()
    return tuple((entry, archives.open(entry.id).stats()) for entry in entries)


def search(request: Search, context: ActionContext) -> tuple[Found, ...]:
    from core.archive.catalogue import archive_named, own_archives

    entry = archive_named(request.archive)
    return own_archives().open(entry.id).search(request.query, k=request.first, filters=request.filters)


def filled(done: Addition) -> str:
    """Return the result of an addition in a sentence."""
    added = done.added
    less = f" {counted(done.problems, 'document')} could not be read." if done.problems else ""
    return (
        f"“{done.name}”: {counted(added.new, 'new document')}, {counted(added.changed, 'new version')}, "
        f"{f'{added.gone:,} gone, ' if added.gone else ''}{added.known:,} known, in {done.seconds:.1f} s.{less}"
    )


def removed(done: Removal) -> str:
    if done.whole:
        return f"The archive “{done.name}” is deleted."
    return f"{counted(done.versions, 'version')} deleted from “{done.name}”."


def figures_table(found: Sequence[tuple[ArchiveEntry, Stats]]) -> list[Table]:
    """Return the figures of archives as a table."""
    from core.tabular.table import Column, Table

    counts = ("Documents", "Versions", "Passages", "Undated")
    columns = (
        Column("Archive"), *(Column(title, 0) for title in counts), Column("From"), Column("To"),
        Column("Parts", 0, help="Segments of the index; small ones are merged."), Column("Index"), Column("Readers"),
        Column("Id", files_only=True),
    )  # fmt: skip
    rows = tuple(
        (
            readable_name(entry.name), one.documents, one.versions, one.passages, one.undated, str(one.first or ""),
            str(one.last or ""), one.segments, size_words(one.size), str(entry.readers), entry.id,
        )
        for entry, one in found
    )  # fmt: skip
    return [Table("archives", "Archives", columns, rows)]


def found_table(found: Sequence[Found]) -> list[Table]:
    """Return found passages as a table, best first."""
    from core.tabular.table import Column, Table

    columns = (
        Column("Rank", 0), Column("Date"), Column("Document"), Column("Passage", prose=True),
        Column("By words", 0, help="Its rank by BM25."), Column("By meaning", 0, help="Its rank by static vectors."),
        Column("Address", files_only=True), Column("Since", files_only=True), Column("Until", files_only=True),
    )  # fmt: skip
    rows = tuple(
        (
            rank, str(one.version.published or ""), readable_name(one.version.title or one.version.url),
            " ".join(one.text.split()), one.word_rank, one.meaning_rank, one.version.url,
            str(one.version.since or ""), str(one.version.until or ""),
        )
        for rank, one in enumerate(found, start=1)
    )  # fmt: skip
    return [Table("passages", "Passages found", columns, rows)]


ADD = Action("add", Add, add, filled, json_help="the counts", unit="documents")
SYNC = Action("sync", Sync, sync, filled, json_help="the counts", unit="documents")
REMOVE = Action("remove", Remove, remove, removed, json_help="the number of versions")
STATS = Action("stats", ArchiveFigures, figures, tables=figures_table, json_help="the figures")
SEARCH = Action("search", Search, search, tables=found_table, json_help="the passages")
ARCHIVE = (ADD, SYNC, REMOVE, STATS, SEARCH)
