"""ZIM files on this machine, by libzim."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from core.dates import parse_date
from core.errors import BadInput
from core.files import expanded
from core.optional_packages import LIBZIM
from core.search.sources.answers import MAX_TEXT
from core.search.types import Capabilities, Page, ResultPage, SearchFailure, SearchResult
from core.search_report import Reason
from core.wording import readable_name

PAGE_SIZE = 10


@dataclass(frozen=True)
class Zim:
    """A ZIM file with a full-text index. Its day is the last on which its texts can have been written."""

    path: Path
    archive: Any
    day: date | None
    title: str = "ZIM file"
    name: str = "zim"
    can = Capabilities(longest_query=200, page_size=PAGE_SIZE, pause=0.0)

    @property
    def place(self) -> str:
        return self.path.name

    def search(self, query: str, page: int, before: date | None) -> ResultPage | SearchFailure:
        from libzim.search import Query, Searcher

        try:
            # a searcher is not for several threads
            matches = Searcher(self.archive).search(Query().set_query(query))
            paths = list(matches.getResults(page * PAGE_SIZE, PAGE_SIZE))
            return ResultPage(tuple(self._result(path) for path in paths), more=len(paths) == PAGE_SIZE)
        except RuntimeError as error:
            return SearchFailure(Reason.NO_ANSWER, f"{self.path.name} could not be searched: {error}.")

    def _result(self, path: str) -> SearchResult:
        entry = self.archive.get_entry_by_path(path)
        item = entry.get_item()
        url = f"zim://{self.path.stem}/{path}"
        kind = item.mimetype.partition(";")[0].strip().lower()
        content = bytes(item.content)
        return SearchResult(
            url, readable_name(entry.title[:MAX_TEXT]), page=Page(url, content, kind, "utf-8", no_later=self.day)
        )


def zim(address: str) -> Zim:
    """Open a ZIM file. Raises BadInput for another kind of file, one without an index, or without libzim."""
    try:
        from libzim.reader import Archive
    except ImportError as error:
        raise BadInput(
            f"ZIM files are read by libzim, which is not installed here (its licence is the GPL): {LIBZIM.command}"
        ) from error
    path = expanded(Path(address))
    if not path.is_file():
        raise BadInput(f"{address or 'zim'}: there is no such ZIM file; name one as zim=/folder/wikipedia.zim.")
    try:
        archive = Archive(path)
    except RuntimeError as error:
        raise BadInput(f"{path}: this is not a ZIM file, or it is damaged.") from error
    if not archive.has_fulltext_index:
        raise BadInput(f"{path}: this ZIM file has no full-text index and cannot be searched.")
    said = archive.get_metadata("Date").decode("utf-8", "replace") if "Date" in archive.metadata_keys else ""
    return Zim(path, archive, parse_date(said))
